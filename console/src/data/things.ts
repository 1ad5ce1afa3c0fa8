/** The items of a member, in groups such as `managementKeys`, each with its identifying properties. */
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

/** The name of an item, and its Brain. */
const toName = (thing: Readonly<Record<string, unknown>>): string => {
  const name = [thing.name, thing.url, thing.cron, thing.id].map(words).find((text) => text !== '') ?? ''
  const brain = words(thing.brain)
  return brain === '' ? name : `${name} (${brain})`
}

/** The groups that are not empty, with the names of their items. */
export const listThings = (things: Things): { title: string; names: string[] }[] =>
  Object.entries(things).flatMap(([group, held]) =>
    held.length === 0 ? [] : { title: groupNames[group] ?? group, names: held.map(toName) },
  )
