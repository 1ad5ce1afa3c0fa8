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

export type LexicalScores = {
  /** The best passages, the best first. */
  top: Scored[]
  /** The score of any passage; 0 where no term stands in it. */
  of(passage: number): number
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

const shelfOf = ({ shelves }: Collection, passage: number): Shelf | undefined =>
  shelves.findLast(({ base }) => base <= passage)

/** Whether a passage may be answered, as far as is known in memory. */
export const isAccepted = (collection: Collection, passage: number): boolean => {
  const { state, filter } = collection
  const shelf = shelfOf(collection, passage)
  if (!shelf || filter?.[passage] === 0) return false
  const row = passage - shelf.base
  return (shelf.fromStates[row] ?? 0) <= state && (shelf.toStates[row] ?? 0) > state
}

/** How often a passage stands in a list. */
const timesInList = ({ passages, times }: Postings, passage: number): number => {
  let [low, high] = [0, passages.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((passages[middle] ?? 0) < passage) low = middle + 1
    else high = middle
  }
  return passages[low] === passage ? (times[low] ?? 0) : 0
}

/** How often a passage holds a term. */
const timesIn = (lists: readonly Postings[], passage: number): number => {
  const list = lists.find(({ passages }) => (passages[passages.length - 1] ?? 0) >= passage)
  return list ? timesInList(list, passage) : 0
}

const gainOf = (collection: Collection, factor: number, passage: number, times: number): number => {
  const shelf = shelfOf(collection, passage)
  const terms = shelf?.terms[passage - shelf.base] ?? 0
  return (factor * times) / (times + k1 * (1 - b + (b * terms) / collection.averageTerms))
}

/** Looks a term up in one passage. */
const gain = (collection: Collection, { lists, factor }: Weighed, passage: number): number => {
  const times = timesIn(lists, passage)
  return times === 0 ? 0 : gainOf(collection, factor, passage, times)
}

/** The score of a passage that may not be answered, so that it is neither looked at again nor kept. */
const refused = -1

/** The scores of a search on its way, and which passages have one. */
type Board = { scores: Float32Array; touched: Uint32Array; count: number }

/** Adds a list to the scores, taking in passages that had none yet. */
const addList = (
  { passages, times }: Postings,
  factor: number,
  { state, filter, averageTerms }: Collection,
  { base, terms, fromStates, toStates }: Shelf,
  board: Board,
): void => {
  const { scores, touched } = board
  const flat = k1 * (1 - b)
  const slope = (k1 * b) / averageTerms
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
    const often = times[at] ?? 0
    scores[passage] = score + (factor * often) / (often + flat + slope * (terms[row] ?? 0))
  }
  board.count = count
}

const best = ({ scores, touched, count }: Board, most: number): TopList => {
  const list = new TopList(most)
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    const score = scores[passage] ?? 0
    if (score > list.threshold) list.offer(passage, score)
  }
  return list
}

/** Keeps only passages that can still come among the best; the others need no looking up. */
const keepHopeful = (board: Board, least: number): void => {
  const { scores, touched, count } = board
  board.count = 0
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    if ((scores[passage] ?? 0) >= least) touched[board.count++] = passage
  }
}

const addAll = (collection: Collection, { lists, factor }: Weighed, board: Board): void => {
  for (const list of lists) {
    const shelf = shelfOf(collection, list.passages[0] ?? 0)
    if (shelf) addList(list, factor, collection, shelf, board)
  }
}

const addTouched = (collection: Collection, term: Weighed, { scores, touched, count }: Board): void => {
  for (let at = 0; at < count; at++) {
    const passage = touched[at] ?? 0
    scores[passage] = (scores[passage] ?? 0) + gain(collection, term, passage)
  }
}

/**
 * The best passages by terms, of which those that can add most come first; and where every list was gone through to its end,
 * the scores of all passages.
 */
const bestBy = (collection: Collection, terms: readonly Weighed[], most: number) => {
  const { last } = collection
  const board = { scores: new Float32Array(last + 1), touched: new Uint32Array(last + 1), count: 0 }
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
    if (takesIn) addAll(collection, term, board)
    else addTouched(collection, term, board)
    postings += term.holders
    left -= term.most
  }
  return { top: best(board, most).sorted(), scores: takesIn ? board.scores : undefined }
}

const weighAll = (collection: Collection, query: readonly QueryTerm[]): Weighed[] =>
  query.map((term) => weigh(collection, term)).filter(({ holders }) => holders > 0)

/** A list that is this many times as long as the passages looked for is searched, not gone through. */
const farLonger = 8

/** Calls back with every passage that stands in a list, by its place among those looked for, and how often it does. */
const eachIn = (
  list: Postings,
  passages: readonly number[],
  places: Uint32Array,
  found: (place: number, times: number) => void,
): void => {
  if (list.passages.length > passages.length * farLonger)
    for (const [place, passage] of passages.entries()) found(place, timesInList(list, passage))
  else
    for (let at = 0; at < list.passages.length; at++) {
      const place = places[list.passages[at] ?? 0] ?? 0
      if (place > 0) found(place - 1, list.times[at] ?? 0)
    }
}

/** Scores some passages by the terms of a query, in their order, without looking for the best. */
export const scorePassages = (
  collection: Collection,
  query: readonly QueryTerm[],
  passages: readonly number[],
): Float32Array => {
  const places = new Uint32Array(collection.last + 1)
  for (const [place, passage] of passages.entries()) places[passage] = place + 1
  const scores = new Float32Array(passages.length)
  for (const { lists, factor } of weighAll(collection, query))
    for (const list of lists)
      eachIn(list, passages, places, (place, times) => {
        if (times > 0) scores[place] = (scores[place] ?? 0) + gainOf(collection, factor, passages[place] ?? 0, times)
      })
  return scores
}

/** Scores the passages of a collection by the terms of a query, and keeps the best `most`. */
export const scoreTerms = (collection: Collection, query: readonly QueryTerm[], most: number): LexicalScores => {
  const terms = weighAll(collection, query).sort((x, y) => y.most - x.most)
  const { top, scores } = bestBy(collection, terms, most)
  return {
    top,
    of: (passage) => {
      const score = scores?.[passage] ?? refused
      return score < 0 ? terms.reduce((sum, term) => sum + gain(collection, term, passage), 0) : score
    },
  }
}
