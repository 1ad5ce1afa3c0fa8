import type { LexicalSearch } from '../lexical-index/lexical-search.ts'
import { type Candidates, neighbourSlots } from '../lexical-index/types.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import { measureSupport } from './judge.ts'

// Search answers any question with what is nearest. Evidence says whether that seems to be an answer: for each result, and
// for all of them together (D-50, D-51).

type Asked = {
  lexical: LexicalSearch
  semantic: VectorSearch | undefined
  candidates: Candidates
  question: string | undefined
}

/** What counts of the coverage of the question alone: the words before it tell what it is about. */
const questionShare = 0.5

/** How much speaks for each of these passages. */
const measureAll = ({ lexical, semantic, question }: Asked, passages: readonly number[]): Float64Array => {
  const ofQuestion = question === undefined ? undefined : lexical.measureCoverage(passages, question)
  return lexical.measureCoverage(passages).map((ofAll, index) => {
    const coverage = Math.max(ofAll, questionShare * (ofQuestion?.[index] ?? 0))
    return measureSupport({ closeness: semantic?.findCloseness(passages[index] ?? 0) ?? Number.NaN, coverage })
  })
}

/** How much speaks for each hit among candidates: for itself, or for what it stands next to, as answers do to questions. */
export const supportHits = (asked: Asked, hits: readonly { passage: number }[]): number[] => {
  const { passages, proposed, around } = asked.candidates
  // Each hit, and then what stands around it.
  const groups = hits.map(({ passage }) => {
    const first = passages.indexOf(passage) * neighbourSlots
    const group = [passage]
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const near = around[first + slot] ?? -1
      if (near >= 0 && near < proposed) group.push(passages[near] ?? passage)
    }
    return group
  })
  const support = measureAll(asked, groups.flat())
  let from = 0
  return groups.map(({ length }) => {
    const best = Math.max(...support.subarray(from, from + length))
    from += length
    return best
  })
}
