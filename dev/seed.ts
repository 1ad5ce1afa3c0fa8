import { createClient } from '@noema/sdk'
import { mintManagementKey } from '../server/src/operator/operator.ts'
import { seedAccess } from './seed-access.ts'
import { seedAdministration } from './seed-admin.ts'
import { seedAgents } from './seed-agents.ts'
import { people, projects, transcripts } from './seed-data.ts'
import { seedPlatform } from './seed-platform.ts'

// `npm run seed`: adds an example Brain, `demo`, to the running service on this machine: kinds with a schema, records that
// link to each other, statements with their sources, documents, a future date, changes that wait for review, and agents
// with a trigger and a schedule. A second Brain, `platform`, is larger. A repeat changes nothing that exists.

const minted = await mintManagementKey({ name: 'seed', cwd: process.cwd(), env: process.env })
const client = createClient({ apiKey: minted.secret })

const { brain } = await client.brains.put('demo', { name: 'Demo', purpose: 'Something to look at while you work.' })
const demo = client.brain('demo')
await client.brains.patch('demo', { mode: 'direct' })

if (brain.schemaVersion === 0) {
  const proposed = await demo.schema.evolve({
    baseVersion: 0,
    reason: 'The kinds of the demo',
    operations: [
      {
        op: 'addKind',
        kind: 'person',
        title: 'Person',
        fields: [
          { name: 'name', type: 'string', required: true },
          { name: 'role', type: 'string', indexed: true },
        ],
      },
      {
        op: 'addKind',
        kind: 'project',
        title: 'Project',
        fields: [
          { name: 'status', type: 'enum', values: ['planned', 'running', 'done'], indexed: true },
          { name: 'due', type: 'date', notifyBefore: ['P7D', 'P0D'] },
        ],
        links: [{ predicate: 'ledBy', to: ['person'] }],
      },
    ],
  })
  await demo.changes.decide(proposed.change.id, { decision: 'approved' })
}

await demo.batch({
  operations: [
    ...people.map(({ id, name, role }) => ({
      op: 'record.put' as const,
      id,
      kind: 'person',
      slug: id,
      fields: { name, role },
    })),
    ...projects.map(({ id, status, due, ledBy }) => ({
      op: 'record.put' as const,
      id,
      kind: 'project',
      slug: id,
      fields: { status, due },
      links: [{ predicate: 'ledBy', to: ledBy }],
    })),
    ...transcripts.map((text, index) => ({
      op: 'document.put' as const,
      id: `weekly-${index + 1}`,
      text,
      title: `Weekly meeting ${index + 1}`,
      contentType: 'text/markdown',
      source: { name: 'meetings' },
    })),
    ...projects.map(({ id, ledBy, heldBy }) => ({
      op: 'statement.assert' as const,
      subject: { id, kind: 'project' },
      predicate: 'decidedWith',
      object: { record: { id: ledBy, kind: 'person' } },
      confidence: 0.9,
      sources: [{ document: `weekly-${heldBy}` }],
    })),
  ],
})

await seedAgents(client, brain)
await seedPlatform(client)
await seedAdministration(client, process.env.NOEMA_BASE_URL ?? 'http://127.0.0.1:4100')

const { webhooks } = await client.webhooks.list({ limit: 1 })
if (webhooks.length === 0)
  await client.webhooks
    .create({ url: 'https://example.com/noema', events: ['run.failed', 'task.created'] })
    // Without the internet its host cannot be looked up: there is none then.
    .catch(() => undefined)

await client.brains.patch('demo', { mode: 'review' })
await seedAccess(demo)
const { changes } = await demo.changes.list({ decision: 'pending', limit: 1 })
if (changes.length === 0) {
  await demo.records.patch('ada', { fields: { role: 'Head of data' } })
  await demo.records.patch('apollo', { fields: { status: 'done' } })
}

process.stdout.write(
  `The Brain demo holds ${people.length + projects.length} records, ${transcripts.length} documents and changes to review.\nRead it with this key: ${minted.secret}\n`,
)
