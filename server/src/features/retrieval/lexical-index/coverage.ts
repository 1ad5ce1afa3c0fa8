import { isStopTerm } from '../terms/terms.ts'
import type { QueryTerm } from './bm25.ts'

// What share of a query's words a passage has, the rare ones counting more: an absolute figure, unlike a score. Pure.

/**
 * Passages that are added to those of the Brain, none of which holds any of the words: in a Brain of a few texts every word
 * looks rare or common by chance, and this levels them.
 */
const assumedPassages = 30

/** What the words of a query come to at most, about that of eight rare ones: nothing has all the words of a long question. */
const maxAsked = 40

/** How much a word tells: a word that no passage has tells most. */
const weigh = ({ lists }: QueryTerm, passages: number): number => {
  const holders = lists.reduce((sum, list) => sum + list.passages.length, 0)
  return Math.log(1 + (Math.max(passages, holders) + assumedPassages - holders + 0.5) / (holders + 0.5))
}

/** What part of a word that only builds sentences counts where a passage has it: such words are asked for alone, or not at all. */
const stopTermShare = 0.5

/** Whether a passage is in a list, which ascends. */
const holds = (list: Uint32Array, passage: number): boolean => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) < passage) low = middle + 1
    else high = middle
  }
  return list[low] === passage
}

/** The share, from 0 to 1, of the words of a query that each of these passages has, in a Brain of so many. */
export const measureCoverage = (
  query: readonly QueryTerm[],
  passagesInBrain: number,
  passages: readonly number[],
): Float64Array => {
  const met = new Float64Array(passages.length)
  let asked = 0
  for (const term of query) {
    const weight = weigh(term, passagesInBrain)
    const counted = isStopTerm(term.term) ? weight * stopTermShare : weight
    asked += weight
    for (const { passages: list } of term.lists)
      for (let at = 0; at < passages.length; at++)
        if (holds(list, passages[at] ?? 0)) met[at] = (met[at] ?? 0) + counted
  }
  const whole = Math.min(maxAsked, asked)
  return met.map((part) => (whole === 0 ? 0 : Math.min(1, part / whole)))
}
