import type { Provenance } from '@noema/contracts/common.ts'
import type { degradation, SearchMode } from '@noema/contracts/search.ts'
import type { z } from 'zod'
import type { RunPrepared } from '../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import {
  countTerms,
  type IndexReader,
  isStopTerm,
  kindOf,
  type LivePassage,
  type Narrowing,
  openPassageSearch,
  type PassageSearch,
  placedTerms,
  titleOf,
} from '../passages/passages.ts'
import type { QueryVector, Vectors } from '../vectors/vectors.ts'
import { gatherCandidates } from './candidates.ts'
import { enrichTerms, enrichVector, termsOfExemplars } from './feedback.ts'
import { exemplarsOf, type Leg, type Ranked, rank } from './ranking.ts'
import { type Snippet, snippetOf } from './snippet.ts'

export type SearchDeps = { prepared: RunPrepared; indexes: IndexReader; vectors: Vectors | undefined }

/** What to find. */
export type Wanted = Narrowing & {
  q: string
  mode: SearchMode
  limit: number
  /** Of how many passages a version may be found by; each is a hit. One unless told. */
  passagesEach?: number
}

/** A version that was found, by its best passage. */
export type Hit = LivePassage & {
  title: string
  kind: string | undefined
  snippet: Snippet
  score: number
  similarity: number | undefined
  /** Whether what stands next to it counted for more than it does itself. */
  isLifted: boolean
  provenance: Provenance
}

export type Found = {
  hits: Hit[]
  mode: SearchMode
  degraded: z.infer<typeof degradation>[]
  stateVersion: number
}

/** Passages that each way of finding proposes, at least; twice as many as are wanted where those are many. */
const leastProposed = 100
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

/** The best by words and the nearest by meaning. */
const propose = async (
  { vectors }: SearchDeps,
  brainId: number,
  { search, terms, vector }: Question,
  count: number,
): Promise<number[]> => {
  const accepts = (passage: number) => search.isIndexed(passage) && search.accepts(passage)
  const nearest = vector ? await vectors?.nearest(brainId, vector, count, accepts) : undefined
  const best = terms ? search.best(terms, count) : []
  return [...new Set([...best, ...(nearest ?? [])].map(({ passage }) => passage))]
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

/** Passages in the order in which they answer a question, each version by as many as are wanted. */
const order = async (
  deps: SearchDeps,
  brainId: number,
  question: Question,
  { limit, passagesEach }: Pick<Wanted, 'limit' | 'passagesEach'>,
): Promise<Ranked[]> => {
  const { search } = question
  const proposed = await propose(deps, brainId, question, Math.max(leastProposed, limit * 2))
  const candidates = gatherCandidates(search, proposed)
  const enriched = await enrich(deps, brainId, question, proposed)
  const legs = await legsOf(deps, brainId, enriched, candidates.passages)
  return rank(candidates, legs, { versionOf: search.first, passagesEach })
}

const hitOf = (live: LivePassage, { score, isLifted }: Ranked, terms: ReadonlySet<string>): Omit<Hit, 'similarity'> => {
  const { content } = live
  const thing =
    content.type === 'record' ? content.record : content.type === 'statement' ? content.statement : content.document
  return {
    ...live,
    title: titleOf(content, live.text),
    kind: kindOf(content),
    snippet: snippetOf(live.text, terms),
    score,
    isLifted,
    provenance: thing.provenance,
  }
}

/** What is read beyond what is wanted, for what ended a moment ago. */
const spare = 3

/** The best that are live, a few at a time: what the index proposes may have ended a moment ago. */
const readHits = async (
  search: PassageSearch,
  ranked: readonly Ranked[],
  terms: ReadonlySet<string>,
  limit: number,
) => {
  const hits: Omit<Hit, 'similarity'>[] = []
  for (let at = 0; hits.length < limit && at < ranked.length; ) {
    const next = ranked.slice(at, at + limit - hits.length + spare)
    at += next.length
    const byPassage = new Map(next.map((one) => [one.passage, one]))
    for (const live of await search.read(next.map(({ passage }) => passage))) {
      const one = byPassage.get(live.passage)
      if (one && hits.length < limit) hits.push(hitOf(live, one, terms))
    }
  }
  return hits
}

const notYetIndexed = (count: number) => ({
  reason: 'not_yet_indexed' as const,
  message: `${count} of the newest changes are not searchable yet. Search again in a moment.`,
})
const notYetEmbedded = (count: number) => ({
  reason: 'not_yet_embedded' as const,
  message: `${count} passages are found by words alone until their meanings are known. Search again in a while.`,
})
const meaningUnavailable = {
  reason: 'meaning_unavailable' as const,
  message: 'No model is at hand to tell meanings; this was found by words alone.',
}

/** Finds what is relevant in a Brain: records, statements and documents, the best first, each by its best passage. */
export const findRelevant = async (deps: SearchDeps, brain: BrainRow, wanted: Wanted): Promise<Found> => {
  const { q, limit, mode } = wanted
  const { brainId } = brain
  const terms = queryTerms(q)
  const asksMeaning = mode !== 'lexical'
  const [search, vector, pending] = await Promise.all([
    openPassageSearch(deps, brain, [...terms.keys()], wanted),
    asksMeaning ? deps.vectors?.embedQuery(q) : undefined,
    asksMeaning ? deps.vectors?.pending(brainId) : undefined,
  ])
  const isByWords = vector === undefined || mode !== 'semantic'
  const question = { search, terms: isByWords ? terms : undefined, vector }
  const ranked = await order(deps, brainId, question, wanted)
  const hits = await readHits(search, ranked, new Set(terms.keys()), limit)
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
    mode: lacksMeaning ? 'lexical' : mode,
    degraded: [
      ...(lacksMeaning ? [meaningUnavailable] : []),
      ...(search.missing > 0 ? [notYetIndexed(search.missing)] : []),
      ...(unembedded > 0 ? [notYetEmbedded(unembedded)] : []),
    ],
    stateVersion: search.stateVersion,
  }
}
