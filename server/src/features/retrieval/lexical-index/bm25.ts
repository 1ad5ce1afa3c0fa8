import type { Postings } from './postings.ts'
import { type Scored, TopList } from './top-list.ts'

// Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), a term at a time. Terms that can add
// most come first; once what is left cannot lift a new passage among the best, the long lists of common words are only
// looked into for passages that have a score already (MaxScore, Turtle & Flood 1995). The inner loop runs over flat arrays
// alone: it sees a hundred thousand postings in a millisecond.

/** How soon more of a term stops counting (k1), and how much long passages are held back (b). */
const k1 = 1.2
const b = 0.6

/** A term of a query: how much it counts, and its lists, ascending by passage and none overlapping another. */
export type QueryTerm = { term: string; weight: number; lists: readonly Postings[] }

/** Passages numbered one after the other from `base`: their lengths in terms, and the states in which they are valid. */
export type Shelf = { base: number; terms: Uint16Array; fromStates: Uint32Array; toStates: Uint32Array }

/** What is searched. */
export type Collection = {
  /** The highest number of a passage. */
  last: number
  averageTerms: number
  /** The state that is asked of. */
  state: number
  /** 1 for each passage that may be answered, if the search is narrowed. */
  filter: Uint8Array | undefined
  /** The indexed passages, and the younger ones. */
  shelves: readonly Shelf[]
}

type Weighed = QueryTerm & {
  holders: number
  /** What a passage gets at most for any number of times. */
  factor: number
  /** What a passage gets at most for as often as the term stands in one. */
  most: number
}

/** After this many postings no further passages are taken in: what bounds a query of nothing but common words. */
const mostPostings = 2_000_000

const weigh = ({ last }: Collection, term: QueryTerm): Weighed => {
  const holders = term.lists.reduce((sum, { passages }) => sum + passages.length, 0)
  const idf = Math.log(1 + (Math.max(last, holders) - holders + 0.5) / (holders + 0.5))
  const factor = term.weight * idf * (k1 + 1)
  const times = Math.max(1, ...term.lists.map(({ mostTimes }) => mostTimes))
  return { ...term, holders, factor, most: (factor * times) / (times + k1 * (1 - b)) }
}

const shelfOf = ({ shelves }: Collection, passage: number): Shelf | undefined => {
  for (let at = shelves.length - 1; at >= 0; at--) if ((shelves[at]?.base ?? 0) <= passage) return shelves[at]
  return undefined
}

/** Whether a passage may be answered, as far as is known in memory. */
export const isAccepted = (collection: Collection, passage: number): boolean => {
  const { state, filter } = collection
  const shelf = shelfOf(collection, passage)
  if (!shelf || filter?.[passage] === 0) return false
  const row = passage - shelf.base
  return (shelf.fromStates[row] ?? 0) <= state && (shelf.toStates[row] ?? 0) > state
}

/** The first place, from one on, whose number is no less than a number; numbers ascend. */
const placeOf = (numbers: Uint32Array, number: number, from: number, to: number): number => {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** The score of a passage that may not be answered, so that it is not looked at again. */
const refused = -1
/** The score of a passage that is looked for and has no term yet: next to nothing, and told from the 0 of all others. */
const wanted = Math.fround(1e-30)

/** The scores of a search on its way by passage, and which passages have one. */
type Board = { scores: Float32Array; touched: Uint32Array; count: number }

const onlyBoard: Board = { scores: new Float32Array(0), touched: new Uint32Array(0), count: 0 }

/** The board, wiped. One serves every search, as each goes to its end before another begins. */
const wipedBoard = (size: number): Board => {
  if (onlyBoard.scores.length < size) {
    onlyBoard.scores = new Float32Array(Math.ceil(size * 1.5))
    onlyBoard.touched = new Uint32Array(onlyBoard.scores.length)
  } else onlyBoard.scores.fill(0, 0, size)
  onlyBoard.count = 0
  return onlyBoard
}

/** A list of a term, and what it adds to the score of a passage: see `gain`. */
type Weighing = { list: Postings; shelf: Shelf; factor: number; flat: number; slope: number }

/** What a passage of so many terms gets for a term that stands in it so often. */
const gain = (factor: number, flat: number, slope: number, often: number, terms: number): number =>
  (factor * often) / (often + flat + slope * terms)

/** Adds a list to the scores, taking in passages that had none yet. */
const addList = (
  { list: { passages, times }, shelf: { base, terms, fromStates, toStates }, factor, flat, slope }: Weighing,
  { state, filter }: Collection,
  board: Board,
): void => {
  const { scores, touched } = board
  let { count } = board
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
  board.count = count
}

/** A list that is this many times as long as the passages looked for is searched, not gone through. */
const farLonger = 8

/** Adds a list to the scores of those passages that have one; `touched` ascends. */
const addToTouched = (
  { list: { passages, times }, shelf: { base, terms }, factor, flat, slope }: Weighing,
  { scores, touched, count }: Board,
): void => {
  const { length } = passages
  const begin = placeOf(touched, passages[0] ?? 0, 0, count)
  const end = placeOf(touched, (passages[length - 1] ?? 0) + 1, begin, count)
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
  for (let place = begin, at = 0; place < end; place++) {
    const passage = touched[place] ?? 0
    at = placeOf(passages, passage, at, length)
    if (passages[at] === passage) add(passage, at)
  }
}

/** The lists of a term as they are weighed. */
const weighings = (collection: Collection, { lists, factor }: Weighed): Weighing[] =>
  lists.flatMap((list) => {
    const shelf = shelfOf(collection, list.passages[0] ?? 0)
    return shelf ? [{ list, shelf, factor, flat: k1 * (1 - b), slope: (k1 * b) / collection.averageTerms }] : []
  })

const best = ({ scores, touched, count }: Board, most: number): TopList => {
  const list = new TopList(most)
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    const score = scores[passage] ?? 0
    if (score > list.threshold) list.offer(passage, score)
  }
  return list
}

/** Keeps only passages that can still come among the best, ascending; the others need no looking up. */
const keepHopeful = (board: Board, least: number): void => {
  const { scores, touched, count } = board
  board.count = 0
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    if ((scores[passage] ?? 0) >= least) touched[board.count++] = passage
  }
  touched.subarray(0, board.count).sort()
}

const weighAll = (collection: Collection, query: readonly QueryTerm[]): Weighed[] =>
  query.map((term) => weigh(collection, term)).filter(({ holders }) => holders > 0)

/** Scores the passages of a collection by the terms of a query, and answers the best `most`, the best first. */
export const bestByTerms = (collection: Collection, query: readonly QueryTerm[], most: number): Scored[] => {
  // Those that can add most come first.
  const terms = weighAll(collection, query).sort((x, y) => y.most - x.most)
  const board = wipedBoard(collection.last + 1)
  const total = terms.reduce((sum, term) => sum + term.most, 0)
  let left = total
  let postings = 0
  let takesIn = true
  for (const term of terms) {
    // No passage has more than the terms so far can give, so before that there is nothing to be seen.
    if (takesIn && board.count >= most && (total - left > left || postings + term.holders > mostPostings)) {
      const { threshold } = best(board, most)
      takesIn = threshold < left && postings + term.holders <= mostPostings
      if (!takesIn) keepHopeful(board, threshold - left)
    }
    for (const weighing of weighings(collection, term))
      if (takesIn) addList(weighing, collection, board)
      else addToTouched(weighing, board)
    postings += term.holders
    left -= term.most
  }
  return best(board, most).sorted()
}

/** Scores some passages by the terms of a query, in their order; 0 where no term stands in one. */
export const scorePassages = (
  collection: Collection,
  query: readonly QueryTerm[],
  passages: readonly number[],
): Float32Array => {
  const board = wipedBoard(collection.last + 1)
  for (const passage of passages) {
    board.scores[passage] = wanted
    board.touched[board.count++] = passage
  }
  board.touched.subarray(0, board.count).sort()
  for (const term of weighAll(collection, query))
    for (const weighing of weighings(collection, term)) addToTouched(weighing, board)
  return Float32Array.from(passages, (passage) => {
    const score = board.scores[passage] ?? 0
    return score > wanted ? score : 0
  })
}
