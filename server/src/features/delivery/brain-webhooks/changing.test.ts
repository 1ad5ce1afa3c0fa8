import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { isSignedBy, startReceiver } from '../../../test/receiver.ts'
import { useWebhooks } from './use-webhooks.fixture.ts'

const { scene, worker, list, until, look, create, write, events, cursors, untilAttempt } = useWebhooks()

/** Writes and waits until another webhook of the Brain has it: a sign that this node has looked. */
const untilAnotherGets = async (id: string) => {
  const other = await startReceiver()
  await scene.brain.call('POST', '/webhooks', { url: other.url })
  await write(id)
  await other.received(1)
  await other.close()
}

test('WHK-10 a deleted webhook is not called again, neither for what is being retried nor for what follows', async () => {
  scene.receiver.answers(500)
  const { webhook } = await create()
  await write('a')
  await untilAttempt(1)
  expect(await scene.brain.call('DELETE', `/webhooks/${webhook.id}`)).toMatchObject({
    status: 200,
    body: { data: { deleted: true } },
  })
  await write('b')
  scene.app.clock.advance({ minutes: 5 })
  await look()
  await untilAnotherGets('c')
  expect(scene.receiver.deliveries).toHaveLength(1)
  expect((await scene.brain.call('DELETE', `/webhooks/${webhook.id}`)).status).toBe(404)
})

test('WHK-10 a webhook that is deleted while its receiver answers gets nothing more', async () => {
  const { webhook } = await create()
  scene.receiver.answers(async (response) => {
    await scene.brain.call('DELETE', `/webhooks/${webhook.id}`)
    response.end()
  })
  await Promise.all(Array.from({ length: 5 }, (_, n) => write(`r${n}`)))
  await scene.receiver.received(1)
  await untilAnotherGets('after')
  expect(scene.receiver.deliveries).toHaveLength(1)
})

test('D-65 rewinding goes back, or ahead, to a cursor at once', async () => {
  const { webhook } = await create()
  for (const id of ['a', 'b', 'c']) await write(id)
  await scene.receiver.received(3)
  const all = await events()
  await until(({ pending }) => !pending)
  const rewound = await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: all[0].cursor })
  expect(rewound.body.data.webhook).toMatchObject({
    id: webhook.id,
    lastCursor: all[0].cursor,
    behind: 2,
    pending: true,
  })
  await scene.receiver.received(5)
  expect(cursors().slice(3)).toEqual([all[1].cursor, all[2].cursor])
  scene.receiver.answers(500)
  await write('d')
  await untilAttempt(1)
  await write('e')
  scene.receiver.answers(204)
  const [, , , d, e] = await events()
  await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: d.cursor })
  await scene.receiver.received(7)
  expect(scene.receiver.deliveries[6]?.body).toMatchObject({ previousCursor: d.cursor, event: { cursor: e.cursor } })
  expect((await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, { after: 'x' })).status).toBe(400)
})

test('D-65 for 24 hours after a rotation both secrets sign, the old one where it did; then the new one alone', async () => {
  const { webhook, secret: old } = await create()
  const rotated = await scene.brain.call('POST', `/webhooks/${webhook.id}/rotate`)
  const { secret } = rotated.body.data
  expect(secret).not.toBe(old)
  expect(rotated.body.data.webhook.nextSecretFrom).toEqual(expect.any(String))
  expect((await scene.brain.call('POST', `/webhooks/${webhook.id}/rotate`)).status).toBe(409)
  // Advancing the clock ends the lease of a delivery in progress, so it is sent again.
  const allSettled = () => until(({ pending }) => !pending)
  await write('a')
  await allSettled()
  scene.app.clock.advance({ minutes: 24 * 60 - 1 })
  await write('b')
  await allSettled()
  expect(scene.receiver.deliveries).toHaveLength(2)
  for (const delivery of scene.receiver.deliveries) {
    expect(isSignedBy(delivery, old)).toBe(true)
    const next = {
      ...delivery,
      headers: { ...delivery.headers, 'x-service-signature': String(delivery.headers['x-service-signature-next']) },
    }
    expect(isSignedBy(next, secret)).toBe(true)
  }
  scene.app.clock.advance({ minutes: 2 })
  await write('c')
  const [, , last] = await scene.receiver.received(3)
  if (!last) throw new Error('nothing came')
  expect([isSignedBy(last, secret), isSignedBy(last, old)]).toEqual([true, false])
  expect(last.headers['x-service-signature-next']).toBeUndefined()
  expect((await list())[0].nextSecretFrom).toBeNull()
  const again = (await scene.brain.call('POST', `/webhooks/${webhook.id}/rotate`)).body.data
  await write('d')
  const [, , , fourth] = await scene.receiver.received(4)
  if (!fourth) throw new Error('nothing came')
  expect([isSignedBy(fourth, secret), isSignedBy(fourth, again.secret)]).toEqual([true, false])
})

test('BRN-05 D-23 a deleted Brain’s webhooks are sent its last event, and then they are gone', async () => {
  await create()
  await write('a')
  await scene.receiver.received(1)
  scene.receiver.answers(500)
  await write('b')
  await untilAttempt(1)
  await scene.brain.call('DELETE', '')
  await worker('erase deleted Brains')
  scene.receiver.answers(204)
  scene.app.clock.advance({ seconds: 21 })
  await look()
  await scene.receiver.received(4)
  const [, , b, farewell] = scene.receiver.deliveries.map(({ body }) => body)
  expect(farewell).toMatchObject({
    previousCursor: b.event.cursor,
    event: { type: 'availability.changed', data: { to: 'deleted' } },
  })
  const left = async () =>
    (
      await scene.app.database.pool.query(
        'select from brain_webhooks join brains using (brain_id) where brains.id = $1',
        [scene.brain.brain.id],
      )
    ).rowCount
  while ((await left()) !== 0) await worker('erase deleted Brains')
  const again = await addBrain(scene.app, scene.member, scene.brain.brain.handle)
  expect((await again.call('GET', '/webhooks')).body.data.webhooks).toEqual([])
  await again.call('PUT', '/records/new', { kind: 'k' })
  await look()
  expect(scene.receiver.deliveries).toHaveLength(4)
})

test('D-23 an hour after its deletion a Brain sends its webhooks the last event alone', async () => {
  scene.receiver.answers(500)
  await create()
  for (const id of ['a', 'b', 'c']) await write(id)
  await untilAttempt(1)
  const [, , c] = await events()
  await scene.brain.call('DELETE', '')
  scene.receiver.answers(204)
  scene.app.clock.advance({ minutes: 61 })
  await look()
  await scene.receiver.received(2)
  expect(scene.receiver.deliveries[1]?.body).toMatchObject({
    previousCursor: c.cursor,
    event: { type: 'availability.changed' },
  })
})

test('D-65 the webhook of a revoked key waits until someone sets its address again, and misses nothing', async () => {
  const minted = await scene.brain.call('POST', '/keys', { name: 'maker', capabilities: ['admin', 'read'] })
  const { url } = scene.receiver
  const made = await scene.brain.call('POST', '/webhooks', { url }, { key: minted.body.data.secret })
  const { id } = made.body.data.webhook
  const revoked = await scene.brain.call('DELETE', `/keys/${minted.body.data.key.id}`)
  expect(revoked.body.data.paused.webhooks).toMatchObject([{ id }])
  await write('a')
  expect((await list())[0]).toMatchObject({ id, paused: true })
  expect((await scene.brain.call('PATCH', `/webhooks/${id}`, { url, paused: false })).status).toBe(200)
  await scene.receiver.received(1)
})

test('WHK-01 a key with admin alone pauses, resumes and deletes a webhook; it neither redirects it nor sees what it sends', async () => {
  const { webhook } = await create({ types: ['record.accepted'] })
  const admin = await scene.brain.mintKey(['admin'])
  const own = await startReceiver()
  const call = (method: string, below: string, body?: object, key = admin) =>
    scene.brain.call(method, `/webhooks/${webhook.id}${below}`, body, { key })
  const refused = [
    await call('PATCH', '', { url: own.url }),
    await call('PATCH', '', { types: null }),
    await call('PATCH', '', { paused: false, url: own.url }),
    await call('POST', '/test'),
    await call('POST', '/rewind', { after: (await scene.brain.call('GET', '/events')).body.data.cursor }),
    await call('POST', '/rotate'),
    await call('GET', '/deliveries'),
  ]
  const message = 'This call needs read; the key has admin.'
  expect(refused.map(({ status, body }) => [status, body.error?.message])).toEqual(refused.map(() => [403, message]))
  await write('a')
  await scene.receiver.received(1)
  expect(own.deliveries).toEqual([])
  expect((await list())[0]).toMatchObject({ url: scene.receiver.url, types: ['record.accepted'] })
  expect((await call('PATCH', '', { paused: true })).body.data.webhook.paused).toBe(true)
  expect((await call('PATCH', '', { paused: false })).body.data.webhook.paused).toBe(false)
  const both = await scene.brain.mintKey(['admin', 'read'])
  expect((await call('PATCH', '', { url: own.url, types: null }, both)).status).toBe(200)
  expect((await call('DELETE', '')).status).toBe(200)
  await own.close()
})
