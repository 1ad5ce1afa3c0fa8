import { expect, test } from 'vitest'
import { isSignedBy, startReceiver } from '../../../test/receiver.ts'
import { useWebhooks } from './use-webhooks.fixture.ts'

const { scene, until, create, write, events, cursors } = useWebhooks()

test('WHK-04 WHK-05 WHK-08 an event goes out as it is committed, exactly as the read lists it', async () => {
  await write('before')
  const { webhook, secret } = await create()
  await write('a')
  await write('b')
  await scene.receiver.received(2)
  const [, a, b] = await events()
  expect(scene.receiver.deliveries.map(({ body }) => body)).toEqual([
    { webhook: webhook.id, previousCursor: null, event: a },
    { webhook: webhook.id, previousCursor: a.cursor, event: b },
  ])
  const page = await fetch(`${scene.app.base}${scene.brain.path}/events`, {
    headers: { authorization: `Bearer ${scene.brain.key}` },
  }).then((answer) => answer.text())
  for (const { text } of scene.receiver.deliveries) expect(page).toContain(text.slice(text.indexOf('"event":') + 8, -1))
  for (const delivery of scene.receiver.deliveries) expect(isSignedBy(delivery, secret)).toBe(true)
  expect(await until(({ pending }) => !pending)).toMatchObject({ lastCursor: b.cursor, behind: 0, lastFailure: null })
})

test('WHK-06 the headers are those of the documentation, and those of Standard Webhooks', async () => {
  scene.app.clock.hold()
  const { secret } = await create()
  await write('a')
  const [delivery] = await scene.receiver.received(1)
  if (!delivery) throw new Error('nothing came')
  const { headers } = delivery
  expect(headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect(headers['content-type']).toBe('application/json')
  expect(headers['webhook-id']).toBe(delivery.body.event.cursor)
  expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(scene.app.clock.now().getTime() / 1000))
  expect(headers['x-service-signature-next']).toBeUndefined()
  expect(isSignedBy(delivery, secret)).toBe(true)
  expect(isSignedBy({ ...delivery, text: `${delivery.text} ` }, secret)).toBe(false)
})

test('WHK-04 with `after` a webhook begins after that cursor, which is its first previousCursor', async () => {
  for (const id of ['a', 'b', 'c']) await write(id)
  const [first, second, third] = await events()
  expect((await create({ after: first.cursor })).webhook.pending).toBe(true)
  await scene.receiver.received(2)
  expect(scene.receiver.deliveries.map(({ body }) => [body.previousCursor, body.event.cursor])).toEqual([
    [first.cursor, second.cursor],
    [second.cursor, third.cursor],
  ])
})

test('D-65 types chooses what is delivered, and what is left out moves the webhook on', async () => {
  await create({ types: ['record.deleted'] })
  await write('a')
  await scene.brain.call('DELETE', '/records/a')
  await write('b')
  await scene.brain.call('DELETE', '/records/b')
  await scene.receiver.received(2)
  const all = await events()
  const deleted = all.filter(({ type }: { type: string }) => type === 'record.deleted')
  expect(scene.receiver.deliveries.map(({ body }) => body.event)).toEqual(deleted)
  expect(scene.receiver.deliveries[1]?.body.previousCursor).toBe(deleted[0].cursor)
  await write('c')
  expect(await until(({ pending }) => !pending)).toMatchObject({ lastCursor: deleted[1].cursor, behind: 0 })
})

test('WHK-07 events arrive in the order of their commits, each after the one before was acknowledged', async () => {
  let open = 0
  let max = 0
  scene.receiver.answers((response) => {
    max = Math.max(max, ++open)
    setImmediate(() => {
      open--
      response.writeHead(200 + (scene.receiver.deliveries.length % 100)).end()
    })
  })
  await create()
  await Promise.all(Array.from({ length: 60 }, (_, n) => write(`r${n}`)))
  await scene.receiver.received(60)
  expect(cursors()).toEqual((await events()).map(({ cursor }: { cursor: string }) => cursor))
  expect(max).toBe(1)
})

test('WHK-08 D-67 receivers that are silent, drip, or answer without end delay no other', async () => {
  const bad = await Promise.all([
    startReceiver({ answer: () => undefined }),
    startReceiver({
      answer: (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write('x'), 50)
        response.on('close', () => clearInterval(timer))
      },
    }),
    startReceiver({
      answer: (response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more).writeHead(200)
        more()
      },
    }),
  ])
  for (const { url } of bad) await scene.brain.call('POST', '/webhooks', { url })
  await create()
  const began = performance.now()
  for (let n = 0; n < 20; n++) await write(`r${n}`)
  await scene.receiver.received(20)
  expect(performance.now() - began).toBeLessThan(9_000)
  // The endless one acknowledged each event by its status; the others still hold their first.
  await bad[2]?.received(20)
  expect(bad.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 20])
  for (const { close } of bad) await close()
})
