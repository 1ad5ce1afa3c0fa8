import type { Postings } from './postings.ts'
import { type Scored, TopList } from './top-list.ts'

// Okapi BM25 (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), a term at a time. Terms that can add
// most come first; once what is left cannot lift a new passage among the best, the long lists of common words are only
// looked into for passages that have a score already (MaxScore, Turtle & Flood 1995).

/** How soon more of a term stops counting (k1), and how much long passages are held back (b). */
const k1 = 0.9
const b = 0.4

/** A term of a query: how much it counts, and its lists, ascending by passage and none overlapping another. */
export type QueryTerm = { term: string; weight: number; lists: readonly Postings[] }

/** What scoring knows of the passages: how many there are, their lengths, and which of them may be answered. */
export type Collection = {
  /** The highest number of a passage. */
  last: number
  averageTerms: number
  terms(passage: number): number
  accepts(passage: number): boolean
}

export type LexicalScores = {
  /** The best passages, the best first. */
  top: Scored[]
  /** The score of any passage; 0 where no term stands in it. */
  of(passage: number): number
}

type Weighed = QueryTerm & { idf: number; holders: number; most: number }

/** After this many postings no further passages are taken in: what bounds a query of nothing but common words. */
const mostPostings = 2_000_000

const weigh = ({ last }: Collection, term: QueryTerm): Weighed => {
  const holders = term.lists.reduce((sum, { passages }) => sum + passages.length, 0)
  const idf = Math.log(1 + (Math.max(last, holders) - holders + 0.5) / (holders + 0.5))
  const times = Math.max(1, ...term.lists.map(({ mostTimes }) => mostTimes))
  return { ...term, idf, holders, most: (term.weight * idf * (k1 + 1) * times) / (times + k1 * (1 - b)) }
}

const gain = ({ averageTerms, terms }: Collection, { weight, idf }: Weighed, passage: number, times: number): number =>
  (weight * idf * (k1 + 1) * times) / (times + k1 * (1 - b + (b * terms(passage)) / averageTerms))

/** How often a passage holds a term. */
const timesIn = (lists: readonly Postings[], passage: number): number => {
  const list = lists.find(({ passages }) => (passages.at(-1) ?? 0) >= passage)
  if (!list) return 0
  let [low, high] = [0, list.passages.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list.passages[middle] ?? 0) < passage) low = middle + 1
    else high = middle
  }
  return list.passages[low] === passage ? (list.times[low] ?? 0) : 0
}

/** Scores a passage that may not be answered: below 0, so that it is neither touched again nor kept. */
const refused = -1

/** Scores all passages that hold a term, taking in those that had no score yet. */
const scoreAll = (collection: Collection, term: Weighed, scores: Float32Array, touched: number[]): void => {
  for (const { passages, times } of term.lists)
    for (let at = 0; at < passages.length; at++) {
      const passage = passages[at] ?? 0
      const score = scores[passage] ?? refused
      if (score < 0) continue
      if (score === 0) {
        if (!collection.accepts(passage)) {
          scores[passage] = refused
          continue
        }
        touched.push(passage)
      }
      scores[passage] = score + gain(collection, term, passage, times[at] ?? 0)
    }
}

/** Scores only passages that have a score already. */
const scoreTouched = (
  collection: Collection,
  term: Weighed,
  scores: Float32Array,
  touched: readonly number[],
): void => {
  for (const passage of touched) {
    const times = timesIn(term.lists, passage)
    if (times > 0) scores[passage] = (scores[passage] ?? 0) + gain(collection, term, passage, times)
  }
}

const best = (scores: Float32Array, touched: readonly number[], most: number): TopList => {
  const list = new TopList(most)
  for (const passage of touched) list.offer(passage, scores[passage] ?? 0)
  return list
}

/** The best passages by terms, of which those that can add most come first. */
const bestBy = (collection: Collection, terms: readonly Weighed[], most: number): Scored[] => {
  const scores = new Float32Array(collection.last + 1)
  let touched: number[] = []
  let left = terms.reduce((sum, term) => sum + term.most, 0)
  let postings = 0
  let takesIn = true
  for (const term of terms) {
    if (takesIn && touched.length >= most) {
      const { threshold } = best(scores, touched, most)
      takesIn = threshold < left && postings + term.holders <= mostPostings
      // Those that cannot come among the best any more need no looking up.
      if (!takesIn) touched = touched.filter((passage) => (scores[passage] ?? 0) + left >= threshold)
    }
    if (takesIn) scoreAll(collection, term, scores, touched)
    else scoreTouched(collection, term, scores, touched)
    postings += term.holders
    left -= term.most
  }
  return best(scores, touched, most).sorted()
}

/** Scores the passages of a collection by the terms of a query, and keeps the best `most`. */
export const scoreTerms = (collection: Collection, query: readonly QueryTerm[], most: number): LexicalScores => {
  const terms = query
    .map((term) => weigh(collection, term))
    .filter(({ holders }) => holders > 0)
    .sort((x, y) => y.most - x.most)
  return {
    top: bestBy(collection, terms, most),
    of: (passage) =>
      terms.reduce((sum, term) => {
        const times = timesIn(term.lists, passage)
        return times > 0 ? sum + gain(collection, term, passage, times) : sum
      }, 0),
  }
}
