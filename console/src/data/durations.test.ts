import { expect, test } from 'vitest'
import { toBefore } from './durations.ts'

test('the time of a notification is in words, and an invalid duration stays unchanged', () => {
  expect(['P7D', 'P1M', 'P1DT12H', 'PT30M', 'P0D', 'P1.5D'].map(toBefore)).toEqual([
    '7 days before',
    '1 month before',
    '1 day 12 hours before',
    '30 minutes before',
    'when it comes',
    'P1.5D before',
  ])
})
