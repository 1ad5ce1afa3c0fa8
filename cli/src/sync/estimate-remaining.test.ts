import { expect, test } from 'vitest'
import { createEstimate, describeSeconds } from './estimate-remaining.ts'

test('the rest is estimated from what was done since most was left', () => {
  const estimate = createEstimate()
  expect(estimate(304, 0)).toEqual({ done: 0, total: 304, left: 304, secondsLeft: undefined })
  expect(estimate(635, 10_000)).toEqual({ done: 0, total: 635, left: 635, secondsLeft: undefined })
  expect(estimate(508, 20_000)).toEqual({ done: 127, total: 635, left: 508, secondsLeft: 40 })
})

test.each([
  [1, 'about 1 s'],
  [89, 'about 89 s'],
  [90, 'about 2 min'],
  [3_600, 'about 60 min'],
  [7_200, 'about 2 h'],
])('%i seconds are %s', (seconds, text) => {
  expect(describeSeconds(seconds)).toBe(text)
})
