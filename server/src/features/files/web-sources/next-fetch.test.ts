import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findNextRefresh, findNextTry } from './next-fetch.ts'

const hour = 3_600_000
const time = fc.date({ min: new Date('2025-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
const hours = fc.integer({ min: 1, max: 8_760 })

test('WEB-03 refreshes come at whole intervals, between half of one and one and a half ahead', () => {
  fc.assert(
    fc.property(time, hours, fc.nat(100_000_000_000), (createdAt, refreshHours, passed) => {
      const now = new Date(createdAt.getTime() + passed)
      const next = findNextRefresh({ createdAt, refreshHours }, now)?.getTime() ?? 0
      const interval = refreshHours * hour
      expect((next - createdAt.getTime()) % interval).toBe(0)
      expect(next - now.getTime()).toBeGreaterThanOrEqual(interval / 2)
      expect(next - now.getTime()).toBeLessThanOrEqual(interval * 1.5)
    }),
  )
})

test('WEB-05 a page that failed is tried again sooner a few times, and never before its site allows', () => {
  const createdAt = new Date('2026-01-01')
  const rhythm = { createdAt, refreshHours: 24 }
  const after = (failures: number, more: object = {}) =>
    ((findNextTry(rhythm, { isPassing: true, failures, ...more }, createdAt)?.getTime() ?? 0) - createdAt.getTime()) /
    hour
  expect([1, 2, 3, 4].map((failures) => after(failures))).toEqual([0.25, 1, 4, 24])
  expect(after(1, { isPassing: false })).toBe(24)
  expect(after(1, { retryAt: new Date(createdAt.getTime() + 30 * hour) })).toBe(30)
  expect(after(2, { retryAt: new Date(createdAt.getTime() + hour / 2) })).toBe(1)
})

test('WEB-05 a source without an interval tries a few times, and then waits for a request', () => {
  const now = new Date('2026-01-01')
  const rhythm = { createdAt: now, refreshHours: null }
  expect(findNextRefresh(rhythm, now)).toBeNull()
  expect(findNextTry(rhythm, { isPassing: true, failures: 3 }, now)).toEqual(new Date(now.getTime() + 4 * hour))
  expect(findNextTry(rhythm, { isPassing: true, failures: 4 }, now)).toBeNull()
})
