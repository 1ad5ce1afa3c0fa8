import { setImmediate } from 'node:timers/promises'
import { judgeHits } from '../evidence/evidence.ts'
import { addFeedbackTerms, chooseFeedbackTerms } from '../lexical-index/feedback.ts'
import type { TermLists } from '../lexical-index/index-cache.ts'
import type { OtherQuery } from '../lexical-index/lexical-search.ts'
import type { Candidates, Feedback, Scored, Snippet } from '../lexical-index/types.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import { joinCandidates } from './join-candidates.ts'
import type { OpenedBrain, SearchedBrain, WithoutMeaning } from './open-brain.ts'
import type { Scores } from './ranking.ts'
import type { Hit } from './results.ts'

// The passages of all searched Brains as one collection: they are proposed, scored and compared as if one Brain had them. A passage
// of the pool is its number in its Brain plus the Brain's offset.

/** The candidates of all Brains together, and those of each Brain, by its own numbers. */
export type Pool = Candidates & { each: readonly Candidates[] }

/** Runs a step of a search on each Brain. It may take milliseconds, so other work gets its turn between two of them. */
export const visitBrains = async <Brain, Result>(
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

/** The space in which most of the searches by meaning compare. */
const findCommonSpace = (found: readonly (VectorSearch | WithoutMeaning | undefined)[]): string | undefined => {
  const spaces = found.flatMap((one) => (typeof one === 'object' ? one.space : []))
  const count = (space: string) => spaces.filter((other) => other === space).length
  return spaces.toSorted((a, b) => count(b) - count(a))[0]
}

/** Waits for the query to be embedded. Brains in another space than most are searched by words alone. */
export const awaitMeaning = async (opened: readonly OpenedBrain[]): Promise<SearchedBrain[]> => {
  const found = await Promise.all(opened.map(({ meaning }) => meaning))
  const space = findCommonSpace(found)
  let offset = 0
  return opened.map(({ brain, lexical, aliases }, index) => {
    const one = found[index]
    const semantic = typeof one === 'object' && one.space === space ? one : undefined
    const noMeaning = typeof one === 'object' ? (semantic ? undefined : ('changing' as const)) : one
    const searched = { brain, lexical, offset, semantic, noMeaning, aliases }
    offset += lexical.lastPassage + 1
    return searched
  })
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

/** The best passages by words: those of the query, or of another one as each Brain knows it. */
export const findBest = async (
  opened: readonly Pick<OpenedBrain, 'lexical'>[],
  max: number,
  others: readonly OtherQuery[] = [],
): Promise<Scored[]> => {
  let offset = 0
  const lists = await visitBrains(opened, ({ lexical }, index) => {
    const best = inPool(offset, lexical.findBest(max, others[index]))
    offset += lexical.lastPassage + 1
    return best
  })
  return mergeBest(lists, ({ score }) => score, max)
}

/** The passages nearest in meaning, and how many of each Brain have no vector yet. */
export type Nearest = { passages: readonly { passage: number; similarity: number }[]; pending: readonly number[] }

/** The passages nearest in meaning, and how many of each Brain have no vector yet. */
export const findNearest = async (searched: readonly SearchedBrain[], max: number): Promise<Nearest> => {
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

/** A query as it runs: by words, by meaning, or by both. */
export type OpenQuery = {
  searched: readonly SearchedBrain[]
  isByWords: boolean
  isByMeaning: boolean
  /** The best passages by words, of the first pass. */
  best?: Scored[] | undefined
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
  const [only] = each
  return { ...(only && each.length === 1 ? only : joinCandidates(searched, each)), each }
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

/** The number of passages of all Brains that have each of these terms. */
export const countAllHolders = (
  searched: readonly SearchedBrain[],
  terms: readonly string[],
  lists: readonly (TermLists | undefined)[],
): Map<string, number> => {
  const holders = new Map<string, number>()
  for (const [index, { lexical }] of searched.entries())
    for (const [term, count] of lexical.countHolders(terms, lists[index] ?? new Map()))
      holders.set(term, (holders.get(term) ?? 0) + count)
  return holders
}

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
  const holders = countAllHolders(searched, [...lexical.terms.keys(), ...terms], lists)
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

/** A live version, before its evidence is judged. */
export type Live = Omit<Hit, 'similarity' | 'coverage' | 'support' | 'evidence' | 'link'>

/** Adds its evidence to each hit, by the Brain that it is from. */
export const judgeAll = async (
  searched: readonly SearchedBrain[],
  { each }: Pool,
  question: string | undefined,
  live: readonly Live[],
): Promise<Hit[]> => {
  const judged = new Map<Live, Hit>()
  for (const [owner, { lexical, semantic }] of searched.entries()) {
    const own = live.filter((one) => one.owner === owner)
    const candidates = each[owner]
    if (own.length === 0 || !candidates) continue
    const hits = await judgeHits({ lexical, semantic, candidates, question }, own)
    for (const [index, hit] of hits.entries()) judged.set(own[index] ?? hit, hit)
  }
  return live.flatMap((one) => judged.get(one) ?? [])
}

/** The excerpts of hits that show why they were found. */
export const makeSnippets = (searched: readonly SearchedBrain[], hits: readonly Hit[]): Snippet[] => {
  const snippets = new Map<Hit, Snippet>()
  for (const [owner, { lexical }] of searched.entries()) {
    const own = hits.filter((hit) => hit.owner === owner)
    for (const [index, snippet] of lexical.makeSnippets(own).entries())
      if (own[index]) snippets.set(own[index], snippet)
  }
  return hits.flatMap((hit) => snippets.get(hit) ?? [])
}
