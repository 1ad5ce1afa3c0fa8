import { expect, test } from 'vitest'
import { announce } from '../../platform/outbox/outbox.ts'
import { supervise } from './supervise.fixture.ts'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, create, correct, deliveries, until, pass } = useOrganization()

test('OWH-05 an attempt whose node went away is made again', async () => {
  const { webhook } = await create()
  await correct()
  await until(webhook.id, { state: 'delivered' })
  const { pool } = scene.app.database
  // What a node leaves that was lost between fetching a job and settling it: the job active, the delivery as it was.
  await pool.query(`update organization_deliveries set state = 'pending', attempts = 0`)
  await pool.query(
    `update jobs.job set state = 'active', completed_on = null, started_on = now() - interval '2 minutes'`,
  )
  await supervise(scene.app)
  await pass(5)
  await scene.receiver.received(2)
  expect(await until(webhook.id, { state: 'delivered' })).toMatchObject({ attempts: 1 })
})

test('OWH-05 two nodes deliver each announcement once while neither fails', async () => {
  const node = await scene.app.startNode()
  const { webhook } = await create()
  for (let n = 0; n < 12; n++) await correct()
  await scene.receiver.received(12)
  await until(webhook.id, { state: 'delivered' })
  await node.close()
  await correct()
  await scene.receiver.received(13)
  const ids = scene.receiver.deliveries.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(13)
  expect(await deliveries(webhook.id)).toHaveLength(13)
})

test('OWH-05 an announcement that cannot be told holds up no other', async () => {
  const { webhook } = await create()
  const data = { brainId: 'no number' }
  const { organizationId } = scene.brain
  const statement = announce({ organizationId, event: 'knowledge.corrected', at: new Date(), scope: {}, data })
  await statement.execute(scene.app.app.db)
  await correct()
  await until(webhook.id, { state: 'delivered' })
  const { rows } = await scene.app.database.pool.query('delete from announcements returning data')
  expect(rows).toEqual([{ data }])
})
