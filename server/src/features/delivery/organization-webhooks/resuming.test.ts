import { expect, test, vi } from 'vitest'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, call, create, correct, until } = useOrganization()

/** Waits until so many sessions of the database wait for a lock. */
const waitForLocks = (count: number) =>
  vi.waitFor(
    async () => {
      const { rows } = await scene.app.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rows.length).toBeGreaterThanOrEqual(count)
    },
    { timeout: 90_000 },
  )

test('OWH-06 an event whose delivery is made while a webhook is being resumed is sent, too', async () => {
  const { webhook } = await create()
  await call('PATCH', `/${webhook.id}`, { paused: true })
  await correct()
  await until(webhook.id, { state: 'pending' })
  const holder = await scene.app.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from organization_deliveries where webhook_id = $1 for update', [webhook.id])
  const resumed = call('PATCH', `/${webhook.id}`, { paused: false })
  await waitForLocks(1)
  await correct()
  await waitForLocks(2)
  await holder.query('commit')
  holder.release()
  expect((await resumed).status).toBe(200)
  await scene.receiver.received(2)
})
