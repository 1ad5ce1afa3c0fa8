import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLedClock } from './database-clock.ts'

const minute = 60_000
const delay = fc.integer({ min: 0, max: 2_000 })

test('a clock that is led by another differs from it by no more than its quickest answer took, and never jumps without need', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -minute, max: minute }),
      fc.array(fc.record({ there: delay, back: delay, pause: delay }), { minLength: 1, maxLength: 20 }),
      async (difference, questions) => {
        let time = 0
        let asked = 0
        const clock = createLedClock(
          async () => {
            time += questions[asked]?.there ?? 0
            const answer = time + difference
            time += questions[asked]?.back ?? 0
            return answer
          },
          () => time,
        )
        let quickest = Number.POSITIVE_INFINITY
        for (const { there, back, pause } of questions) {
          const before = time + there + back
          const foretold = clock.now().getTime() + there + back
          await clock.follow()
          expect(time).toBe(before)
          quickest = Math.min(quickest, there + back)
          const wrong = Math.abs(clock.now().getTime() - (time + difference))
          expect(wrong).toBeLessThanOrEqual(quickest + 1)
          // A correct time stays unchanged.
          if (asked > 0 && foretold === time + difference) expect(clock.now().getTime()).toBe(foretold)
          time += pause
          asked++
        }
      },
    ),
  ))

test('a clock that is led follows when the other is set', async () => {
  let [time, difference] = [1_000, 0]
  const clock = createLedClock(
    async () => time + difference,
    () => time,
  )
  await clock.follow()
  time += 500
  expect(clock.now().getTime()).toBe(1_500)
  difference = 45_000
  expect(clock.now().getTime()).toBe(1_500)
  await clock.follow()
  expect(clock.now().getTime()).toBe(46_500)
})
