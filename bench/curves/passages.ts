import type { Curve } from '../parts/benchmark.ts'
import { aboutSearch, measureSearches } from '../parts/search-subjects.ts'

export const passages: Curve = {
  name: 'passages',
  of: 'passages',
  sizes: [1_000, 10_000, 100_000, 1_000_000],
  about:
    'Work that takes longer the more passages a Brain has: searches over HTTP, one after the other, on a node with room for all of them in memory. Each passage joins the halves of two real texts, and its vector lies between theirs and is stored by SQL: the model would take hours for a million.',
  ...aboutSearch,
  runAt: measureSearches,
}
