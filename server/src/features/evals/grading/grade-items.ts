import type { Expectation, ExpectedItem, Grader } from '@noema/contracts/graders.ts'
import type { Answer, Cited, ReadItem } from './answer.ts'
import type { Verdict } from './verdict.ts'

// Graders of what was read and done for an answer: they compare addresses, so no model takes part.

type Of<Type extends Grader['type']> = Extract<Grader, { type: Type }>
type Expected = Exclude<Expectation, string>
type Address = Pick<ReadItem, 'type' | 'id'> & { brain?: string | undefined }

const isAt = (item: Address, sought: Address): boolean =>
  item.type === sought.type &&
  item.id === sought.id &&
  (sought.brain === undefined || item.brain === undefined || item.brain === sought.brain)

const show = ({ brain, type, id }: Address): string =>
  brain === undefined ? `the ${type} ${JSON.stringify(id)}` : `the ${type} ${JSON.stringify(id)} of ${brain}`

/** The items that were read, each once: several passages of a document are one. */
const listDistinct = (items: readonly ReadItem[]): ReadItem[] => {
  const seen = new Map(items.toReversed().map((item) => [`${item.brain} ${item.type} ${item.id}`, item]))
  return [...seen.values()].toReversed()
}

/** Gain of an item at a rank, from 1, as in nDCG with the gains 0 and 1. */
const discount = (rank: number): number => 1 / Math.log2(rank + 1)

/**
 * The share of expected items that were read (recall), the share of read items that are expected (precision), or nDCG, where the
 * expected items share one gain (Järvelin and Kekäläinen, 2002). `top`: the best order has only so many of them, too.
 */
const measureFound = (
  read: readonly Address[],
  sought: readonly Address[],
  { metric, top }: { metric: NonNullable<Of<'found'>['metric']>; top: number | undefined },
): number => {
  const hits = read.map((item) => sought.some((one) => isAt(item, one)))
  const found = sought.filter((one) => read.some((item) => isAt(item, one))).length
  if (metric === 'recall') return found / sought.length
  if (metric === 'precision') return read.length === 0 ? 0 : hits.filter(Boolean).length / read.length
  const gained = hits.reduce((sum, isHit, index) => sum + (isHit ? discount(index + 1) : 0), 0)
  const ideal = sought.slice(0, top).reduce((sum, _one, index) => sum + discount(index + 1), 0)
  return Math.min(1, gained / ideal)
}

export const gradeFound = (
  { items, metric = 'recall', top, threshold = 1 }: Of<'found'>,
  { found }: Expected,
  answer: Answer,
): (Verdict & { isPassed?: boolean }) | undefined => {
  const sought: readonly ExpectedItem[] | undefined = items ?? found
  if (sought === undefined) return undefined
  const read = listDistinct(answer.items).slice(0, top)
  const score = measureFound(read, sought, { metric, top })
  const missing = sought.find((one) => !read.some((item) => isAt(item, one)))
  const reason = missing ? `It did not read ${show(missing)}.` : `Its ${metric} is ${score.toFixed(2)}.`
  return score >= threshold ? { score, isPassed: true } : { score, reason, isPassed: false }
}

export const gradeNotFound = ({ items }: Of<'not_found'>, { notFound }: Expected, answer: Answer): Verdict => {
  const refused = items ?? notFound
  if (refused === undefined) return undefined
  const found = refused.find((one) => answer.items.some((item) => isAt(item, one)))
  return found ? { score: 0, reason: `It read ${show(found)}.` } : { score: 1 }
}

const isServed = (items: readonly ReadItem[], cited: Cited): ReadItem | undefined =>
  items.find((item) => isAt(item, cited) && item.version === cited.version)

export const gradeCited = ({ min = 1 }: Of<'cited'>, { items, citations }: Answer): Verdict => {
  if (citations.length < min)
    return { score: 0, reason: `The answer has ${citations.length} citations, and needs ${min}.` }
  const unread = citations.find((cited) => !isServed(items, cited))
  if (unread) return { score: 0, reason: `The answer cites ${show(unread)} in a version that it did not read.` }
  const changed = citations.find((cited) => !isServed(items, cited)?.isCurrent)
  if (changed) return { score: 0, reason: `The answer cites ${show(changed)} in a version that is no longer current.` }
  return { score: 1 }
}

const ranks = ['none', 'weak', 'strong']

export const gradeEvidence = ({ is }: Of<'evidence'>, { evidence }: Expected, answer: Answer): Verdict => {
  const sought = is ?? evidence
  if (sought === undefined) return undefined
  const found = answer.evidence ?? 'none'
  const isEnough = sought === 'none' ? found === 'none' : ranks.indexOf(found) >= ranks.indexOf(sought)
  return isEnough ? { score: 1 } : { score: 0, reason: `The evidence is ${found}, and not ${sought}.` }
}

export const gradeOperations = (grader: Of<'operations'>, expected: Expected, { tools }: Answer): Verdict => {
  const called = grader.called ?? expected.called
  const notCalled = grader.notCalled ?? expected.notCalled
  if (called === undefined && notCalled === undefined) return undefined
  const missing = called?.find((name) => !tools.includes(name))
  if (missing !== undefined) return { score: 0, reason: `It did not call ${missing}.` }
  const refused = notCalled?.find((name) => tools.includes(name))
  return refused === undefined ? { score: 1 } : { score: 0, reason: `It called ${refused}.` }
}

const nanodollarsPerCent = 10_000_000

export const gradeLimits = ({ maxCostCents, maxMilliseconds }: Of<'limits'>, answer: Answer): Verdict => {
  const { costNanodollars, milliseconds } = answer
  if (maxCostCents !== undefined && costNanodollars > maxCostCents * nanodollarsPerCent)
    return { score: 0, reason: `It cost ${(costNanodollars / nanodollarsPerCent).toFixed(2)} cents.` }
  if (maxMilliseconds !== undefined && milliseconds > maxMilliseconds)
    return { score: 0, reason: `It took ${milliseconds} ms.` }
  return { score: 1 }
}
