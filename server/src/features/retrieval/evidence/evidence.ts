import type { Evidence, MinEvidence } from '@noema/contracts/search.ts'
import type { Calibration } from '../embedding/calibration.ts'
import type { QueryTerm } from '../lexical-index/bm25.ts'
import type { LexicalSearch } from '../lexical-index/lexical-search.ts'
import { type Candidates, neighbourSlots } from '../lexical-index/types.ts'
import { stopTerms } from '../terms/terms.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'

// Search answers any question with the nearest passages. Evidence says whether they seem to answer it: an absolute judgement,
// where a score only orders the results of one search (D-50, D-51). docs/retrieval.md says how good it is, measured by
// bench/evidence.ts of commit 74f07d59.

/** The closeness of a passage in meaning, NaN where it is unknown, and the share of the query's words that it has. */
export type Signals = { closeness: number; coverage: number }

/** Support from which evidence is weak, and strong. */
const thresholds = { weak: 0.75, strong: 1.25 } as const

/** The same for coverage where the closeness is unknown. */
const coverageThresholds = { weak: 0.3, strong: 0.6 } as const

/** Coverage on the scale of support, so that both thresholds meet. */
const fromCoverage = (coverage: number): number => {
  const unit = (thresholds.strong - thresholds.weak) / (coverageThresholds.strong - coverageThresholds.weak)
  return thresholds.weak + (coverage - coverageThresholds.weak) * unit
}

/** The support of a passage: its closeness and its coverage, each of which is 1 for a passage that answers plainly. */
export const measureSupport = ({ closeness, coverage }: Signals): number =>
  Number.isNaN(closeness) ? fromCoverage(coverage) : closeness + coverage

/** In Brains of up to the first number of passages less support is strong, from the second number on no less. */
const sizes = { small: 100, large: 400 } as const
/** The support that is missing to strong evidence in a small Brain. */
const smallRelief = 0.2

/**
 * The support of a passage among so many. In a small Brain the best of the passages about something else is less near by chance, so
 * support beyond weak evidence is worth more. Without closeness words decide, which say as much in any Brain.
 */
const supportAmong = (signals: Signals, passages: number): number => {
  const support = measureSupport(signals)
  if (Number.isNaN(signals.closeness) || support <= thresholds.weak || passages >= sizes.large) return support
  const smallness = Math.min(1, Math.log(sizes.large / Math.max(1, passages)) / Math.log(sizes.large / sizes.small))
  const relieved = thresholds.strong - thresholds.weak - smallRelief
  return support + smallRelief * smallness * Math.min(1, (support - thresholds.weak) / relieved)
}

/** The evidence that an amount of support is. */
export const judge = (support: number): Evidence =>
  support >= thresholds.strong ? 'strong' : support >= thresholds.weak ? 'weak' : 'none'

const order: readonly Evidence[] = ['none', 'weak', 'strong']

/** Checks whether evidence is no less than the minimum. */
export const isEnough = (evidence: Evidence, min: MinEvidence | undefined): boolean =>
  min === undefined || order.indexOf(evidence) >= order.indexOf(min)

/** The best evidence of some results; none where there are no results. */
export const findBestEvidence = (results: readonly { evidence: Evidence }[]): Evidence =>
  order.findLast((evidence) => results.some((result) => result.evidence === evidence)) ?? 'none'

/**
 * Passages that are added to those of the Brain and hold none of the words: in a Brain of a few texts every word looks rare or
 * common by chance, and this levels them.
 */
const assumedPassages = 30

/** The most that the words of a query weigh together, about eight rare words: no passage has all words of a long question. */
const maxQueryWeight = 40

/** The share of its weight that a stop word counts where a passage has it. Stop words are searched for alone, or not at all. */
const stopTermShare = 0.5

/** The weight of a word: a word that no passage has weighs most. */
const weigh = ({ lists, holders: known }: QueryTerm, passages: number): number => {
  const holders = known ?? lists.reduce((sum, list) => sum + list.passages.length, 0)
  return Math.log(1 + (Math.max(passages, holders) + assumedPassages - holders + 0.5) / (holders + 0.5))
}

/** Checks whether a passage is in an ascending list. */
const holds = (list: Uint32Array, passage: number): boolean => {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) < passage) low = middle + 1
    else high = middle
  }
  return list[low] === passage
}

/** The share, from 0 to 1, of the words of a query that each of these passages has, among so many; rare words count more. */
const measureCoverage = (query: readonly QueryTerm[], searched: number, passages: readonly number[]): Float64Array => {
  const met = new Float64Array(passages.length)
  let total = 0
  for (const term of query) {
    const weight = weigh(term, searched)
    const counted = weight * (stopTerms.has(term.term) ? stopTermShare : (term.share ?? 1))
    total += weight
    for (const { passages: list } of term.lists)
      for (let at = 0; at < passages.length; at++)
        if (holds(list, passages[at] ?? 0)) met[at] = (met[at] ?? 0) + counted
  }
  const whole = Math.min(maxQueryWeight, total)
  return met.map((part) => (whole === 0 ? 0 : Math.min(1, part / whole)))
}

/** The closeness of a passage by its cosine: 0 for a text that has nothing in common with the query, 1 for the answer to it. */
const toCloseness = ({ unrelated, related }: Calibration, cosine: number): number =>
  (cosine - unrelated) / (related - unrelated)

/** A search that is under way, and the part of its query that asks, if the rest is earlier conversation. */
type Searched = {
  lexical: LexicalSearch
  semantic: VectorSearch | undefined
  candidates: Candidates
  question: string | undefined
}

/** The share that counts of the coverage of the question alone: the words before it say what it is about. */
const questionShare = 0.5

/** The support of each of these passages, and the share of the query's words that each has. */
const measureAll = ({ lexical, semantic, question }: Searched, passages: readonly number[]) => {
  const { calibration, similarities } = semantic ?? {}
  const { query, passages: searched } = lexical
  const ofQuestion = question === undefined ? undefined : lexical.selectTerms(question)
  const coverage = measureCoverage(query, searched, passages)
  const coverageOfQuestion = ofQuestion && measureCoverage(ofQuestion, searched, passages)
  const support = coverage.map((ofAll, index) => {
    const cosine = similarities?.get(passages[index] ?? 0) ?? Number.NaN
    const signals = {
      closeness: calibration ? toCloseness(calibration, cosine) : Number.NaN,
      coverage: Math.max(ofAll, questionShare * (coverageOfQuestion?.[index] ?? 0)),
    }
    return supportAmong(signals, searched)
  })
  return { support, coverage }
}

/** The support of each hit among candidates: its own, or that of a neighbour, since answers are next to questions; and its own coverage. */
const supportHits = (searched: Searched, hits: readonly { passage: number }[]) => {
  const { passages, proposed, around } = searched.candidates
  // Each hit, and then its neighbours.
  const groups = hits.map(({ passage }) => {
    const first = passages.indexOf(passage) * neighbourSlots
    const group = [passage]
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const near = around[first + slot] ?? -1
      if (near >= 0 && near < proposed) group.push(passages[near] ?? passage)
    }
    return group
  })
  const { support, coverage } = measureAll(searched, groups.flat())
  let from = 0
  return groups.map(({ length }) => {
    const judged = { support: Math.max(...support.subarray(from, from + length)), coverage: coverage[from] ?? 0 }
    from += length
    return judged
  })
}

/**
 * The judgment of a hit as an answer to the query. `similarity` is its cosine; NaN if it is unknown. `coverage` is the share of the
 * query's words that its passage has.
 */
export type Judged = { similarity: number; coverage: number; support: number; evidence: Evidence }

/** Adds its evidence to each hit. */
export const judgeHits = async <Hit extends { passage: number }>(
  searched: Searched,
  hits: readonly Hit[],
): Promise<(Hit & Judged)[]> => {
  const { semantic } = searched
  // The cosines of passages that are only neighbours of proposals may be missing.
  const missing = hits.map(({ passage }) => passage).filter((passage) => !semantic?.similarities.has(passage))
  if (missing.length > 0) await semantic?.compare(missing)
  const supports = supportHits(searched, hits)
  return hits.map((hit, index) => {
    const { support = 0, coverage = 0 } = supports[index] ?? {}
    const similarity = semantic?.similarities.get(hit.passage) ?? Number.NaN
    return { ...hit, similarity, coverage, support, evidence: judge(support) }
  })
}
