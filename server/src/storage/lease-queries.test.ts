import { expect, test } from 'vitest'
import { findStanding } from './lease-queries.ts'

test('of two leases of one row that are settled together, only the one that stands is told so', () => {
  const ofLease = (lease: string) => ({ brainId: 1, id: 'whk_1', lease })
  expect(findStanding([ofLease('before'), ofLease('now')], [ofLease('now')])).toEqual([false, true])
})
