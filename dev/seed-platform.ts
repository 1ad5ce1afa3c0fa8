import type { Client } from '@noema/sdk'
import { incidents, runbooks, services, teams } from './seed-platform-data.ts'

// The Brain `platform`: the services of a shop on the web, with their teams, incidents and runbooks. It is large enough for the
// graph, search and review to show what they do.

const kinds = [
  {
    ...{ op: 'addKind' as const, kind: 'team', title: 'Team' },
    fields: [
      { name: 'name', type: 'string' as const, required: true },
      { name: 'mission', type: 'text' as const },
    ],
  },
  {
    ...{ op: 'addKind' as const, kind: 'service', title: 'Service' },
    description: 'A program, database or partner that others rely on.',
    fields: [
      { name: 'name', type: 'string' as const, required: true },
      { name: 'tier', type: 'integer' as const, indexed: true },
      { name: 'language', type: 'string' as const, indexed: true },
      { name: 'renewal', type: 'date' as const, indexed: true, notifyBefore: ['P14D', 'P0D'] },
    ],
    links: [
      { predicate: 'ownedBy', to: ['team'], many: false },
      { predicate: 'dependsOn', to: ['service'] },
    ],
  },
  {
    ...{ op: 'addKind' as const, kind: 'incident', title: 'Incident' },
    fields: [
      { name: 'title', type: 'string' as const, required: true },
      { name: 'severity', type: 'enum' as const, values: ['low', 'medium', 'high'], indexed: true },
      { name: 'status', type: 'enum' as const, values: ['open', 'resolved'], indexed: true },
      { name: 'startedOn', type: 'date' as const, indexed: true },
      { name: 'summary', type: 'text' as const },
    ],
    links: [{ predicate: 'affected', to: ['service'] }],
  },
]

const put = (kind: string, id: string, fields: object, links: { predicate: string; to: string }[] = []) => ({
  ...{ op: 'record.put' as const, kind, id, slug: id },
  fields: { ...fields },
  links,
})

const linkAll = (predicate: string, targets: readonly string[]) => targets.map((to) => ({ predicate, to }))

/** Each service after those that it depends on: a link leads to a record that exists. */
const listServices = () => {
  const byId = new Map(services.map((service) => [service[0] as string, service]))
  const ordered = new Set<(typeof services)[number]>()
  const add = (id: string) => {
    const service = byId.get(id)
    if (!service || ordered.has(service)) return
    for (const needed of service[5]) add(needed)
    ordered.add(service)
  }
  for (const [id] of services) add(id)
  return [...ordered]
}

const toOperations = () => [
  ...teams.map(({ id, name, mission }) => put('team', `team-${id}`, { name, mission })),
  ...listServices().map(([id, name, team, tier, language, dependsOn, renewal]) =>
    put('service', id, { name, tier, language, renewal }, [
      { predicate: 'ownedBy', to: `team-${team}` },
      ...linkAll('dependsOn', dependsOn),
    ]),
  ),
  ...incidents.map(([id, title, severity, status, affected, startedOn, summary]) =>
    put('incident', id, { title, severity, status, startedOn, summary }, linkAll('affected', affected)),
  ),
  ...runbooks.map(({ id, title, text }) => ({
    ...{ op: 'document.put' as const, id, title, text, contentType: 'text/markdown' },
    source: { name: id.startsWith('runbooks/') ? 'runbooks' : 'guides' },
  })),
  ...incidents.slice(0, 8).map(([id, , , , affected]) => ({
    op: 'statement.assert' as const,
    subject: { id, kind: 'incident' },
    predicate: 'causedBy',
    object: { record: { id: affected.at(-1) ?? affected[0], kind: 'service' } },
    confidence: 0.9,
    provenance: { source: 'the review after the incident' },
  })),
]

/** Changes that wait for a decision: what an agent read in the runbooks and in the mail. */
const propose = async (client: Client) => {
  const brain = client.brain('platform')
  await brain.batch({
    operations: [
      {
        ...{ op: 'record.patch', id: 'inc-110' },
        fields: { status: 'resolved', summary: 'Tracking has its own consumer group and is at most a minute behind.' },
      },
      { op: 'record.patch', id: 'tracking', fields: { tier: 2 } },
    ],
  })
  await brain.batch({
    operations: [
      { op: 'record.patch', id: 'card-network', fields: { renewal: '2031-01-31' } },
      {
        ...{ op: 'statement.assert', subject: { id: 'card-network', kind: 'service' }, predicate: 'renewedBy' },
        object: { record: { id: 'team-payments', kind: 'team' } },
        sources: [
          {
            ...{ document: 'runbooks/payments.md' },
            quote: 'It is renewed **every January**, by the payments team.',
          },
        ],
      },
    ],
  })
  await brain.records.patch('warehouse', { fields: { language: 'Kotlin' } })
}

/** An agent that answers from the runbooks, and its first run. */
const askGuide = async (client: Client) => {
  const { agent } = await client.agents.create({
    ...{ name: 'On-call guide', instructions: 'Answer from the runbooks, and name your sources.' },
    ...{ model: 'noema/extractive', brains: [{ handle: 'platform', access: 'read_only' }] },
  })
  await client.runs.start({ agentId: agent.id, input: 'What do I do when cards are refused?' })
}

/** Adds the Brain `platform` with all its content, once. */
export const seedPlatform = async (client: Client): Promise<void> => {
  const { brain } = await client.brains.put('platform', {
    ...{ name: 'Platform', purpose: 'Services, teams, incidents and runbooks of our shop' },
  })
  const platform = client.brain('platform')
  const { records } = await platform.records.list({ limit: 1 })
  if (records.length > 0) return
  await client.brains.patch('platform', { mode: 'direct' })
  if (brain.schemaVersion === 0) {
    const reason = 'The kinds of the platform'
    const proposed = await platform.schema.evolve({ baseVersion: 0, reason, operations: kinds })
    await platform.changes.decide(proposed.change.id, { decision: 'approved' })
  }
  await platform.batch({ operations: toOperations() })
  for (const q of ['cards refused', 'consumers fall behind', 'who is on call'])
    await platform.search({ q, consumerId: 'support-agent' })
  await client.brains.patch('platform', { mode: 'review' })
  await propose(client)
  await askGuide(client)
}
