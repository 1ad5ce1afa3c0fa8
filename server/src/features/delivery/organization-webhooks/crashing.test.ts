import { expect, test } from 'vitest'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, create, correct, deliveries, until, pass, look, emit } = useOrganization()

test('OWH-05 an attempt whose node went away is made again', async () => {
  const { webhook } = await create()
  await correct()
  await until(webhook.id, { state: 'delivered' })
  const { pool } = scene.app.database
  // The state after a node died between leasing and storing the outcome: a lease without a node.
  await pool.query(`update organization_deliveries set state = 'pending', attempts = 0, lease = 'gone', due_at = $1`, [
    new Date(scene.app.clock.now().getTime() + 30_000),
  ])
  await look()
  expect(scene.receiver.deliveries).toHaveLength(1)
  pass(31)
  await scene.receiver.received(2)
  expect(await until(webhook.id, { state: 'delivered' })).toMatchObject({ attempts: 1 })
})

test('OWH-05 two nodes deliver each event once while neither fails', async () => {
  const node = await scene.app.startNode()
  const { webhook } = await create()
  for (let n = 0; n < 12; n++) await correct()
  await scene.receiver.received(12)
  // A delivery without an outcome is sent again after its node has died.
  const listStates = async () => (await deliveries(webhook.id)).map(({ state }: { state: string }) => state)
  await expect.poll(listStates).toEqual(Array(12).fill('delivered'))
  await node.close()
  await correct()
  await scene.receiver.received(13)
  const ids = scene.receiver.deliveries.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(13)
  expect(await deliveries(webhook.id)).toHaveLength(13)
})

test('OWH-05 an event whose delivery fails to be built does not hold up others, and is retried later and later', async () => {
  // No second attempt happens before the test looks.
  scene.app.clock.hold()
  const { webhook } = await create()
  const data = { brainId: 'no number' }
  await emit({ event: 'knowledge.corrected', scope: {}, data })
  await correct()
  await until(webhook.id, { state: 'delivered' })
  const left = () => scene.app.database.pool.query('select data, attempts from outbox')
  await expect.poll(async () => (await left()).rows).toEqual([{ data, attempts: 1 }])
  pass(2)
  await expect.poll(async () => (await left()).rows).toEqual([{ data, attempts: 2 }])
  await scene.app.database.pool.query('delete from outbox')
})
