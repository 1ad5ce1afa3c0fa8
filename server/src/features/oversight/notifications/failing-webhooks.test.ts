import { expect, test } from 'vitest'
import { useWebhooks } from '../../delivery/brain-webhooks/use-webhooks.fixture.ts'
import { asReader } from './use-notifications.fixture.ts'

const { scene, create, write, untilAttempt, look, until } = useWebhooks()
const open = () => asReader(scene.app, scene.member.session).open()

test('NTF-05 a webhook that fails and skips for long is one notification, until a delivery arrives', async () => {
  scene.receiver.answers(500)
  const { webhook } = await create()
  await write('one')
  await untilAttempt(1)
  const [reported] = await open()
  expect(reported).toMatchObject({
    ...{ kind: 'webhook.failing', brain: scene.brain.brain.handle },
    target: { type: 'brain_webhook', id: webhook.id, name: expect.stringMatching(/^127\.0\.0\.1:\d+$/) },
  })
  for (const attempts of [2, 3]) {
    scene.app.clock.advance({ minutes: 2 })
    await look()
    await untilAttempt(attempts)
  }
  await until(({ pending }) => !pending)
  expect(await open()).toMatchObject([{ id: reported?.id, at: reported?.at }])
  scene.receiver.answers(204)
  await write('two')
  await until(({ pending, lastCursor }) => !pending && lastCursor !== null)
  expect(await open()).toEqual([])
})

test("NTF-05 an organization's webhook fails while its newest delivery that was tried has not arrived", async () => {
  const { session, key } = scene.member
  // The pending delivery does not arrive, even if it is tried meanwhile.
  scene.receiver.answers(500)
  const given = { url: scene.receiver.url, events: ['knowledge.corrected'] }
  const { webhook } = (await scene.app.request('POST', '/v1/webhooks', { key, body: given })).body.data
  const add = (id: string, state: string, attempts: number) =>
    scene.app.database.pool.query(
      `insert into organization_deliveries (id, webhook_id, event, body, state, attempts, created_at)
       values ($1, $2, 'knowledge.corrected', '{}', $3, $4, now())`,
      [id, webhook.id, state, attempts],
    )
  await add('dlv_1', 'failed', 8)
  await add('dlv_2', 'pending', 0)
  const list = () => asReader(scene.app, session).open()
  expect(await list()).toMatchObject([{ kind: 'webhook.failing', target: { type: 'webhook', id: webhook.id } }])
  await add('dlv_3', 'delivered', 1)
  expect(await list()).toEqual([])
})
