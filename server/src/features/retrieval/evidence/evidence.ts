import type { LexicalSearch } from '../lexical-index/lexical-index.ts'
import { type Candidates, neighbourSlots } from '../lexical-index/types.ts'
import type { VectorSearch } from '../vectors/vectors.ts'
import { measureSupport } from './judge.ts'

// Search answers any question with what is nearest. Evidence says whether that seems to be an answer: for each result, and
// for all of them together (D-50, D-51).

export { findBestEvidence, isEnough, judge } from './judge.ts'

type Asked = {
  lexical: LexicalSearch
  semantic: VectorSearch | undefined
  candidates: Candidates
  question: string | undefined
}

/** What counts of the coverage of the question alone: the words before it tell what it is about. */
const questionShare = 0.5

/** By passage how much speaks for it. */
const measureAll = (
  { lexical, semantic, question }: Omit<Asked, 'candidates'>,
  passages: readonly number[],
): Map<number, number> => {
  const ofAll = lexical.measureCoverage(passages)
  const ofQuestion = question === undefined ? [] : lexical.measureCoverage(passages, question)
  return new Map(
    passages.map((passage, index) => {
      const coverage = Math.max(ofAll[index] ?? 0, questionShare * (ofQuestion[index] ?? 0))
      return [passage, measureSupport({ closeness: semantic?.findCloseness(passage) ?? Number.NaN, coverage })]
    }),
  )
}

/** How much speaks for each hit among candidates: for itself, or for what it stands next to, as answers do to questions. */
export const supportHits = (asked: Asked, hits: readonly { passage: number }[]): number[] => {
  const { candidates } = asked
  const places = new Map(candidates.passages.map((passage, index) => [passage, index]))
  const around = hits.map(({ passage }) => {
    const first = (places.get(passage) ?? 0) * neighbourSlots
    return [...candidates.around.subarray(first, first + neighbourSlots)].flatMap((index) => {
      const near = candidates.passages[index]
      return near !== undefined && index < candidates.proposed ? near : []
    })
  })
  const support = measureAll(asked, [...new Set([...hits.map(({ passage }) => passage), ...around.flat()])])
  const find = (passage: number): number => support.get(passage) ?? 0
  return hits.map(({ passage }, index) => Math.max(find(passage), ...(around[index] ?? []).map(find)))
}
