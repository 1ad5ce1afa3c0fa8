import { expect, test } from 'vitest'
import { isSignedBy } from '../../../test/receiver.ts'
import { positionEvents } from '../../kernel/stream/stream.ts'
import { useWebhooks } from './use-webhooks.fixture.ts'

const { scene, until, look, create, write, events, cursors, untilAttempt } = useWebhooks()

test('WHK-09 D-65 a failed delivery is tried at 0, about 20 and about 90 seconds, and holds back what follows', async () => {
  scene.receiver.answers(500)
  await create()
  await write('a')
  await write('b')
  const [a, b] = await events()
  expect(await untilAttempt(1)).toMatchObject({
    lastCursor: null,
    pending: true,
    lastFailure: { cursor: a.cursor, status: 500 },
  })
  scene.app.clock.advance({ seconds: 15 })
  await look()
  expect(scene.receiver.deliveries).toHaveLength(1)
  scene.app.clock.advance({ seconds: 6 })
  await look()
  await untilAttempt(2)
  scene.app.clock.advance({ seconds: 60 })
  await look()
  expect(scene.receiver.deliveries).toHaveLength(2)
  scene.receiver.answers(204)
  scene.app.clock.advance({ seconds: 11 })
  await look()
  await scene.receiver.received(4)
  expect(cursors()).toEqual([a.cursor, a.cursor, a.cursor, b.cursor])
  expect(scene.receiver.deliveries.map(({ body }) => body.previousCursor)).toEqual([null, null, null, a.cursor])
  // The id is one message's, the time each attempt's.
  const headers = scene.receiver.deliveries.slice(0, 3).map((delivery) => delivery.headers)
  expect(new Set(headers.map((one) => one['webhook-id'])).size).toBe(1)
  expect(new Set(headers.map((one) => one['webhook-timestamp'])).size).toBe(3)
})

test('WHK-09 D-65 after the third failure the event is skipped, and the next previousCursor shows it', async () => {
  scene.receiver.answers((response, { body }) => {
    response.writeHead(body.event.data.record.id === 'a' ? 503 : 204).end()
  })
  await create()
  await write('a')
  await write('b')
  const [a, b] = await events()
  for (let attempt = 1; attempt < 3; attempt++) {
    await untilAttempt(attempt)
    scene.app.clock.advance({ seconds: 71 })
    await look()
  }
  const skipped = await untilAttempt(3)
  await scene.receiver.received(4)
  expect(skipped.lastFailure).toMatchObject({ cursor: a.cursor, attempts: 3, status: 503 })
  expect(Object.keys(skipped.lastFailure).sort()).toEqual(['at', 'attempts', 'cursor', 'error', 'status'])
  expect(scene.receiver.deliveries[3]?.body).toMatchObject({ previousCursor: a.cursor, event: b })
})

test('WHK-09 D-65 after an event that was skipped because no answer came in time, the next waits for a minute', async () => {
  await create()
  scene.receiver.answers(500)
  await write('a')
  await write('b')
  for (let attempt = 1; attempt < 3; attempt++) {
    await untilAttempt(attempt)
    if (attempt === 2) scene.receiver.answers(() => undefined)
    scene.app.clock.advance({ seconds: 71 })
    await look()
  }
  await untilAttempt(3)
  scene.receiver.answers(204)
  scene.app.clock.advance({ seconds: 50 })
  await look()
  expect(scene.receiver.deliveries).toHaveLength(3)
  scene.app.clock.advance({ seconds: 11 })
  await look()
  await scene.receiver.received(4)
  const [a, b] = await events()
  expect(scene.receiver.deliveries[3]?.body).toMatchObject({ previousCursor: a.cursor, event: b })
})

test('WHK-09 a receiver that is not there fails as one that refuses', async () => {
  await create()
  await scene.receiver.close()
  await write('a')
  const { lastFailure } = await untilAttempt(1)
  expect(lastFailure).toMatchObject({ status: null, error: 'The connection was refused.' })
})

test('D-65 D-03 the latest attempts are listed in pages and bounded, with what came back and no secret', async () => {
  const { webhook, secret } = await create()
  const page = async (query = '') =>
    (await scene.brain.call('GET', `/webhooks/${webhook.id}/deliveries?order=desc${query}`)).body.data
  const deliveries = async () => (await page()).deliveries
  expect(await deliveries()).toEqual([])
  scene.receiver.answers((response) => response.writeHead(500).end('y'.repeat(5000)))
  await write('a')
  await untilAttempt(1)
  scene.receiver.answers(200)
  scene.app.clock.advance({ seconds: 21 })
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
  await scene.receiver.received(122)
  const last = (await events()).at(-1).cursor
  await until(({ lastCursor }) => lastCursor === last)
  const kept = await deliveries()
  expect(kept).toHaveLength(100)
  expect(kept[0].cursor).toBe(last)
  expect(JSON.stringify(kept)).not.toContain(secret)
  const first60 = await page('&limit=60')
  const rest = await page(`&limit=60&after=${first60.cursor}`)
  expect([first60.hasMore, rest.hasMore]).toEqual([true, false])
  expect([...first60.deliveries, ...rest.deliveries]).toEqual(kept)
  const oldest = (await scene.brain.call('GET', `/webhooks/${webhook.id}/deliveries?limit=1`)).body.data
  expect(oldest).toMatchObject({ deliveries: [kept.at(-1)], hasMore: true })
})

test('WHK-02 D-67 an address is checked again at each delivery', async () => {
  const { webhook } = await create()
  // As if the name had been taken for a public one when the webhook was made.
  await scene.app.database.pool.query('update brain_webhooks set url = $1 where id = $2', [
    scene.receiver.url.replace('127.0.0.1', '127.0.0.2'),
    webhook.id,
  ])
  await write('a')
  expect((await untilAttempt(1)).lastFailure).toMatchObject({ status: null, error: expect.stringContaining('public') })
  expect(scene.receiver.deliveries).toHaveLength(0)
})

test('D-65 a lost wake costs time and no event', async () => {
  await create()
  const [{ brainId, cursorKey, position }] = (
    await scene.app.database.pool.query(
      'select brain_id as "brainId", cursor_key as "cursorKey", position from brains where id = $1',
      [scene.brain.brain.id],
    )
  ).rows
  const [row] = positionEvents(
    { brainId: Number(brainId), cursorKey },
    Number(position),
    scene.app.clock.now().toISOString(),
    [{ type: 'change.staged', data: { change: 'chg_x' } }],
  )
  await scene.app.database.pool.query('insert into events (brain_id, position, type, event) values ($1, $2, $3, $4)', [
    brainId,
    row?.position,
    row?.type,
    row?.event,
  ])
  await scene.app.database.pool.query('update brains set position = $2 where brain_id = $1', [brainId, row?.position])
  for (let turn = 0; turn < 10; turn++) await look()
  await scene.receiver.received(1)
})

test('D-65 a secret that the service can no longer open stops the webhook without skipping, until it is rotated', async () => {
  const { webhook } = await create()
  await scene.app.database.pool.query(`update brain_webhooks set secret = '\\x00' where id = $1`, [webhook.id])
  await write('a')
  await until(({ lastFailure }) => lastFailure !== null)
  expect((await scene.brain.call('POST', `/webhooks/${webhook.id}/test`)).status).toBe(409)
  const { secret } = (await scene.brain.call('POST', `/webhooks/${webhook.id}/rotate`)).body.data
  scene.app.clock.advance({ minutes: 2 })
  await look()
  const [delivery] = await scene.receiver.received(1)
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
})

test('D-65 a delivery that outlives its lease changes nothing', async () => {
  let answerLate = () => {}
  scene.receiver.answers((response) => {
    answerLate = () => response.writeHead(500).end()
  })
  await create()
  await write('a')
  await scene.receiver.received(1)
  const [a] = await events()
  scene.receiver.answers(204)
  // The lease is over while the first attempt still waits for its answer: another turn takes the event over.
  scene.app.clock.advance({ seconds: 31 })
  await look()
  await until(({ lastCursor }) => lastCursor === a.cursor)
  answerLate()
  await write('b')
  await scene.receiver.received(3)
  const b = await until(({ lastCursor, pending }) => lastCursor !== a.cursor && !pending)
  expect(b.lastFailure).toBeNull()
  expect(scene.receiver.deliveries.map(({ body }) => body.previousCursor)).toEqual([null, null, a.cursor])
})
