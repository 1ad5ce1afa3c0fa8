import { beforeAll, expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

// Parts of corpora that get no slot of their node. One organization uses at most eight slots of a node, and one caller four.

const app = useOwnApp()
const member = useMember(app)
const call = (path: string, body: object, method = 'POST') =>
  app.request(method, `/v1/corpora${path}`, { key: member.key, body })

beforeAll(async () => {
  for (const handle of ['north', 'south']) {
    const brain = await addBrain(app, member, handle)
    await brain.call('POST', '/documents', { id: 'tide', text: `The harbor of the ${handle} has a tide.` })
  }
  await call('/coast', { parts: [{ brain: 'north' }, { brain: 'south' }] }, 'PUT')
})

/** Takes so many slots of the organization, as other calls of it do. */
const takeSlots = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const release = app.app.deps.corpusSlots.take({ organization: member.organizationId, key: `other ${index}` })
    if (!release) throw new Error(`There are only ${index} slots.`)
    return release
  })

test('COR-12 a corpus whose parts all get no slot is overloaded, says so, and answers once there is room', async () => {
  const taken = takeSlots(8)
  for (const [path, body] of [
    ['/coast/search', { q: 'harbor' }],
    ['/coast/context', { query: 'harbor' }],
  ] as const) {
    const refused = await call(path, body)
    expect(refused).toMatchObject({ status: 503, body: { error: { kind: 'unavailable', code: 'overloaded' } } })
    expect(refused.headers.get('retry-after')).toBe('1')
  }
  for (const release of taken) release()
  expect((await call('/coast/search', { q: 'harbor' })).body.data.results).toHaveLength(2)
  expect(app.app.deps.corpusSlots.held()).toBe(0)
})

test('COR-12 parts take turns when there is one slot', async () => {
  const taken = takeSlots(7)
  expect((await call('/coast/search', { q: 'harbor' })).body.data).toMatchObject({ failed: [], results: [{}, {}] })
  for (const release of taken) release()
  expect(app.app.deps.corpusSlots.held()).toBe(0)
})
