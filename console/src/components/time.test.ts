import { expect, test } from 'vitest'
import { relativeTime } from './time.tsx'

const now = Date.parse('2026-03-01T12:00:00.000Z')
const say = (seconds: number) => relativeTime(new Date(now + seconds * 1_000).toISOString(), now)

test('a time counts from now, in its largest unit', () => {
  const [minute, hour, day] = [60, 3_600, 86_400]
  expect([-9, 9, -10, -59, -3 * minute, 2 * minute, -hour, -5 * hour].map(say)).toEqual([
    'just now',
    'just now',
    '10 sec. ago',
    '59 sec. ago',
    '3 min. ago',
    'in 2 min.',
    '1 hr. ago',
    '5 hr. ago',
  ])
  expect([-day, day, -2 * day, 3 * day, -40 * day, -800 * day].map(say)).toEqual([
    'yesterday',
    'tomorrow',
    '2 days ago',
    'in 3 days',
    '1 mo. ago',
    '2 yr. ago',
  ])
})
