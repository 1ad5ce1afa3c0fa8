import type { Postings } from './postings.ts'
import { TopList } from './top-list.ts'
import type { Scored } from './types.ts'

// Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), a term at a time. Terms that can add most come
// first. Once the other terms cannot lift a new passage among the best, their long lists are only searched for passages that have
// a score already (MaxScore, Turtle & Flood 1995). The inner loop runs over flat arrays alone: it reads a hundred thousand postings
// in a millisecond.

/** The rate at which repetitions of a term stop counting (k1), and the penalty of long passages (b). */
const k1 = 1.2
const b = 0.6

/**
 * A term of a query: its weight, and its lists, which ascend by passage and do not overlap. `holders`: how many passages of all
 * searched Brains have it, where that is more than those in the lists. `share`: how far it counts as evidence, less than 1 if it is a
 * guess at what a word of the query means.
 */
export type QueryTerm = {
  term: string
  weight: number
  lists: readonly Postings[]
  holders?: number | undefined
  share?: number | undefined
}

/** The number of passages in some lists. */
export const countHolders = (lists: readonly Postings[]): number =>
  lists.reduce((sum, { passages }) => sum + passages.length, 0)

/** Passages numbered from `base`: their lengths in terms, and the states in which they are valid. */
export type SegmentColumns = { base: number; terms: Uint16Array; fromStates: Uint32Array; toStates: Uint32Array }

/** The passages that are searched. */
export type Collection = {
  /** The highest number of a passage. */
  lastPassage: number
  /** The number of passages in all searched Brains, and their average length. */
  passages: number
  averageTerms: number
  /** The state that is searched. */
  state: number
  /** 1 for each passage that passes the filters, if there are any. */
  filter: Uint8Array | undefined
  /** The indexed passages, and then those that are not indexed yet, if there are any. */
  segments: readonly SegmentColumns[]
}

type WeighedTerm = QueryTerm & {
  holders: number
  /** The maximum that a passage gets, however often it has the term. */
  factor: number
  /** The maximum that a passage gets for the highest count of the term in any passage. */
  maxGain: number
}

/** After this many postings no more passages are added: this bounds a query of common words alone. */
const maxPostings = 2_000_000

const weigh = ({ passages }: Collection, term: QueryTerm): WeighedTerm => {
  const own = countHolders(term.lists)
  const holders = term.holders ?? own
  const idf = Math.log(1 + (Math.max(passages, holders) - holders + 0.5) / (holders + 0.5))
  const factor = term.weight * idf * (k1 + 1)
  const times = Math.max(1, ...term.lists.map(({ maxTimes }) => maxTimes))
  return { ...term, holders: own, factor, maxGain: (factor * times) / (times + k1 * (1 - b)) }
}

const findSegment = ({ segments }: Collection, passage: number): SegmentColumns | undefined => {
  for (let at = segments.length - 1; at >= 0; at--) if ((segments[at]?.base ?? 0) <= passage) return segments[at]
  return undefined
}

/** The first index, within a range, whose number is not less than a number; numbers ascend. */
export const findIndex = (numbers: Uint32Array, number: number, from: number, to: number): number => {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** The score of a passage that the search may not answer, so that it is not checked again. */
const refused = -1
/** The score of a requested passage that has no term yet: almost 0, and different from the 0 of all others. */
const requested = Math.fround(1e-30)

/** The scores of a running search by passage, and the passages that have one. */
type Accumulator = { scores: Float32Array; touched: Uint32Array; count: number }

const reused: Accumulator = { scores: new Float32Array(0), touched: new Uint32Array(0), count: 0 }

/** The cleared accumulator. One serves every search, since each finishes before another begins. */
const clearAccumulator = (size: number): Accumulator => {
  if (reused.scores.length < size) {
    reused.scores = new Float32Array(Math.ceil(size * 1.5))
    reused.touched = new Uint32Array(reused.scores.length)
  } else reused.scores.fill(0, 0, size)
  reused.count = 0
  return reused
}

/** A list of a term, and the factors of its scores: see `gain`. */
type Weighing = { list: Postings; segment: SegmentColumns; factor: number; flat: number; slope: number }

/** The score that a passage of so many terms gets for a term that it has so often. */
const gain = (factor: number, flat: number, slope: number, often: number, terms: number): number =>
  (factor * often) / (often + flat + slope * terms)

/** Adds a list to the scores, also of passages that had none yet. */
const addList = (
  { list: { passages, times }, segment: { base, terms, fromStates, toStates }, factor, flat, slope }: Weighing,
  { state, filter }: Collection,
  accumulator: Accumulator,
): void => {
  const { scores, touched } = accumulator
  let { count } = accumulator
  for (let at = 0; at < passages.length; at++) {
    const passage = passages[at] ?? 0
    const score = scores[passage] ?? refused
    if (score < 0) continue
    const row = passage - base
    if (score === 0) {
      if ((fromStates[row] ?? 0) > state || (toStates[row] ?? 0) <= state || filter?.[passage] === 0) {
        scores[passage] = refused
        continue
      }
      touched[count++] = passage
    }
    scores[passage] = score + gain(factor, flat, slope, times[at] ?? 0, terms[row] ?? 0)
  }
  accumulator.count = count
}

/** A list that is this many times longer than the requested passages is searched by halves instead of read through. */
const farLonger = 8

/** Adds a list to the scores of those passages that have one; `touched` ascends. */
const addToTouched = (
  { list: { passages, times }, segment: { base, terms }, factor, flat, slope }: Weighing,
  { scores, touched, count }: Accumulator,
): void => {
  const { length } = passages
  const begin = findIndex(touched, passages[0] ?? 0, 0, count)
  const end = findIndex(touched, (passages[length - 1] ?? 0) + 1, begin, count)
  const add = (passage: number, at: number): void => {
    const score = scores[passage] ?? 0
    scores[passage] = score + gain(factor, flat, slope, times[at] ?? 0, terms[passage - base] ?? 0)
  }
  if (length <= (end - begin) * farLonger) {
    for (let at = 0; at < length; at++) {
      const passage = passages[at] ?? 0
      if ((scores[passage] ?? 0) > 0) add(passage, at)
    }
    return
  }
  for (let next = begin, at = 0; next < end; next++) {
    const passage = touched[next] ?? 0
    at = findIndex(passages, passage, at, length)
    if (passages[at] === passage) add(passage, at)
  }
}

/** The lists of a term with their factors. */
const weighings = (collection: Collection, { lists, factor }: WeighedTerm): Weighing[] =>
  lists.flatMap((list) => {
    const segment = findSegment(collection, list.passages[0] ?? 0)
    return segment ? [{ list, segment, factor, flat: k1 * (1 - b), slope: (k1 * b) / collection.averageTerms }] : []
  })

const keepBest = ({ scores, touched, count }: Accumulator, max: number): TopList => {
  const list = new TopList(max)
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    const score = scores[passage] ?? 0
    if (score > list.threshold) list.offer(passage, score)
  }
  return list
}

/** Keeps only passages that can still be among the best, ascending; the others need no lookups. */
const pruneBelow = (accumulator: Accumulator, minScore: number): void => {
  const { scores, touched, count } = accumulator
  accumulator.count = 0
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    if ((scores[passage] ?? 0) >= minScore) touched[accumulator.count++] = passage
  }
  touched.subarray(0, accumulator.count).sort()
}

const weighAll = (collection: Collection, query: readonly QueryTerm[]): WeighedTerm[] =>
  query.map((term) => weigh(collection, term)).filter(({ holders }) => holders > 0)

/** Scores the passages of a collection by the terms of a query, and returns the best `max`, the best first. */
export const findBest = (collection: Collection, query: readonly QueryTerm[], max: number): Scored[] => {
  // Terms that can add most come first.
  const terms = weighAll(collection, query).sort((x, y) => y.maxGain - x.maxGain)
  const accumulator = clearAccumulator(collection.lastPassage + 1)
  const total = terms.reduce((sum, term) => sum + term.maxGain, 0)
  let left = total
  let postings = 0
  let takesIn = true
  for (const term of terms) {
    // No passage has more than the maximum of the terms so far, so an earlier check would be wasted.
    if (takesIn && accumulator.count >= max && (total - left > left || postings + term.holders > maxPostings)) {
      const { threshold } = keepBest(accumulator, max)
      takesIn = threshold < left && postings + term.holders <= maxPostings
      if (!takesIn) pruneBelow(accumulator, threshold - left)
    }
    for (const weighing of weighings(collection, term))
      if (takesIn) addList(weighing, collection, accumulator)
      else addToTouched(weighing, accumulator)
    postings += term.holders
    left -= term.maxGain
  }
  return keepBest(accumulator, max).sorted()
}

/** Scores some passages by the terms of a query, in their order; 0 for a passage without any of the terms. */
export const scorePassages = (
  collection: Collection,
  query: readonly QueryTerm[],
  passages: readonly number[],
): Float32Array => {
  const accumulator = clearAccumulator(collection.lastPassage + 1)
  for (const passage of passages) {
    accumulator.scores[passage] = requested
    accumulator.touched[accumulator.count++] = passage
  }
  accumulator.touched.subarray(0, accumulator.count).sort()
  for (const term of weighAll(collection, query))
    for (const weighing of weighings(collection, term)) addToTouched(weighing, accumulator)
  return Float32Array.from(passages, (passage) => {
    const score = accumulator.scores[passage] ?? 0
    return score > requested ? score : 0
  })
}
