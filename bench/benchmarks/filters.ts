import type { Benchmark } from '../parts/benchmark.ts'
import { measureFilters } from '../parts/search-subjects.ts'

const size = 100_000

export const filters: Benchmark = {
  name: 'filters',
  about: `Hybrid searches over HTTP, one after the other, in a Brain of ${size.toLocaleString('en')} passages, with a filter that keeps one passage of a hundred.`,
  floor: 'The same searches of the same node without a filter.',
  run: (bench) => measureFilters(bench, size),
}
