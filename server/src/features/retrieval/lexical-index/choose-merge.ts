import type { Segment } from './search-queries.ts'

/** The number of segments from which some are merged. */
const maxSegments = 6
/** The passages of a segment that is not merged any more: this bounds the time of a merge. */
const maxPassages = 65_536
/** A merge includes the next older segment while that is at most this many times as large. */
const ratio = 2
const minMerged = 4

const countPassages = ({ firstPassage, lastPassage }: Segment): number => lastPassage - firstPassage + 1

/**
 * The segments to merge, if any: neighbours from the newest back, as long as each is not much larger than all that are
 * newer (RocksDB calls this universal compaction). Each posting is then moved about as often as the Brain doubles.
 */
export const chooseMerge = (segments: readonly Segment[]): Segment[] => {
  const sealed = segments.findLastIndex((segment) => countPassages(segment) > maxPassages / 2)
  const open = segments.slice(sealed + 1)
  if (open.length <= maxSegments) return []
  let begin = open.length
  let total = 0
  for (const segment of open.toReversed()) {
    const size = countPassages(segment)
    const isEnough = open.length - begin >= minMerged && size > total * ratio
    if (isEnough || (total + size > maxPassages && open.length - begin >= 2)) break
    total += size
    begin--
  }
  return open.slice(begin)
}
