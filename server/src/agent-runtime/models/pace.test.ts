import { expect, test } from 'vitest'
import { createPaces } from './pace.ts'

test('what a holder reads goes on at one rate in however many streams, and others are not slowed', async () => {
  const paces = createPaces({ perSecond: 50_000, burst: 10_000 })
  const begun = performance.now()
  await paces('one').keep(10_000)
  expect(performance.now() - begun).toBeLessThan(200)
  await Promise.all(Array.from({ length: 4 }, () => paces('one').keep(5_000)))
  // 20,000 beyond the burst, at 50,000 a second.
  expect(performance.now() - begun).toBeGreaterThan(390)
  const other = performance.now()
  await paces('other').keep(10_000)
  expect(performance.now() - other).toBeLessThan(200)
})
