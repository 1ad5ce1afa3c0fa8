/** What somebody made, in groups such as `managementKeys`: each by whatever names it. */
export type Things = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

const groupNames: Readonly<Record<string, string>> = {
  managementKeys: 'Management keys',
  brainKeys: 'Brain keys',
  webhooks: 'Webhooks',
  providers: 'Providers',
  connectors: 'Connectors',
  triggers: 'Triggers',
  schedules: 'Schedules',
  agents: 'Agents',
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What a thing is called, and the Brain that it is of. */
const toName = (thing: Readonly<Record<string, unknown>>): string => {
  const name = [thing.name, thing.url, thing.cron, thing.id].map(words).find((text) => text !== '') ?? ''
  const brain = words(thing.brain)
  return brain === '' ? name : `${name} (${brain})`
}

/** The groups that hold something, with the names of what they hold. */
export const listThings = (things: Things): { title: string; names: string[] }[] =>
  Object.entries(things).flatMap(([group, held]) =>
    held.length === 0 ? [] : { title: groupNames[group] ?? group, names: held.map(toName) },
  )
