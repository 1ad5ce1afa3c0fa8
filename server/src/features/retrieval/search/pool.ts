import { setImmediate } from 'node:timers/promises'
import { addFeedbackTerms, chooseFeedbackTerms } from '../lexical-index/feedback.ts'
import { type Candidates, type Feedback, neighbourSlots, type Scored } from '../lexical-index/types.ts'
import type { OpenedBrain, SearchedBrain } from './open-brain.ts'
import type { Scores } from './ranking.ts'

// The passages of all searched Brains as one collection: they are proposed, scored and compared as if one Brain had them. A passage
// of the pool is its number in its Brain plus the Brain's offset.

/** The candidates of all Brains together, and those of each Brain, by its own numbers. */
export type Pool = Candidates & { each: readonly Candidates[] }

/** Runs a step of a search on each Brain. It may take milliseconds, so other work gets its turn between two of them. */
const visitBrains = async <Brain, Result>(
  brains: readonly Brain[],
  visit: (brain: Brain, index: number) => Promise<Result> | Result,
): Promise<Result[]> => {
  const results: Result[] = []
  for (const [index, brain] of brains.entries()) {
    if (index > 0) await setImmediate()
    results.push(await visit(brain, index))
  }
  return results
}

/** The best of several lists, each of which has its best first. */
const mergeBest = <One>(lists: readonly (readonly One[])[], toScore: (one: One) => number, max: number): One[] => {
  const [only = []] = lists
  if (lists.length < 2) return [...only]
  return lists
    .flat()
    .sort((a, b) => toScore(b) - toScore(a))
    .slice(0, max)
}

const inPool = <One extends { passage: number }>(offset: number, found: readonly One[]): readonly One[] =>
  offset === 0 ? found : found.map((one) => ({ ...one, passage: one.passage + offset }))

/** The best passages by words. */
export const findBest = async (opened: readonly Pick<OpenedBrain, 'lexical'>[], max: number): Promise<Scored[]> => {
  let offset = 0
  const lists = await visitBrains(opened, ({ lexical }) => {
    const best = inPool(offset, lexical.findBest(max))
    offset += lexical.lastPassage + 1
    return best
  })
  return mergeBest(lists, ({ score }) => score, max)
}

/** The passages nearest in meaning, and how many of each Brain have no vector yet. */
export const findNearest = async (searched: readonly SearchedBrain[], max: number) => {
  const found = await visitBrains(searched, async ({ semantic, lexical, offset }) => {
    const nearest = await semantic?.findNearest(max, lexical.accepted)
    return { passages: inPool(offset, nearest?.passages ?? []), pending: nearest?.pending ?? 0 }
  })
  const passages = mergeBest(
    found.map((one) => one.passages),
    ({ similarity }) => similarity,
    max,
  )
  return { passages, pending: found.map(({ pending }) => pending) }
}

/** The searched Brain that a passage of the pool belongs to, by its place among all. */
const findOwner = (searched: readonly SearchedBrain[], passage: number): number =>
  searched.findLastIndex(({ offset }) => passage >= offset)

/** Splits items by the Brains that own their passages; passages in the result have the numbers of their Brain. */
export const splitByBrain = <One extends { passage: number }>(
  searched: readonly SearchedBrain[],
  items: readonly One[],
): One[][] => {
  const split = searched.map((): One[] => [])
  for (const item of items) {
    const owner = findOwner(searched, item.passage)
    const offset = searched[owner]?.offset ?? 0
    split[owner]?.push({ ...item, passage: item.passage - offset })
  }
  return split
}

/** Copies the candidates of a Brain into the row of all, where each gets its own index. */
const copyInto = (
  row: Pick<Candidates, 'around' | 'scores'> & { passages: number[]; versions: number[] },
  { passages, versions, around, scores }: Candidates,
  { offset, toIndex }: { offset: number; toIndex: (index: number) => number },
): void => {
  for (const [index, passage] of passages.entries()) {
    const at = toIndex(index)
    row.passages[at] = passage + offset
    row.versions[at] = (versions[index] ?? passage) + offset
    row.scores[at] = scores[index] ?? 0
    for (let slot = 0; slot < neighbourSlots; slot++) {
      const near = around[index * neighbourSlots + slot] ?? -1
      row.around[at * neighbourSlots + slot] = near < passages.length ? toIndex(near) : row.passages.length
    }
  }
}

/** Puts the candidates of all Brains into one row: those that were proposed first, then those that are only neighbours. */
const joinCandidates = (searched: readonly SearchedBrain[], each: readonly Candidates[]): Candidates => {
  const [only] = each
  if (only && each.length === 1) return only
  const proposed = each.reduce((sum, one) => sum + one.proposed, 0)
  const length = each.reduce((sum, one) => sum + one.passages.length, 0)
  const row = {
    passages: new Array<number>(length),
    versions: new Array<number>(length),
    around: new Int32Array(length * neighbourSlots),
    scores: new Float32Array(length),
  }
  let [nextProposed, nextNeighbour] = [0, proposed]
  for (const [owner, candidates] of each.entries()) {
    const { proposed: own, passages } = candidates
    const [firstProposed, firstNeighbour] = [nextProposed, nextNeighbour - own]
    const toIndex = (index: number) => (index < 0 ? index : index + (index < own ? firstProposed : firstNeighbour))
    copyInto(row, candidates, { offset: searched[owner]?.offset ?? 0, toIndex })
    nextProposed += own
    nextNeighbour += passages.length - own
  }
  return { ...row, proposed }
}

/** The proposed passages and their neighbours. */
export const findCandidates = async (
  searched: readonly SearchedBrain[],
  proposed: ReadonlySet<number>,
): Promise<Pool> => {
  const split = splitByBrain(
    searched,
    Array.from(proposed, (passage) => ({ passage })),
  )
  const each = await visitBrains(searched, ({ lexical }, index) =>
    lexical.findCandidates(new Set(split[index]?.map(({ passage }) => passage))),
  )
  return { ...joinCandidates(searched, each), each }
}

/** Scores passages of the pool by what each Brain says of its own. */
const scoreByBrain = async (
  searched: readonly SearchedBrain[],
  passages: readonly number[],
  score: (brain: SearchedBrain, own: readonly number[], index: number) => Promise<Scores> | Scores | undefined,
): Promise<Scores> => {
  const [only] = searched
  if (only && searched.length === 1) return (await score(only, passages, 0)) ?? []
  const split = splitByBrain(
    searched,
    passages.map((passage, at) => ({ passage, at })),
  )
  const scores = new Float64Array(passages.length).fill(Number.NaN)
  await visitBrains(searched, async (brain, index) => {
    const own = split[index] ?? []
    const found = await score(
      brain,
      own.map(({ passage }) => passage),
      index,
    )
    for (const [place, { at }] of own.entries()) scores[at] = found?.[place] ?? Number.NaN
  })
  return scores
}

/** The cosines of the query and of passages, in their order; NaN for one without a vector. */
export const compare = (searched: readonly SearchedBrain[], passages: readonly number[]): Promise<Scores> =>
  scoreByBrain(searched, passages, ({ semantic }, own) => semantic?.compare(own))

/** Scores passages by the query with the best terms of feedback added. */
const scoreWithFeedback = async (
  searched: readonly SearchedBrain[],
  { share, passages: feedback }: Feedback,
  passages: readonly number[],
): Promise<Scores> => {
  const split = splitByBrain(searched, feedback)
  const read = await visitBrains(searched, ({ lexical }, index) => lexical.readFeedback(split[index] ?? []))
  const presence = chooseFeedbackTerms(read.flat())
  const terms = [...presence.keys()]
  const lists = await visitBrains(searched, ({ lexical }) => lexical.readLists(terms))
  // If segments were merged meanwhile, all Brains are scored by the query itself: scores of two queries are not comparable.
  const isWhole = lists.every((one) => one !== undefined)
  const [first] = searched
  if (!first || !isWhole) return scoreByBrain(searched, passages, ({ lexical }, own) => lexical.score(own))
  const { lexical } = first
  const named = [...lexical.terms.keys(), ...terms]
  const holders = new Map<string, number>()
  for (const [index, one] of searched.entries())
    for (const [term, count] of one.lexical.countHolders(named, lists[index] ?? new Map()))
      holders.set(term, (holders.get(term) ?? 0) + count)
  const weights = addFeedbackTerms(lexical.terms, presence, { share, passages: lexical.passages, holders })
  return scoreByBrain(searched, passages, (one, own, index) =>
    one.lexical.score(own, { weights, lists: lists[index] ?? new Map(), holders }),
  )
}

/** The cosines of passages and of the query with the vectors of feedback added. */
const compareWithFeedback = (
  searched: readonly SearchedBrain[],
  { share, passages: feedback }: Feedback,
  passages: readonly number[],
): Promise<Scores> => {
  const split = splitByBrain(searched, feedback)
  const vectors = searched.flatMap(({ semantic }, index) => semantic?.findFeedback(split[index] ?? []) ?? [])
  return scoreByBrain(searched, passages, ({ semantic }, own) => semantic?.compareWithFeedback({ share, vectors }, own))
}

/** Scores passages a second time, each way, by the query with the best of those proposed added to it. */
export const scoreAgain = (
  searched: readonly SearchedBrain[],
  feedback: Feedback,
  passages: readonly number[],
): Promise<Scores[]> =>
  Promise.all([
    scoreWithFeedback(searched, feedback, passages),
    ...(searched.some(({ semantic }) => semantic) ? [compareWithFeedback(searched, feedback, passages)] : []),
  ])
