import type { Benchmark } from '../parts/benchmark.ts'
import { aboutSearch, measureSearches } from '../parts/search-subjects.ts'

const size = 20_000

export const search: Benchmark = {
  name: 'search',
  about: `Searches over HTTP, one after the other, in a Brain of ${size.toLocaleString('en')} passages. Each passage joins the halves of two real texts, and its vector lies between theirs.`,
  ...aboutSearch,
  run: (bench) => measureSearches(bench, size),
}
