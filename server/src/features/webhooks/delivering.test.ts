import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { isSignedBy, type Receiver, startReceiver } from '../../test/receiver.ts'

let app: TestApp
let member: Awaited<ReturnType<typeof createMember>>
let brain: TestBrain
let receiver: Receiver
let made = 0
beforeAll(async () => {
  app = await startTestApp()
  member = await createMember(app)
})
beforeEach(async () => {
  brain = await addBrain(app, member, `brain-${++made}`)
  receiver = await startReceiver()
})
afterEach(() => receiver.close())
afterAll(() => app.close())

const worker = (name: string) => app.app.workers.find((one) => one.name === name)?.run()
/** Looks for what is due by the clock, as each node does once a second. */
const look = () => worker('deliver to webhooks')
const create = async (body: object = {}) =>
  (await brain.call('POST', '/webhooks', { url: receiver.url, ...body })).body.data
const list = async () => (await brain.call('GET', '/webhooks')).body.data.webhooks
const write = (id: string) => brain.call('PUT', `/records/${id}`, { kind: 'k', fields: { at: ++made } })
const events = async () => (await brain.call('GET', '/events?limit=500')).body.data.events
const cursorsOf = (from: Receiver) => from.deliveries.map(({ body }) => body.event.cursor)

/** Waits until the only webhook's progress is as wanted; settling follows the receiver's answer. */
const until = async (
  wanted: (webhook: {
    lastCursor: string | null
    pending: boolean
    lastFailure: { attempts: number } | null
  }) => boolean,
) => {
  for (;;) {
    const [webhook] = await list()
    if (webhook && wanted(webhook)) return webhook
  }
}
const untilAttempt = (attempts: number, cursor?: string) =>
  until(
    ({ lastFailure }) =>
      lastFailure?.attempts === attempts && (!cursor || ('cursor' in lastFailure && lastFailure.cursor === cursor)),
  )

test('WHK-04 WHK-05 WHK-08 an event goes out as it is committed, exactly as the read lists it', async () => {
  await write('before')
  const { webhook, secret } = await create()
  await write('a')
  await write('b')
  await receiver.received(2)
  const [, a, b] = await events()
  expect(receiver.deliveries.map(({ body }) => body)).toEqual([
    { webhook: webhook.id, previousCursor: null, event: a },
    { webhook: webhook.id, previousCursor: a.cursor, event: b },
  ])
  const page = await fetch(`${app.base}${brain.path}/events`, {
    headers: { authorization: `Bearer ${brain.key}` },
  }).then((answer) => answer.text())
  for (const { text } of receiver.deliveries) expect(page).toContain(text.slice(text.indexOf('"event":') + 8, -1))
  for (const delivery of receiver.deliveries) expect(isSignedBy(delivery, secret)).toBe(true)
  expect(await until(({ pending }) => !pending)).toMatchObject({ lastCursor: b.cursor, behind: 0, lastFailure: null })
})

test('WHK-06 the headers are those of the documentation, and those of Standard Webhooks', async () => {
  const { secret } = await create()
  await write('a')
  const [delivery] = await receiver.received(1)
  if (!delivery) throw new Error('nothing came')
  const { headers } = delivery
  expect(headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect(headers['content-type']).toBe('application/json')
  expect(headers['webhook-id']).toBe(delivery.body.event.cursor)
  expect(Math.abs(Number(headers['webhook-timestamp']) - app.clock.now().getTime() / 1000)).toBeLessThan(5)
  expect(headers['x-service-signature-next']).toBeUndefined()
  expect(isSignedBy(delivery, secret)).toBe(true)
  expect(isSignedBy({ ...delivery, text: `${delivery.text} ` }, secret)).toBe(false)
})

test('WHK-04 with `after` a webhook begins after that cursor, which is its first previousCursor', async () => {
  for (const id of ['a', 'b', 'c']) await write(id)
  const [first, second, third] = await events()
  expect((await create({ after: first.cursor })).webhook.pending).toBe(true)
  await receiver.received(2)
  expect(receiver.deliveries.map(({ body }) => [body.previousCursor, body.event.cursor])).toEqual([
    [first.cursor, second.cursor],
    [second.cursor, third.cursor],
  ])
})

test('D-65 types chooses what is delivered, and what is left out moves the webhook on', async () => {
  await create({ types: ['record.deleted'] })
  await write('a')
  await brain.call('DELETE', '/records/a')
  await write('b')
  await brain.call('DELETE', '/records/b')
  await receiver.received(2)
  const all = await events()
  const deleted = all.filter(({ type }: { type: string }) => type === 'record.deleted')
  expect(receiver.deliveries.map(({ body }) => body.event)).toEqual(deleted)
  expect(receiver.deliveries[1]?.body.previousCursor).toBe(deleted[0].cursor)
  await write('c')
  expect(await until(({ pending }) => !pending)).toMatchObject({ lastCursor: deleted[1].cursor, behind: 0 })
})

test('WHK-07 events arrive in the order of their commits, each after the one before was acknowledged', async () => {
  let open = 0
  let most = 0
  receiver.answers((response) => {
    most = Math.max(most, ++open)
    setImmediate(() => {
      open--
      response.writeHead(200 + (receiver.deliveries.length % 100)).end()
    })
  })
  await create()
  await Promise.all(Array.from({ length: 60 }, (_, n) => write(`r${n}`)))
  await receiver.received(60)
  expect(cursorsOf(receiver)).toEqual((await events()).map(({ cursor }: { cursor: string }) => cursor))
  expect(most).toBe(1)
})

test('WHK-09 D-65 a failed delivery is tried at 0, about 20 and about 90 seconds, and holds back what follows', async () => {
  receiver.answers(500)
  await create()
  await write('a')
  await write('b')
  const [a, b] = await events()
  expect(await untilAttempt(1)).toMatchObject({
    lastCursor: null,
    pending: true,
    lastFailure: { cursor: a.cursor, status: 500 },
  })
  app.clock.advance({ seconds: 15 })
  await look()
  expect(receiver.deliveries).toHaveLength(1)
  app.clock.advance({ seconds: 6 })
  await look()
  await untilAttempt(2)
  app.clock.advance({ seconds: 60 })
  await look()
  expect(receiver.deliveries).toHaveLength(2)
  receiver.answers(204)
  app.clock.advance({ seconds: 11 })
  await look()
  await receiver.received(4)
  expect(cursorsOf(receiver)).toEqual([a.cursor, a.cursor, a.cursor, b.cursor])
  expect(receiver.deliveries.map(({ body }) => body.previousCursor)).toEqual([null, null, null, a.cursor])
  // The id is one message's, the time each attempt's.
  const headers = receiver.deliveries.slice(0, 3).map((delivery) => delivery.headers)
  expect(new Set(headers.map((one) => one['webhook-id'])).size).toBe(1)
  expect(new Set(headers.map((one) => one['webhook-timestamp'])).size).toBe(3)
})

test('WHK-09 D-65 after the third failure the event is skipped, and the next previousCursor tells', async () => {
  receiver.answers((response) => response.writeHead(503).end('x'.repeat(3000)))
  await create()
  await write('a')
  await write('b')
  const [a, b] = await events()
  for (let attempt = 1; attempt < 3; attempt++) {
    await untilAttempt(attempt)
    app.clock.advance({ seconds: 71 })
    await look()
  }
  const skipped = await until(({ lastCursor }) => lastCursor === a.cursor)
  await receiver.received(4)
  expect(skipped.lastFailure).toMatchObject({ cursor: a.cursor, attempts: 3, status: 503 })
  expect(Object.keys(skipped.lastFailure).sort()).toEqual(['at', 'attempts', 'cursor', 'error', 'status'])
  expect(receiver.deliveries[3]?.body).toMatchObject({ previousCursor: a.cursor, event: b })
})

test('WHK-09 a receiver that is not there fails as one that refuses', async () => {
  await create()
  await receiver.close()
  await write('a')
  const { lastFailure } = await untilAttempt(1)
  expect(lastFailure).toMatchObject({ status: null, error: 'The connection was refused.' })
})

test('WHK-10 a deleted webhook is not called again, neither for what is being retried nor for what follows', async () => {
  receiver.answers(500)
  const { webhook } = await create()
  await write('a')
  await untilAttempt(1)
  expect(await brain.call('DELETE', `/webhooks/${webhook.id}`)).toMatchObject({
    status: 200,
    body: { data: { deleted: true } },
  })
  await write('b')
  app.clock.advance({ minutes: 5 })
  await look()
  // Another webhook of the Brain is a sign that this node has looked.
  const other = await startReceiver()
  await brain.call('POST', '/webhooks', { url: other.url })
  await write('c')
  await other.received(1)
  await other.close()
  expect(receiver.deliveries).toHaveLength(1)
  expect((await brain.call('DELETE', `/webhooks/${webhook.id}`)).status).toBe(404)
})

test('WHK-10 a webhook that is deleted while its receiver answers gets nothing more', async () => {
  const { webhook } = await create()
  receiver.answers(async (response) => {
    await brain.call('DELETE', `/webhooks/${webhook.id}`)
    response.end()
  })
  await Promise.all(Array.from({ length: 5 }, (_, n) => write(`r${n}`)))
  await receiver.received(1)
  const other = await startReceiver()
  await brain.call('POST', '/webhooks', { url: other.url })
  await write('after')
  await other.received(1)
  await other.close()
  expect(receiver.deliveries).toHaveLength(1)
})

test('D-65 rewinding goes back, or ahead, to a cursor at once', async () => {
  const { webhook } = await create()
  for (const id of ['a', 'b', 'c']) await write(id)
  await receiver.received(3)
  const all = await events()
  await until(({ pending }) => !pending)
  const rewound = await brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: all[0].cursor })
  expect(rewound.body.data.webhook).toMatchObject({
    id: webhook.id,
    lastCursor: all[0].cursor,
    behind: 2,
    pending: true,
  })
  await receiver.received(5)
  expect(cursorsOf(receiver).slice(3)).toEqual([all[1].cursor, all[2].cursor])
  receiver.answers(500)
  await write('d')
  await untilAttempt(1)
  await write('e')
  receiver.answers(204)
  const [, , , d, e] = await events()
  await brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: d.cursor })
  await receiver.received(7)
  expect(receiver.deliveries[6]?.body).toMatchObject({ previousCursor: d.cursor, event: { cursor: e.cursor } })
  expect((await brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: 'x' })).status).toBe(400)
})

test('D-65 for 24 hours after a rotation both secrets sign, the old one where it did; then the new one alone', async () => {
  const { webhook, secret: old } = await create()
  const rotated = await brain.call('POST', `/webhooks/${webhook.id}/rotate`)
  const { secret } = rotated.body.data
  expect(secret).not.toBe(old)
  expect(rotated.body.data.webhook.nextSecretFrom).toEqual(expect.any(String))
  expect((await brain.call('POST', `/webhooks/${webhook.id}/rotate`)).status).toBe(409)
  await write('a')
  app.clock.advance({ minutes: 24 * 60 - 1 })
  await write('b')
  await receiver.received(2)
  for (const delivery of receiver.deliveries) {
    expect(isSignedBy(delivery, old)).toBe(true)
    const next = {
      ...delivery,
      headers: { ...delivery.headers, 'x-service-signature': String(delivery.headers['x-service-signature-next']) },
    }
    expect(isSignedBy(next, secret)).toBe(true)
  }
  app.clock.advance({ minutes: 2 })
  await write('c')
  const [, , last] = await receiver.received(3)
  if (!last) throw new Error('nothing came')
  expect([isSignedBy(last, secret), isSignedBy(last, old)]).toEqual([true, false])
  expect(last.headers['x-service-signature-next']).toBeUndefined()
  expect((await list())[0].nextSecretFrom).toBeNull()
  const again = (await brain.call('POST', `/webhooks/${webhook.id}/rotate`)).body.data
  await write('d')
  const [, , , fourth] = await receiver.received(4)
  if (!fourth) throw new Error('nothing came')
  expect([isSignedBy(fourth, secret), isSignedBy(fourth, again.secret)]).toEqual([true, false])
})

test('D-65 the latest attempts are listed, newest first and bounded, with what came back and no secret', async () => {
  const { webhook, secret } = await create()
  const deliveries = async () => (await brain.call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data.deliveries
  expect(await deliveries()).toEqual([])
  receiver.answers((response) => response.writeHead(500).end('y'.repeat(5000)))
  await write('a')
  await untilAttempt(1)
  receiver.answers(200)
  app.clock.advance({ seconds: 21 })
  await look()
  await until(({ pending }) => !pending)
  const [a] = await events()
  const [second, first] = await deliveries()
  expect(second).toEqual({
    ...{ cursor: a.cursor, type: 'record.accepted', attempt: 2, at: expect.any(String), outcome: 'delivered' },
    ...{ status: 200, error: null, answer: 'thanks', milliseconds: expect.any(Number) },
  })
  expect(first).toMatchObject({ attempt: 1, outcome: 'retrying', status: 500, answer: 'y'.repeat(1024) })
  await Promise.all(Array.from({ length: 120 }, (_, n) => write(`r${n}`)))
  await receiver.received(122)
  const last = (await events()).at(-1).cursor
  await until(({ lastCursor }) => lastCursor === last)
  const kept = await deliveries()
  expect(kept).toHaveLength(100)
  expect(kept[0].cursor).toBe(last)
  expect(JSON.stringify(kept)).not.toContain(secret)
})

test('BRN-05 D-23 a deleted Brain’s webhooks are sent its last event, and then they are gone', async () => {
  await create()
  await write('a')
  await receiver.received(1)
  receiver.answers(500)
  await write('b')
  await untilAttempt(1)
  await brain.call('DELETE', '')
  await worker('erase deleted Brains')
  receiver.answers(204)
  app.clock.advance({ seconds: 21 })
  await look()
  await receiver.received(4)
  const [, , b, farewell] = receiver.deliveries.map(({ body }) => body)
  expect(farewell).toMatchObject({
    previousCursor: b.event.cursor,
    event: { type: 'availability.changed', data: { to: 'deleted' } },
  })
  const left = async () =>
    (
      await app.database.pool.query('select from brain_webhooks join brains using (brain_id) where brains.id = $1', [
        brain.brain.id,
      ])
    ).rowCount
  while ((await left()) !== 0) await worker('erase deleted Brains')
  const again = await addBrain(app, member, brain.brain.handle)
  expect((await again.call('GET', '/webhooks')).body.data.webhooks).toEqual([])
  await again.call('PUT', '/records/new', { kind: 'k' })
  await look()
  expect(receiver.deliveries).toHaveLength(4)
})

test('D-23 an hour after its deletion a Brain sends its webhooks the last event alone', async () => {
  receiver.answers(500)
  await create()
  for (const id of ['a', 'b', 'c']) await write(id)
  await untilAttempt(1)
  const [, , c] = await events()
  await brain.call('DELETE', '')
  receiver.answers(204)
  app.clock.advance({ minutes: 61 })
  await look()
  await receiver.received(2)
  expect(receiver.deliveries[1]?.body).toMatchObject({
    previousCursor: c.cursor,
    event: { type: 'availability.changed' },
  })
})

test('D-65 a webhook outlives the key that made it', async () => {
  const minted = await brain.call('POST', '/keys', { name: 'maker', capabilities: ['admin', 'read'] })
  await brain.call('POST', '/webhooks', { url: receiver.url }, { key: minted.body.data.secret })
  await brain.call('DELETE', `/keys/${minted.body.data.key.id}`)
  await write('a')
  await receiver.received(1)
})

test('WHK-02 D-67 an address is checked again at each delivery', async () => {
  const { webhook } = await create()
  // As if the name had been taken for a public one when the webhook was made.
  await app.database.pool.query('update brain_webhooks set url = $1 where id = $2', [
    receiver.url.replace('127.0.0.1', '127.0.0.2'),
    webhook.id,
  ])
  await write('a')
  expect((await untilAttempt(1)).lastFailure).toMatchObject({ status: null, error: expect.stringContaining('public') })
  expect(receiver.deliveries).toHaveLength(0)
})

test('D-65 a lost wake costs time and no event', async () => {
  await create()
  const [{ brainId, cursorKey, position }] = (
    await app.database.pool.query(
      'select brain_id as "brainId", cursor_key as "cursorKey", position from brains where id = $1',
      [brain.brain.id],
    )
  ).rows
  const { placeEvents } = await import('../events/events.ts')
  const [row] = placeEvents({ brainId: Number(brainId), cursorKey }, Number(position), app.clock.now().toISOString(), [
    { type: 'change.staged', data: { change: 'chg_x' } },
  ])
  await app.database.pool.query('insert into events (brain_id, position, type, event) values ($1, $2, $3, $4)', [
    brainId,
    row?.position,
    row?.type,
    row?.event,
  ])
  await app.database.pool.query('update brains set position = $2 where brain_id = $1', [brainId, row?.position])
  for (let turn = 0; turn < 10; turn++) await look()
  await receiver.received(1)
})

test('D-65 a secret that the service can no longer open stops the webhook without skipping, until it is rotated', async () => {
  const { webhook } = await create()
  await app.database.pool.query(`update brain_webhooks set secret = '\\x00' where id = $1`, [webhook.id])
  await write('a')
  await until(({ lastFailure }) => lastFailure !== null)
  expect((await brain.call('POST', `/webhooks/${webhook.id}/test`)).status).toBe(409)
  const { secret } = (await brain.call('POST', `/webhooks/${webhook.id}/rotate`)).body.data
  app.clock.advance({ minutes: 2 })
  await look()
  const [delivery] = await receiver.received(1)
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
})
