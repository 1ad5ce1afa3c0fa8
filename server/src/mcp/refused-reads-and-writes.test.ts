import { test } from 'vitest'
import { createIndexBuilding } from '../features/writing/schema-changes/build-indexes.ts'
import { addBrain } from '../test/app.ts'
import { useMember, useOwnApp } from '../test/harness.ts'
import { runPass } from '../test/run-pass.ts'
import { connectClient } from './mcp-client.fixture.ts'
import {
  born,
  checkRefusal,
  decide,
  declared,
  person,
  propose,
  type Refusal,
  readChange,
  runRefusal,
  type Scene,
  subject,
} from './refusal.fixture.ts'

// The refusals of tools that read or write, because of the state of the Brain or of the caller.

// Without the worker role no index is built in the background, so an index that is being built stays so.
const app = useOwnApp({ NOEMA_ROLES: 'http' })
const member = useMember(app)

/** Declares the kind, and builds the indexes of existing records. */
const declare = async (scene: Scene): Promise<void> => {
  await decide(scene, readChange(await propose(scene, declared)))
  await runPass(app.app.deps, createIndexBuilding(app.app.deps))
}
const query = ({ tools }: Scene, where: object) => tools.call('knowledge_query', { kind: 'person', where })
const read = ({ tools }: Scene, given: object) => tools.call('knowledge_read', { ...given })

const reading: Refusal[] = [
  ['a record that is not there', 'not_found', (scene) => read(scene, { id: 'none' })],
  ['the history of one', 'not_found', (scene) => read(scene, { action: 'record_history', id: 'none' })],
  ['a statement', 'not_found', (scene) => read(scene, { action: 'get_statement', id: 'none' })],
  ['a document', 'not_found', (scene) => read(scene, { action: 'get_document', id: 'none' })],
  ['a receipt', 'not_found', (scene) => read(scene, { action: 'get_receipt', id: 'none' })],
  ['a change', 'not_found', ({ tools }) => tools.call('knowledge_changes', { action: 'get', id: 'none' })],
  ['a state ahead of the Brain', 'validation', (scene) => read(scene, { id: 'ada', asOf: 10_000 })],
  [
    'a search ahead of the Brain',
    'validation',
    ({ tools }) => tools.call('knowledge_search', { q: 'ada', asOf: 10_000 }),
  ],
  ['a context of nothing', 'validation', ({ tools }) => tools.call('knowledge_context', { query: ' ' })],
  ['a forged cursor', 'validation', ({ tools }) => tools.call('knowledge_events', { after: 'forged' })],
  [
    "another list's cursor",
    'validation',
    async (scene) => {
      const { cursor } = await scene.tools.get('knowledge_events')
      return read(scene, { action: 'list_records', after: cursor })
    },
  ],
  [
    'a cursor of the Brain that was deleted',
    'conflict stale_cursor',
    async ({ brain, tools }) => {
      const { cursor } = await tools.get('knowledge_events')
      await brain.call('DELETE', '')
      await brain.call('PUT', '')
      return tools.call('knowledge_events', { after: cursor })
    },
  ],
  ['a field that nobody declared', 'validation index_not_ready', (scene) => query(scene, { shoeSize: 3 })],
  ['a slug by range', 'validation index_not_ready', (scene) => query(scene, { slug: { gt: 'a' } })],
  [
    'a field whose index is being built',
    'validation index_not_ready',
    async (scene) => {
      await decide(scene, readChange(await propose(scene, declared)))
      return query(scene, { age: 3 })
    },
  ],
  [
    'a field without an index',
    'validation index_not_ready',
    (scene) => declare(scene).then(() => query(scene, { note: 'a' })),
  ],
  ['a value of another type', 'validation', (scene) => declare(scene).then(() => query(scene, { age: 'old' }))],
  [
    'an unknown operator',
    'validation index_not_ready',
    (scene) => declare(scene).then(() => query(scene, { age: { near: 3 } })),
  ],
  ['no operator', 'validation', (scene) => declare(scene).then(() => query(scene, { age: {} }))],
  ['a schema that never was', 'not_found', ({ tools }) => tools.call('knowledge_schema', { version: 7 })],
]

const writing: Refusal[] = [
  ['a stale version', 'conflict stale_version', ({ write }) => write({ ...person, ifMatch: 3 })],
  [
    'a version of nothing',
    'conflict stale_version',
    ({ write }) => write({ ...person, id: 'x', slug: 'x', ifMatch: 1 }),
  ],
  [
    'a stale document',
    'conflict stale_version',
    ({ write }) => write({ op: 'document.put', id: 'd', text: 'a', ifMatch: 2 }),
  ],
  ['a slug of another', 'conflict slug_taken', ({ write }) => write({ ...person, id: 'other' })],
  ['a patch of nothing', 'not_found', ({ write }) => write({ op: 'record.patch', id: 'none', fields: {} })],
  ['a deletion of nothing', 'not_found', ({ write }) => write({ op: 'record.delete', id: 'none' })],
  ['a retirement of nothing', 'not_found', ({ write }) => write({ op: 'document.retire', id: 'none' })],
  ['a retraction of nothing', 'not_found', ({ write }) => write({ op: 'statement.retract', id: 'none' })],
  [
    'a subject that is not there',
    'conflict no_subject',
    ({ write }) => write({ ...born, subject: { id: 'x', kind: 'a' } }),
  ],
  [
    'a subject of another kind',
    'conflict no_subject',
    ({ write }) => write({ ...born, subject: { id: 'ada', kind: 'place' } }),
  ],
  [
    'times the wrong way round',
    'validation',
    ({ write }) => write({ ...born, validFrom: '2026-01-02T00:00:00Z', validTo: '2026-01-01T00:00:00Z' }),
  ],
  ['a reference to nothing', 'validation', ({ write }) => write({ ...born, subject: { ...subject, id: '$ref:x' } })],
  ['a wrong operation at an index', 'validation', ({ write }) => write(person, { op: 'record.put', id: 'x' })],
  ['a refusal at an index', 'not_found', ({ write }) => write(person, { op: 'record.delete', id: 'none' })],
  [
    'a key that was used for something else',
    'conflict idempotency_key_reused',
    async ({ tools }) => {
      await tools.get('knowledge_write', { operations: [person], idempotencyKey: 'k' })
      return tools.call('knowledge_write', { operations: [born], idempotencyKey: 'k' })
    },
  ],
  [
    'a correction of no change',
    'not_found',
    ({ tools }) => tools.call('knowledge_write', { operations: [born], corrects: 'none' }),
  ],
  [
    'a field that a strict kind lacks',
    'validation schema_violation',
    (scene) => declare(scene).then(() => scene.write(person, { ...person, fields: { name: 'A', b: 1, c: 2 } })),
  ],
  [
    'a missing field',
    'validation schema_violation',
    (scene) => declare(scene).then(() => scene.write({ ...person, fields: {} })),
  ],
  [
    'a null',
    'validation schema_violation',
    (scene) => declare(scene).then(() => scene.write({ ...person, fields: { name: null } })),
  ],
  [
    'a link to another kind',
    'validation schema_violation',
    (scene) => declare(scene).then(() => scene.write({ ...person, links: [{ predicate: 'knows', to: 'none' }] })),
  ],
  [
    'a value that another has',
    'conflict field_taken',
    async (scene) => {
      await declare(scene)
      const fields = { name: 'A', mail: 'a@example.com' }
      return scene.write({ ...person, fields }, { ...person, id: 'b', slug: 'b', fields })
    },
  ],
  [
    'a held Brain',
    'conflict brain_held',
    ({ brain, write }) => brain.call('PUT', '/hold', { reason: 'audit' }).then(() => write(person)),
  ],
]

test.each([...reading, ...writing])('D-55 %s is refused (%s) in sentences and in words of tools', (...refusal) =>
  runRefusal(app, member, refusal),
)

test('D-55 a key gets refusals in terms of tools, from any tool', async () => {
  const brain = await addBrain(app, member, 'closed')
  for (const [capability, given] of [
    ['write', { knowledge_search: { q: 'a' }, knowledge_context: { query: 'a' }, knowledge_query: { kind: 'a' } }],
    ['write', { knowledge_read: { id: 'a' }, knowledge_events: {}, knowledge_schema: {}, knowledge_changes: {} }],
    ['read', { knowledge_write: { operations: [person] }, knowledge_decide: { id: 'a', decision: 'approved' } }],
    ['review', { knowledge_decide: { action: 'revert', id: 'a' }, knowledge_schema: { action: 'evolve' } }],
  ] as const) {
    const tools = await connectClient(app, { key: await brain.mintKey([capability]), handle: 'closed' })
    for (const [name, one] of Object.entries(given)) checkRefusal(await tools.call(name, one), 'forbidden')
    await tools.close()
  }
})
