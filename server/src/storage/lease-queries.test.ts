import { expect, test } from 'vitest'
import { findStanding } from './lease-queries.ts'

test('of two outcomes for one lease that are stored together, only the valid one is confirmed', () => {
  const ofLease = (lease: string) => ({ brainId: 1, id: 'whk_1', lease })
  expect(findStanding([ofLease('before'), ofLease('now')], [ofLease('now')])).toEqual([false, true])
})
