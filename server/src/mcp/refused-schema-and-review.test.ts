import { expect, test } from 'vitest'
import { addBrain } from '../test/app.ts'
import { useApp, useMember } from '../test/harness.ts'
import { connectClient } from './mcp-client.fixture.ts'
import {
  born,
  decide,
  declared,
  person,
  propose,
  type Refusal,
  readChange,
  runRefusal,
  type Scene,
} from './refusal.fixture.ts'
import { wordsOfHttpIn } from './words.fixture.ts'

// The refusals of tools that propose, decide or revert, because of the state of the Brain and its changes.

const app = useApp()
const member = useMember(app)

/** Stages a write and returns its change. */
const stage = async ({ brain, write }: Scene, ...operations: object[]): Promise<string> => {
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await write(...operations)
  await brain.call('PATCH', '', { mode: 'direct' })
  return readChange(staged)
}
const settle = ({ tools }: Scene, action: string, id: string) => tools.call('knowledge_decide', { action, id })

const evolving: Refusal[] = [
  [
    'a stale schema',
    'conflict stale_schema',
    ({ tools }) => tools.call('knowledge_schema', { action: 'evolve', baseVersion: 4, operations: [declared] }),
  ],
  ['an unknown kind', 'validation', (scene) => propose(scene, { op: 'retireKind', kind: 'none' })],
  ['a kind twice', 'validation', (scene) => propose(scene, declared, declared)],
  [
    'a field that there is not',
    'validation',
    (scene) => propose(scene, declared, { op: 'retireField', kind: 'person', name: 'none' }),
  ],
  [
    'a field twice',
    'validation',
    (scene) => propose(scene, declared, { op: 'addField', kind: 'person', field: declared.fields[0] }),
  ],
  [
    'a link twice',
    'validation',
    (scene) => propose(scene, declared, { op: 'addLink', kind: 'person', link: declared.links[0] }),
  ],
  [
    'a link that there is not',
    'validation',
    (scene) => propose(scene, declared, { op: 'retireLink', kind: 'person', predicate: 'none' }),
  ],
  ['nothing new', 'validation', (scene) => propose(scene, declared, { op: 'retireKind', kind: 'person' })],
  [
    'what did not emerge',
    'not_found',
    ({ tools }) => tools.call('knowledge_schema', { action: 'promote', emerged: ['none'] }),
  ],
  [
    'a held Brain',
    'conflict brain_held',
    (scene) => scene.brain.call('PUT', '/hold', { reason: 'audit' }).then(() => propose(scene, declared)),
  ],
]

const deciding: Refusal[] = [
  ['a change that is not there', 'not_found', (scene) => decide(scene, 'none')],
  ...['publish', 'cancel', 'rebase', 'revert'].map(
    (action): Refusal => [`to ${action} what is not there`, 'not_found', (scene) => settle(scene, action, 'none')],
  ),
  [
    'a decision twice',
    'conflict already_decided',
    async (scene) => {
      const id = await stage(scene, born)
      await decide(scene, id)
      return decide(scene, id)
    },
  ],
  [
    'items that the change lacks',
    'validation',
    async (scene) => decide(scene, await stage(scene, born), { items: ['7'] }),
  ],
  [
    'edits of items that the change lacks',
    'validation',
    async (scene) => decide(scene, await stage(scene, born), { edits: { 7: { fields: {} } } }),
  ],
  [
    'edits of what has no fields',
    'validation',
    async (scene) => decide(scene, await stage(scene, born), { edits: { 1: { fields: {} } } }),
  ],
  [
    'a publication in the past',
    'validation',
    async (scene) => decide(scene, await stage(scene, born), { publish: '2000-01-01T00:00:00Z' }),
  ],
  ...['publish', 'cancel'].map(
    (action): Refusal => [
      `to ${action} what nobody approved`,
      'conflict not_open',
      async (scene) => settle(scene, action, await stage(scene, born)),
    ],
  ),
  [
    'to revert what was not applied',
    'conflict not_applied',
    async (scene) => settle(scene, 'revert', await stage(scene, born)),
  ],
  [
    'to rebase what was applied',
    'conflict not_open',
    async (scene) => {
      const id = await stage(scene, born)
      await decide(scene, id)
      return settle(scene, 'rebase', id)
    },
  ],
  [
    'to revert what was written again',
    'conflict changed_since',
    async (scene) => {
      const { change } = await scene.tools.get('knowledge_write', {
        operations: [{ ...person, fields: { name: 'B' } }],
      })
      await scene.write({ op: 'record.patch', id: 'ada', fields: { name: 'C' } })
      return settle(scene, 'revert', change.id)
    },
  ],
  [
    'to revert twice',
    'conflict nothing_to_revert',
    async (scene) => {
      const { change } = await scene.tools.get('knowledge_write', { operations: [born] })
      await settle(scene, 'revert', change.id)
      return settle(scene, 'revert', change.id)
    },
  ],
  [
    "one's own change",
    'forbidden self_review',
    async (scene) => {
      await scene.brain.call('PATCH', '', { reviewRules: { requireOtherReviewer: true } })
      return decide(scene, await stage(scene, born))
    },
  ],
  [
    'a publication while the Brain is held',
    'conflict brain_held',
    async (scene) => {
      const id = await stage(scene, born)
      await decide(scene, id, { publish: false })
      await scene.brain.call('PUT', '/hold', { reason: 'audit' })
      return settle(scene, 'publish', id)
    },
  ],
]

test.each([...evolving, ...deciding])('D-55 %s is refused (%s) in sentences and in words of tools', (...refusal) =>
  runRefusal(app, member, refusal),
)

test('D-55 the reasons that block an approved change are sentences in terms of tools', async () => {
  const brain = await addBrain(app, member, 'blocked')
  const tools = await connectClient(app, { key: brain.key, handle: 'blocked' })
  const write: Scene['write'] = (...operations) => tools.call('knowledge_write', { operations })
  const scene = { brain, tools, write }
  const double = { ...person, fields: { mail: 'a@example.com' } }
  await write(double, { ...double, id: 'b', slug: 'b' })
  const kind = { op: 'addKind', kind: 'person', fields: [{ name: 'mail', type: 'string', unique: true }] }
  const held = await stage(scene, { op: 'record.patch', id: 'b', fields: { age: 1 } })
  const decided = [
    await decide(scene, readChange(await propose(scene, kind))),
    await brain.call('PUT', '/hold', { reason: 'audit' }).then(() => decide(scene, held)),
  ]
  for (const { structuredContent } of decided) {
    const { blockedBy } = (structuredContent as { change: { blockedBy: string } }).change
    expect(wordsOfHttpIn(blockedBy)).toEqual([])
    expect(blockedBy).toMatch(/^(held|.*\.)$/)
  }
  await tools.close()
})
