import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const brain = useBrain(app)
beforeAll(async () => {
  await brain.call('PUT', '/records/subject', { kind: 'person' })
})

type Sent = { key?: string; of?: TestBrain }
const send = (
  idempotencyKey: string,
  method: string,
  below: string,
  body?: unknown,
  { of = brain, key = of.key }: Sent = {},
) => of.call(method, below, body, { key, headers: { 'idempotency-key': idempotencyKey } })
const eventCount = async (of: TestBrain = brain): Promise<number> =>
  (await of.call('GET', '/events?limit=500')).body.data.events.length
const reused = { status: 409, body: { error: { kind: 'conflict', code: 'idempotency_key_reused' } } }

/** A write of every verb, in an order in which each finds its targets. */
const writes: [method: string, below: string, body?: object][] = [
  ['POST', '/records', { kind: 'person', fields: { a: 1 } }],
  ['PUT', '/records/own', { kind: 'person', slug: 'own', fields: { a: 1 } }],
  ['PATCH', '/records/own', { fields: { a: 2 } }],
  [
    'POST',
    '/statements',
    { id: 'said', subject: { id: 'subject', kind: 'person' }, predicate: 'p', object: { value: 1 } },
  ],
  ['DELETE', '/statements/said', { reason: 'r' }],
  ['POST', '/documents', { text: 'Idempotent.' }],
  ['POST', '/documents', { id: 'doc', text: 'Idempotent too.' }],
  ['DELETE', '/documents/doc'],
  [
    'POST',
    '/batch',
    {
      operations: [
        { op: 'record.create', kind: 'batched', ref: 'x' },
        { op: 'record.patch', id: '$ref:x', fields: { b: 1 } },
      ],
    },
  ],
  ['DELETE', '/records/own'],
]

test('IDM-01 KNO-02 KNO-06 a repeat of any write returns the first answer byte for byte, with the original ids', async () => {
  const first: { status: number; data: string }[] = []
  for (const [index, [method, below, body]] of writes.entries()) {
    const answer = await send(`every-${index}`, method, below, body)
    expect(answer.status, `${method} ${below}`).toBeLessThan(300)
    expect(answer.headers.get('idempotent-replayed')).toBeNull()
    first.push({ status: answer.status, data: JSON.stringify(answer.body) })
  }
  const before = await eventCount()
  for (const [index, [method, below, body]] of writes.entries()) {
    const replay = await send(`every-${index}`, method, below, body)
    expect({ status: replay.status, data: JSON.stringify(replay.body) }, `${method} ${below}`).toEqual(first[index])
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
  }
  expect(await eventCount()).toBe(before)
  expect((await brain.call('GET', '/records?kind=batched')).body.data.records).toHaveLength(1)
})

test.each([
  [200, 'landed'],
  [201, 'landed'],
  [202, 'staged'],
])(
  'IDM-02 an answer that any version of the service stored with status %i is returned unchanged',
  async (status, outcome) => {
    const key = `stored-${status}`
    const made = await send(key, 'POST', '/records', { kind: 'k' })
    const stored = await sql<{ status: number }>`
      select status from idempotency_answers where idempotency_key = ${key}`.execute(app.app.db)
    expect(stored.rows).toEqual([{ status: made.status }])
    const text = `{ "outcome":  "${outcome}", "record": {"id":"as it was"} }`
    await sql`update idempotency_answers set status = ${status}, answer = ${text} where idempotency_key = ${key}`.execute(
      app.app.db,
    )
    const replay = await fetch(`${app.base}${brain.path}/records`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${brain.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ kind: 'k' }),
    })
    expect([replay.status, await replay.text()]).toEqual([status, `{"data":${text}}`])
  },
)

test('IDM-01 a key that was used for another body, verb or path is refused with 409 and does nothing', async () => {
  await send('one', 'PUT', '/records/one', { kind: 'k', fields: { a: 1 } })
  const before = await eventCount()
  for (const [method, below, body] of [
    ['PUT', '/records/one', { kind: 'k', fields: { a: 2 } }],
    ['PUT', '/records/one', { kind: 'k' }],
    ['PUT', '/records/two', { kind: 'k', fields: { a: 1 } }],
    ['PATCH', '/records/one', { kind: 'k', fields: { a: 1 } }],
    ['POST', '/records', { kind: 'k', fields: { a: 1 } }],
    ['DELETE', '/records/one', undefined],
    ['POST', '/documents', { text: 'x' }],
    ['POST', '/batch', { operations: [{ op: 'record.put', id: 'one', kind: 'k', fields: { a: 1 } }] }],
  ] as const)
    expect(await send('one', method, below, body), `${method} ${below}`).toMatchObject(reused)
  expect(await eventCount()).toBe(before)
  await send('matched', 'PUT', '/records/one', { kind: 'k', fields: { a: 3 } })
  const withMatch = await brain.call(
    'PUT',
    '/records/one',
    { kind: 'k', fields: { a: 3 } },
    { headers: { 'idempotency-key': 'matched', 'if-match': '"2"' } },
  )
  expect(withMatch).toMatchObject(reused)
})

test('IDM-01 a key used for a batch of one operation is not the same operation alone', async () => {
  await send('alone', 'POST', '/records', { kind: 'k' })
  expect(await send('alone', 'POST', '/batch', { operations: [{ op: 'record.create', kind: 'k' }] })).toMatchObject(
    reused,
  )
})

test('IDM-01 the order of names, white space and undeclared fields do not make another body', async () => {
  const first = await send('order', 'PUT', '/records/order', { kind: 'k', fields: { a: { x: 1, y: 2 }, b: [1, 2] } })
  for (const body of [
    { fields: { b: [1, 2], a: { y: 2, x: 1 } }, kind: 'k' },
    ' { "kind" : "k" , "fields" : { "b" : [ 1 , 2.0 ] , "a" : { "y" : 2 , "x" : 1 } } } ',
    { kind: 'k', fields: { a: { x: 1, y: 2 }, b: [1, 2] }, undeclared: true },
  ]) {
    const replay = await send('order', 'PUT', '/records/order', body)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(replay.body).toEqual(first.body)
  }
  expect(
    await send('order', 'PUT', '/records/order', { kind: 'k', fields: { a: { x: 1, y: 2 }, b: [2, 1] } }),
  ).toMatchObject(reused)
})

test('IDM-02 a key is scoped to one Brain and to the key that sent it', async () => {
  const [one, two] = [await brain.mintKey(['write']), await brain.mintKey(['write'])]
  const made = await app.request('PUT', '/v1/brains/second', { key: brain.key, body: {} })
  expect(made.status).toBe(201)
  const body = { kind: 'scoped' }
  const ids = new Set<string>()
  for (const key of [brain.key, one, two])
    ids.add((await send('scoped', 'POST', '/records', body, { key })).body.data.record.id)
  const headers = { 'idempotency-key': 'scoped' }
  const elsewhere = await app.request('POST', '/v1/brains/second/records', { key: brain.key, headers, body })
  ids.add(elsewhere.body.data.record.id)
  expect(ids.size).toBe(4)
  expect((await send('scoped', 'POST', '/records', body, { key: one })).headers.get('idempotent-replayed')).toBe('true')
  expect((await send('scoped', 'POST', '/records', { kind: 'different' }, { key: two })).status).toBe(409)
})

test('IDM-02 a key is kept while the Brain exists, and unknown to the Brain that is made after it', async () => {
  const of = await createBrain(app, 'kept')
  const first = await send('kept', 'POST', '/records', { kind: 'k' }, { of })
  app.clock.advance({ days: 400 })
  const later = await send('kept', 'POST', '/records', { kind: 'k' }, { of })
  expect(later.body).toEqual(first.body)
  await app.request('DELETE', of.path, { key: of.key })
  await app.request('PUT', of.path, { key: of.key, body: {} })
  const again = await send('kept', 'POST', '/records', { kind: 'other' }, { of })
  expect(again).toMatchObject({ status: 201, body: { data: { stateVersion: 1 } } })
})

test('IDM-01 a write that was refused stores nothing, so its key may go with a better one', async () => {
  await brain.call('PUT', '/records/taken', { kind: 'k', slug: 'taken' })
  for (const [index, [method, below, body, status]] of (
    [
      ['POST', '/records', { kind: 'k', slug: 'taken' }, 409],
      ['POST', '/records', { kind: 1 }, 400],
      ['PATCH', '/records/never', { fields: {} }, 404],
      [
        'POST',
        '/batch',
        {
          operations: [
            { op: 'record.create', kind: 'k' },
            { op: 'record.delete', id: 'never' },
          ],
        },
        404,
      ],
    ] as const
  ).entries()) {
    expect((await send(`refused-${index}`, method, below, body)).status).toBe(status)
    const better = await send(`refused-${index}`, 'POST', '/records', { kind: 'k', fields: { index } })
    expect(better).toMatchObject({ status: 201, body: { data: { outcome: 'landed' } } })
    expect(better.headers.get('idempotent-replayed')).toBeNull()
  }
})

test('IDM-01 D-05 a write that changes nothing is answered the same way again, even after things have changed', async () => {
  const body = { kind: 'k', fields: { n: 1 } }
  await brain.call('PUT', '/records/noop', body)
  const first = await send('noop', 'PUT', '/records/noop', body)
  await brain.call('PUT', '/records/noop', { kind: 'k', fields: { n: 2 } })
  expect((await send('noop', 'PUT', '/records/noop', body)).body).toEqual(first.body)
  expect((await brain.call('GET', '/records/noop')).body.data.record).toMatchObject({ version: 2, fields: { n: 2 } })
})

test('IDM-01 a key has 1 to 255 visible ASCII characters', async () => {
  for (const [index, key] of ['k'.repeat(256), 'a b', 'ä'].entries())
    expect((await send(key, 'POST', '/records', { kind: 'k', fields: { index } })).status, key).toBe(400)
  const odd = `"'\\~!${'k'.repeat(250)}`
  const first = await send(odd, 'POST', '/records', { kind: 'k' })
  expect((await send(odd, 'POST', '/records', { kind: 'k' })).body).toEqual(first.body)
})

test('IDM-03 twenty requests with one key at once, over two nodes, do the work once', async () => {
  const node = await app.startNode()
  const before = await eventCount()
  const at = (n: number) => (n % 2 === 0 ? app.request : node.request)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      at(n)('POST', `${brain.path}/records`, {
        key: brain.key,
        headers: { 'idempotency-key': 'twenty' },
        body: { kind: 'raced' },
      }),
    ),
  )
  expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body])))).toHaveProperty('size', 1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  expect(await eventCount()).toBe(before + 1)
  const mixed = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      at(n)('POST', `${brain.path}/records`, {
        key: brain.key,
        headers: { 'idempotency-key': 'mixed' },
        body: { kind: 'raced', fields: { half: n % 4 < 2 } },
      }),
    ),
  )
  expect(mixed.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(10).fill(409)])
  expect(await eventCount()).toBe(before + 2)
  await node.close()
})

test('IDM-04 an answer is replayed by a node that was started after it was given', async () => {
  const first = await send('restart', 'POST', '/records', { kind: 'k' })
  const node = await app.startNode()
  const replay = await node.request('POST', `${brain.path}/records`, {
    key: brain.key,
    headers: { 'idempotency-key': 'restart' },
    body: { kind: 'k' },
  })
  expect(replay.body).toEqual(first.body)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  await node.close()
})

test('IDM-04 a write whose sender went away before it was answered is done once', async () => {
  const gone = AbortSignal.timeout(2)
  const headers = {
    'idempotency-key': 'left',
    authorization: `Bearer ${brain.key}`,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ kind: 'left' })
  await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      fetch(`${app.base}${brain.path}/records`, { method: 'POST', headers, body, signal: gone }),
    ),
  )
  const { data } = (await send('left', 'POST', '/records', { kind: 'left' })).body
  expect((await brain.call('GET', '/records?kind=left')).body.data.records).toEqual([data.record])
})
