import { expect, test } from 'vitest'
import { toBefore } from './durations.ts'

test('when a date is told of reads as words, and what cannot be read stands as it is', () => {
  expect(['P7D', 'P1M', 'P1DT12H', 'PT30M', 'P0D', 'P1.5D'].map(toBefore)).toEqual([
    '7 days before',
    '1 month before',
    '1 day 12 hours before',
    '30 minutes before',
    'when it comes',
    'P1.5D before',
  ])
})
