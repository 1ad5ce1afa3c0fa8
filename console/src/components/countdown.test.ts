import { expect, test } from 'vitest'
import { toTimeLeft } from './countdown.tsx'

test('the remaining time has minutes and seconds, and hours from an hour on', () => {
  expect([1, 999, 1_000, 59_000, 60_000, 751_000].map(toTimeLeft)).toEqual([
    '0:01',
    '0:01',
    '0:01',
    '0:59',
    '1:00',
    '12:31',
  ])
  expect(toTimeLeft(3 * 3_600_000 + 5 * 60_000)).toBe('3 h 05 min')
})
