import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { approve, type Brain, propose } from './schema-app.fixture.ts'

const app = useApp()

type Event = { type: string; data: { change: string; record?: { id: string } } }
const listEvents = async (brain: Brain): Promise<Event[]> =>
  (await brain.call('GET', '/events?limit=500')).body.data.events

test('BRN-08 no write against a violated schema is applied, in any race, on two nodes', async () => {
  const brain = await createBrain(app, 'race')
  const node = await app.startNode()
  const proposed = await propose(brain, {
    op: 'addKind',
    kind: 'K',
    fields: [{ name: 'n', type: 'integer', unique: true }],
  })
  const write = (index: number) => {
    const request = index % 2 === 0 ? app.request : node.request
    const n = index % 3 === 0 ? index : `text ${index}`
    return request('PUT', `${brain.path}/records/r${index}`, { key: brain.key, body: { kind: 'K', fields: { n } } })
  }
  const before = Array.from({ length: 40 }, (_, index) => write(index))
  const published = approve(brain, proposed.body.data.change.id)
  const during = Array.from({ length: 80 }, (_, index) => write(40 + index))
  expect((await published).body.data.change.application).toBe('applied')
  await Promise.all([...before, ...during])
  const after = await Promise.all(Array.from({ length: 12 }, (_, index) => write(120 + index)))
  await node.close()
  expect(after.map(({ status }) => status)).toEqual(after.map((_, index) => (index % 3 === 0 ? 201 : 400)))
  const events = await listEvents(brain)
  const evolved = events.findIndex(({ type }) => type === 'schema.evolved')
  const late = events.slice(evolved).flatMap(({ data }) => data.record?.id ?? [])
  expect(late.filter((id) => Number(id.slice(1)) % 3 !== 0)).toEqual([])
  // Values that were written on either side of the publication are all taken.
  for (const value of [0, 39, 117, 120]) {
    const repeat = { kind: 'K', fields: { n: value } }
    expect([value, (await brain.call('PUT', '/records/repeat', repeat)).status]).toEqual([value, 409])
  }
})

test('D-37 of 10 schema changes on one base that are published at once, one is applied and the rest are blocked', async () => {
  const brain = await createBrain(app, 'bases')
  const ids: string[] = []
  for (let index = 0; index < 10; index++)
    ids.push((await propose(brain, { op: 'addKind', kind: `Kind${index}` })).body.data.change.id)
  const settled = await Promise.all(ids.map((id) => approve(brain, id)))
  const applications = settled.map(({ body }) => body.data.change.application).sort()
  expect(applications).toEqual(['applied', ...Array.from({ length: 9 }, () => 'blocked')])
  const { schemaVersion, kinds } = (await brain.call('GET', '/schema')).body.data.schema
  expect([schemaVersion, kinds.length]).toEqual([1, 1])
})
