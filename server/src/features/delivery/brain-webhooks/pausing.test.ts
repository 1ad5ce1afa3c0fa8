import { expect, test } from 'vitest'
import { startReceiver } from '../../../test/receiver.ts'
import { useWebhooks } from './use-webhooks.fixture.ts'

const { scene, look, list, until, create, write, events, cursors, untilAttempt } = useWebhooks()

const patch = (id: string, body: object) => scene.brain.call('PATCH', `/webhooks/${id}`, body)

test('D-65 a webhook that is paused keeps its place and sends nothing, not even what was being retried, until it is resumed', async () => {
  scene.receiver.answers(500)
  const { webhook } = await create()
  await write('a')
  await untilAttempt(1)
  const paused = await patch(webhook.id, { paused: true })
  expect(paused).toMatchObject({
    status: 200,
    body: { data: { webhook: { id: webhook.id, paused: true, pending: true, behind: 1, nextAttemptAt: null } } },
  })
  await write('b')
  scene.app.clock.advance({ minutes: 60 })
  await look()
  const rewound = await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, { from: (await events())[0].cursor })
  expect(rewound.body.data.webhook).toMatchObject({ paused: true, behind: 2 })
  expect(scene.receiver.deliveries).toHaveLength(1)
  scene.receiver.answers(204)
  expect((await patch(webhook.id, { paused: false })).body.data.webhook).toMatchObject({ paused: false, behind: 2 })
  await scene.receiver.received(3)
  expect(cursors().slice(1)).toEqual((await events()).map(({ cursor }: { cursor: string }) => cursor))
})

test('D-65 a webhook shows how often its next event failed, and when it is tried again', async () => {
  scene.receiver.answers(500)
  await create()
  expect(await list()).toMatchObject([{ attempts: 0, nextAttemptAt: null, paused: false }])
  await write('a')
  await untilAttempt(1)
  const [{ attempts, nextAttemptAt, failingSince }] = await list()
  expect([attempts, failingSince]).toEqual([1, expect.any(String)])
  const seconds = (Date.parse(nextAttemptAt) - scene.app.clock.now().getTime()) / 1000
  expect(seconds).toBeGreaterThan(10)
  expect(seconds).toBeLessThan(40)
})

test('D-65 a webhook is led elsewhere and receives other types from then on, and what it was sending goes there', async () => {
  const other = await startReceiver()
  scene.receiver.answers(500)
  const { webhook } = await create({ types: ['record.accepted'] })
  await write('a')
  await untilAttempt(1)
  expect((await patch(webhook.id, { url: other.url })).body.data.webhook).toMatchObject({
    url: other.url,
    types: ['record.accepted'],
  })
  await other.received(1)
  expect(scene.receiver.deliveries).toHaveLength(1)
  expect((await patch(webhook.id, { types: null })).body.data.webhook.types.length).toBeGreaterThan(5)
  expect((await patch(webhook.id, { url: 'http://10.1.2.3/' })).status).toBe(400)
  expect((await patch(webhook.id, { types: ['nothing.known'] })).status).toBe(400)
  expect((await patch('whk_none', { paused: true })).status).toBe(404)
  await other.close()
})

test('D-65 an event is sent again with all that follow it by rewinding from its cursor', async () => {
  const { webhook } = await create()
  for (const id of ['a', 'b', 'c']) await write(id)
  await scene.receiver.received(3)
  await until(({ pending }) => !pending)
  const all = await events()
  await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, { from: all[1].cursor })
  await scene.receiver.received(5)
  expect(cursors().slice(3)).toEqual([all[1].cursor, all[2].cursor])
  const both = { from: all[1].cursor, after: all[1].cursor }
  expect((await scene.brain.call('POST', `/webhooks/${webhook.id}/rewind`, both)).status).toBe(400)
})

test('a Brain that is deleted is erased, though a webhook of it is paused', async () => {
  const { webhook } = await create()
  await patch(webhook.id, { paused: true })
  await write('a')
  await scene.app.request('DELETE', `/v1/brains/${scene.brain.brain.handle}`, { key: scene.brain.key })
  const find = () => scene.app.database.pool.query('select from brain_webhooks where id = $1', [webhook.id])
  expect((await find()).rowCount).toBe(1)
  scene.app.clock.advance({ days: 2 })
  const erase = scene.app.app.workers.find(({ name }) => name.includes('eras'))
  await erase?.run()
  expect((await find()).rowCount).toBe(0)
})
