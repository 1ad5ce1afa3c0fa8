import type { degradation, SearchMode } from '@noema/contracts/search.ts'
import type { z } from 'zod'
import type { RunPrepared } from '../../../storage/database.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { gatherCandidates } from '../lexical-index/candidates.ts'
import {
  countTerms,
  type IndexReader,
  isStopTerm,
  type Narrowing,
  openPassageSearch,
  type PassageSearch,
  placedTerms,
  type Scored,
} from '../lexical-index/lexical-index.ts'
import type { QueryVector, Vectors } from '../vectors/vectors.ts'
import { enrichTerms, enrichVector, termsOfExemplars } from './feedback.ts'
import { exemplarsOf, type Leg, rank } from './ranking.ts'
import { type Hit, readHits } from './read-hits.ts'

export type SearchDeps = { prepared: RunPrepared; indexes: IndexReader; vectors: Vectors | undefined }

/** What to find. */
export type Wanted = Narrowing & {
  q: string
  mode: SearchMode
  limit: number
  /** Of how many passages a version may be found by; each is a hit. One unless told. */
  passagesEach?: number
}

/** What was found; `similarity` is the cosine of a hit's passage and the query, where it is known. */
export type Found = {
  hits: (Hit & { similarity: number | undefined })[]
  /** The terms that were searched for. */
  terms: ReadonlySet<string>
  mode: SearchMode
  degraded: z.infer<typeof degradation>[]
  stateVersion: number
}

/** Passages that each way of finding proposes, at least; twice as many as are wanted where those are many. */
const leastProposed = 80
/** How many times as many are proposed next, where too few of them may be answered; and how often. */
const widening = 8
const mostWidenings = 2
/** Proposals from which on there is a second look. */
const fewestForSecondLook = 30
/** Terms of a query that are looked up: more say nothing more. */
const mostTerms = 64

/** The terms of a query with how often each stands in it. Words that build sentences count only where nothing else is. */
const queryTerms = (q: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { term } of placedTerms(q)) counts.set(term, (counts.get(term) ?? 0) + 1)
  const meant = [...counts].filter(([term]) => !isStopTerm(term))
  return new Map((meant.length > 0 ? meant : [...counts]).slice(0, mostTerms))
}

/** What passages are scored by: words, or meaning, or both. */
type Question = {
  /** The index with the terms that are asked for. */
  search: PassageSearch
  terms: ReadonlyMap<string, number> | undefined
  vector: QueryVector | undefined
}

/** How near passages are to a query. Those that are not indexed yet have no number that vectors could know. */
const similaritiesOf = async (
  { vectors }: SearchDeps,
  brainId: number,
  { search, vector }: Question,
  passages: readonly number[],
): Promise<(number | undefined)[] | undefined> =>
  vector &&
  vectors?.similarities(
    brainId,
    vector,
    passages.map((passage) => (search.isIndexed(passage) ? passage : 0)),
  )

/** The scores of passages in each way that is asked for. */
const legsOf = async (
  deps: SearchDeps,
  brainId: number,
  question: Question,
  passages: readonly number[],
): Promise<Leg[]> => {
  const { search, terms } = question
  const similarities = await similaritiesOf(deps, brainId, question, passages)
  const semantic = similarities && Float64Array.from(similarities, (similarity) => similarity ?? Number.NaN)
  const lexical = terms && search.scoresOf(terms, passages)
  return [lexical, semantic].filter((leg) => leg !== undefined)
}

/** How far to look, and for how many hits. */
type Looked = Pick<Wanted, 'limit' | 'passagesEach'> & {
  /** Passages that each way proposes, at most. */
  most: number
  /** Those that are best by words, where they are known already. */
  best?: Scored[] | undefined
}

/** The best by words and the nearest by meaning, at most so many each; and whether there are no more. */
const propose = async (
  { vectors }: SearchDeps,
  brainId: number,
  { search, terms, vector }: Question,
  { most, best = terms && search.best(terms, most) }: Pick<Looked, 'most' | 'best'>,
): Promise<{ proposed: number[]; isAll: boolean }> => {
  const accepts = (passage: number) => search.isIndexed(passage) && search.accepts(passage)
  const nearest = (vector && (await vectors?.nearest(brainId, vector, most, accepts))) ?? []
  const proposed = [...new Set([...(best ?? []), ...nearest].map(({ passage }) => passage))]
  return { proposed, isAll: (best?.length ?? 0) < most && nearest.length < most }
}

/** The question with words and meaning that the best of the passages proposed lend to it. */
const enrich = async (
  deps: SearchDeps,
  brainId: number,
  question: Question,
  proposed: readonly number[],
): Promise<Question> => {
  const { search, terms, vector } = question
  // By meaning alone a second look finds no better. Where little was found, the best has nothing to lend.
  if (!terms || proposed.length < fewestForSecondLook) return question
  const exemplars = exemplarsOf(proposed, await legsOf(deps, brainId, question, proposed))
  const shares = new Map(exemplars.map(({ passage, share }) => [passage, share]))
  const texts = await search.texts([...shares.keys()])
  const counted = texts.map(({ passage, heading, text }) => ({
    share: shares.get(passage) ?? 0,
    counts: countTerms(`${heading}\n${text}`),
  }))
  const lent = termsOfExemplars(counted, isStopTerm)
  const wider = await search.widen([...lent.keys()])
  if (!wider) return question
  const enriched = { search: wider, terms: enrichTerms(terms, lent, wider), vector }
  if (!deps.vectors || !vector) return enriched
  const { vectors } = deps
  const lentVectors = exemplars.map(({ passage, share }) => ({
    share,
    vector: search.isIndexed(passage) ? vectors.vectorOf(brainId, vector, passage) : undefined,
  }))
  return { ...enriched, vector: { ...vector, values: enrichVector(vector.values, lentVectors) } }
}

/** The best of so many proposals, and whether there are no more. */
const findAmong = async (
  deps: SearchDeps,
  brainId: number,
  question: Question,
  { limit, passagesEach, ...looked }: Looked,
): Promise<{ hits: Hit[]; isAll: boolean }> => {
  const { search } = question
  const { proposed, isAll } = await propose(deps, brainId, question, looked)
  const candidates = gatherCandidates(search, proposed)
  const enriched = await enrich(deps, brainId, question, proposed)
  const legs = await legsOf(deps, brainId, enriched, candidates.passages)
  const ranked = rank(candidates, legs, { versionOf: search.first, passagesEach })
  return { hits: await readHits(search, ranked, limit), isAll }
}

const notYetIndexed = (count: number) => ({
  reason: 'not_yet_indexed' as const,
  message: `${count} of the newest changes are not searchable yet. Search again in a moment.`,
})
const notYetEmbedded = (count: number) => ({
  reason: 'not_yet_embedded' as const,
  message: `${count} passages can only be found by their words until they are embedded. Search again later.`,
})
const notAllExamined = {
  reason: 'not_all_examined' as const,
  message:
    'There were more matches than the search examines, and most of those examined cannot be returned. Narrow the search.',
}
const meaningUnavailable = {
  reason: 'meaning_unavailable' as const,
  message: 'No embedding model is available, so the results were found by words only.',
}

/** Finds what is relevant in a Brain: records, statements and documents, the best first, each by its best passage. */
export const findRelevant = async (deps: SearchDeps, brain: BrainRow, wanted: Wanted): Promise<Found> => {
  const { q, limit, mode } = wanted
  const { brainId } = brain
  const terms = queryTerms(q)
  const asksMeaning = mode !== 'lexical'
  let most = Math.max(leastProposed, limit * 2)
  // What is best by words is found while the model tells what the query means.
  const open = async () => {
    const search = await openPassageSearch(deps, brain, [...terms.keys()], wanted)
    return { search, best: mode === 'semantic' ? undefined : search.best(terms, most) }
  }
  const [{ search, best }, vector, pending] = await Promise.all([
    open(),
    asksMeaning ? deps.vectors?.embedQuery(q) : undefined,
    asksMeaning ? deps.vectors?.pending(brainId) : undefined,
  ])
  const isByWords = vector === undefined || mode !== 'semantic'
  const question = { search, terms: isByWords ? terms : undefined, vector }
  let found = await findAmong(deps, brainId, question, { ...wanted, most, best })
  // The best may all have ended a moment ago, not hold at the time, or be of one long document.
  for (let left = mostWidenings; left > 0 && found.hits.length < limit && !found.isAll; left--) {
    most *= widening
    found = await findAmong(deps, brainId, question, { ...wanted, most })
  }
  const { hits, isAll } = found
  const similarities = await similaritiesOf(
    deps,
    brainId,
    question,
    hits.map(({ passage }) => passage),
  )
  const lacksMeaning = asksMeaning && vector === undefined
  const unembedded = vector === undefined ? 0 : (pending ?? 0) + search.young
  return {
    hits: hits.map((hit, at) => ({ ...hit, similarity: similarities?.[at] })),
    terms: new Set(terms.keys()),
    mode: lacksMeaning ? 'lexical' : mode,
    degraded: [
      ...(lacksMeaning ? [meaningUnavailable] : []),
      ...(hits.length < limit && !isAll ? [notAllExamined] : []),
      ...(search.missing > 0 ? [notYetIndexed(search.missing)] : []),
      ...(unembedded > 0 ? [notYetEmbedded(unembedded)] : []),
    ],
    stateVersion: search.stateVersion,
  }
}
