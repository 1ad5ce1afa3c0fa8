import { beforeAll, expect, test } from 'vitest'
import { useApp, useBrain } from '../test/harness.ts'

const app = useApp()
const brain = useBrain(app)
let receipt: string
let foreign: string
beforeAll(async () => {
  receipt = (await brain.call('GET', '/search?q=ada')).body.data.receipt
  await app.request('PUT', '/v1/brains/other', { key: brain.key })
  foreign = (await app.request('GET', '/v1/brains/other/search?q=ada', { key: brain.key })).body.data.receipt
})

/** Writes of every sort that say something of their origin, and where they say it. */
const writes = (provenance: object): [below: string, body: object, at: string][] => [
  ['/records', { kind: 'person', provenance }, 'body.provenance'],
  [
    '/batch',
    {
      operations: [
        { op: 'record.create', kind: 'a' },
        { op: 'document.put', text: 'x', provenance },
      ],
    },
    'body.operations.1.provenance',
  ],
  ['/documents', { text: 'a text', provenance }, 'body.provenance'],
  [
    '/sources/wiki/snapshots',
    {
      items: [
        { id: 'a', text: 'x' },
        { id: 'b', text: 'x', provenance },
      ],
      complete: false,
    },
    'body.items.1.provenance',
  ],
]

test('D-35 a receipt is one of this Brain, or the write is refused', async () => {
  for (const wrong of [foreign, 'rcp_1', 'anything', `${receipt}x`])
    for (const [below, body, at] of writes({ receipt: wrong })) {
      const answer = await brain.call('POST', below, body)
      expect([answer.status, answer.body.error?.details[0].path]).toEqual([400, `${at}.receipt`])
    }
  for (const [below, body] of writes({ receipt }))
    expect((await brain.call('POST', below, body)).status).toBeLessThan(300)
})

test('D-35 people say that something is trusted; a Brain key is refused', async () => {
  const key = await brain.mintKey(['read', 'write', 'review', 'admin'])
  for (const [below, body, at] of writes({ trust: 'trusted' })) {
    const answer = await brain.call('POST', below, body, { key })
    expect([answer.status, answer.body.error?.details[0].path]).toEqual([400, `${at}.trust`])
    expect((await brain.call('POST', below, body)).status).toBeLessThan(300)
  }
  for (const [below, body] of writes({ trust: 'unverified' }))
    expect((await brain.call('POST', below, body, { key })).status).toBeLessThan(300)
  const session = await app.request('POST', `${brain.path}/records`, {
    headers: brain.session,
    body: { kind: 'person', provenance: { trust: 'trusted' } },
  })
  expect(session.status).toBe(201)
})
