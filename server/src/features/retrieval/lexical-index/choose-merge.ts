import type { Segment } from './indexing-queries.ts'

/** Segments that may stand side by side before some are merged. */
const mostSegments = 6
/** Passages of a segment that is not merged any more: what bounds the time that a merge takes. */
const largest = 65_536
/** A merge takes in the next older segment while that is at most this many times what it has. */
const ratio = 2
const fewest = 4

const sizeOf = ({ firstPassage, lastPassage }: Segment): number => lastPassage - firstPassage + 1

/**
 * Which segments to merge, if any: neighbours from the newest back, as long as each is not much larger than all that are
 * newer (RocksDB calls this universal compaction). Each posting is then moved about as often as the Brain doubles.
 */
export const chooseMerge = (segments: readonly Segment[]): Segment[] => {
  const sealed = segments.findLastIndex((segment) => sizeOf(segment) > largest / 2)
  const open = segments.slice(sealed + 1)
  if (open.length <= mostSegments) return []
  let begin = open.length
  let total = 0
  for (const segment of open.toReversed()) {
    const size = sizeOf(segment)
    const isEnough = open.length - begin >= fewest && size > total * ratio
    if (isEnough || (total + size > largest && open.length - begin >= 2)) break
    total += size
    begin--
  }
  return open.slice(begin)
}
