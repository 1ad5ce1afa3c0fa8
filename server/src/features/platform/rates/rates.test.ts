import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { useOwnApp } from '../../../test/harness.ts'
import { type Bucket, createRates } from './rates.ts'

const app = useOwnApp({ NOEMA_ROLES: 'http' })

test('D-09 a reported use is charged once even if the answer of the database is lost', async () => {
  let isHeard = false
  const losing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isHeard) throw new Error('Connection terminated unexpectedly')
      return result
    },
  }
  const rates = createRates({ db: app.app.db.withPlugin(losing), clock: app.clock })
  app.clock.hold()
  const bucket: Bucket = { label: 'key', name: 'key reported', rate: { perSecond: 1, burst: 10 } }
  for (let taken = 0; taken < 3; taken++) rates.take([bucket], app.clock.now())
  await expect(rates.share()).rejects.toThrow('Connection terminated')
  isHeard = true
  rates.take([bucket], app.clock.now())
  await rates.share()
  const { rows } = await app.database.pool.query(`select tokens from rate_buckets where name = 'key reported'`)
  expect(rows).toEqual([{ tokens: 6 }])
  expect(rates.peek([bucket], app.clock.now()).left).toBe(6)
})

test('D-09 a full bucket keeps what it gains between two uses, also where both are reported late and together', async () => {
  const rates = createRates({ db: app.app.db, clock: app.clock })
  app.clock.hold()
  const bucket: Bucket = { label: 'key', name: 'key late', rate: { perSecond: 2, burst: 5 } }
  const take = () => rates.take([bucket], app.clock.now()).isAllowed
  expect([take(), take(), take(), take(), take(), take()]).toEqual([true, true, true, true, true, false])
  app.clock.advance({ seconds: 1 })
  expect([take(), take(), take()]).toEqual([true, true, false])
  await rates.share()
  expect(take()).toBe(false)
  app.clock.advance({ seconds: 0.5 })
  expect([take(), take()]).toEqual([true, false])
  await rates.share()
  app.clock.advance({ seconds: 10 })
  expect(rates.peek([bucket], app.clock.now()).left).toBe(5)
})
