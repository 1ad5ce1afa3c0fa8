import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

const addresses = fc.subarray(['1.1.1.1', '2.2.2.2', '3.3.3.3'], { minLength: 1 })

test('WEB-07 calls to one machine lie apart by the pause, however many names and addresses lead to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(addresses, { minLength: 2, maxLength: 6 }), async (calls) => {
      const pause = 12
      const pace = createPace(pause)
      const begun = performance.now()
      const starts = await Promise.all(
        calls.map(async (called) => {
          await pace(called, undefined)
          return { called, at: performance.now() }
        }),
      )
      for (const address of calls.flat()) {
        const times = starts.filter(({ called }) => called.includes(address)).map(({ at }) => at)
        expect(Math.max(...times) - begun).toBeGreaterThanOrEqual((times.length - 1) * pause)
      }
    }),
    { numRuns: 10 },
  )
})

test('WEB-07 waiting ends with the signal, and a pause of 0 waits for nothing', async () => {
  const pace = createPace(3_600_000)
  await pace(['1.1.1.1'], undefined)
  await pace(['2.2.2.2'], undefined)
  await expect(pace(['1.1.1.1'], AbortSignal.abort())).rejects.toThrow()
  const without = createPace(0)
  for (let times = 0; times < 3; times++) await without(['1.1.1.1'], undefined)
})
