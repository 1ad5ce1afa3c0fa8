import type { Evidence, MinEvidence } from '@noema/contracts/search.ts'

// How much speaks for what was found answering what was asked: an absolute judgement, where a score only orders the results
// of one search. Pure. docs/retrieval.md says what it is worth, measured by bench/evidence.ts.

/** What is known of a passage: how near it is in meaning (NaN where that is not known), and the share of words it has. */
export type Signals = { closeness: number; coverage: number }

/** From which support on evidence is weak, and strong. */
const thresholds = { weak: 0.75, strong: 1.25 } as const

/** The same for coverage where nothing is known of the meaning. */
const coverageThresholds = { weak: 0.3, strong: 0.6 } as const

/** Coverage on the scale of support, so that both thresholds meet. */
const fromCoverage = (coverage: number): number => {
  const unit = (thresholds.strong - thresholds.weak) / (coverageThresholds.strong - coverageThresholds.weak)
  return thresholds.weak + (coverage - coverageThresholds.weak) * unit
}

/** How much speaks for a passage: its closeness and its coverage, each of which is 1 for a passage that answers plainly. */
export const measureSupport = ({ closeness, coverage }: Signals): number =>
  Number.isNaN(closeness) ? fromCoverage(coverage) : closeness + coverage

/** What support is worth. */
export const judge = (support: number): Evidence =>
  support >= thresholds.strong ? 'strong' : support >= thresholds.weak ? 'weak' : 'none'

const order: readonly Evidence[] = ['none', 'weak', 'strong']

/** Whether evidence is no less than what is wanted. */
export const isEnough = (evidence: Evidence, min: MinEvidence | undefined): boolean =>
  min === undefined || order.indexOf(evidence) >= order.indexOf(min)

/** The best evidence of some results; none where there are no results. */
export const findBestEvidence = (results: readonly { evidence: Evidence }[]): Evidence =>
  order.findLast((evidence) => results.some((result) => result.evidence === evidence)) ?? 'none'
