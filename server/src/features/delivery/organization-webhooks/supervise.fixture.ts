import { fromKysely, PgBoss } from 'pg-boss'
import type { TestApp } from '../../../test/app.ts'

/** Does what every node's queue does once a minute: gives out again the jobs that a node was lost with. */
export const supervise = async ({ app }: TestApp): Promise<void> => {
  const boss = new PgBoss({ db: fromKysely(app.db), schema: 'jobs', schedule: false, monitorIntervalSeconds: 1 })
  await boss.start()
  await boss.supervise('organization-webhooks')
  await boss.stop({ close: false })
}
