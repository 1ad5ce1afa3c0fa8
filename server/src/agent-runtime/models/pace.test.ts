import { expect, test } from 'vitest'
import { createPaces } from './pace.ts'

test('one organization reads at one rate in however many streams, and others are not slowed', async () => {
  const paces = createPaces({ perSecond: 50_000, burst: 10_000 })
  const begun = performance.now()
  await paces('one').keep(10_000)
  await Promise.all(Array.from({ length: 4 }, () => paces('one').keep(5_000)))
  // 20,000 beyond the burst, at 50,000 a second.
  expect(performance.now() - begun).toBeGreaterThan(390)
  const ended: string[] = []
  const keep = (name: string, count: number) =>
    paces(name)
      .keep(count)
      .then(() => ended.push(name))
  await Promise.all([keep('one', 5_000), keep('other', 10_000)])
  expect(ended).toEqual(['other', 'one'])
})
