import type { Provenance } from '@noema/contracts/common.ts'
import type { degradation, SearchMode } from '@noema/contracts/search.ts'
import type { z } from 'zod'
import type { RunPrepared } from '../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import {
  countTerms,
  foundBy,
  type IndexReader,
  isStopTerm,
  kindOf,
  type LexicalScores,
  type LivePassage,
  type Narrowing,
  openPassageSearch,
  type PassageSearch,
  placedTerms,
  titleOf,
} from '../passages/passages.ts'
import type { QueryVector, Vectors } from '../vectors/vectors.ts'
import { enrichTerms, enrichVector, termsOfExemplars } from './feedback.ts'
import { type Candidate, exemplarsOf, type Ranked, rank } from './ranking.ts'
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
/** How many times as many are proposed next, where too few of them may be answered. */
const widening = 8
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

type Asked = {
  search: PassageSearch
  terms: ReadonlyMap<string, number>
  wanted: Wanted
  query: QueryVector | undefined
}

/** A candidate with how near it is to the query as it was asked. */
type Proposal = Candidate & { similarity?: number | undefined }

/** What either way proposes, and what stands around that. */
const gather = (search: PassageSearch, scores: LexicalScores | undefined, nearest: readonly number[]): Proposal[] => {
  const known = new Map(scores?.top.map(({ passage, score }) => [passage, score]))
  const proposals = new Set([...known.keys(), ...nearest])
  const around = new Map([...proposals].map((passage) => [passage, search.neighbours(passage)]))
  for (const { passage } of [...around.values()].flat())
    if (!around.has(passage) && search.accepts(passage)) around.set(passage, search.neighbours(passage))
  return [...around].map(([passage, neighbours]) => ({
    passage,
    version: search.first(passage),
    lexical: known.get(passage) ?? scores?.of(passage),
    isProposed: proposals.has(passage),
    neighbours,
  }))
}

/** How near passages are to a query. Those that are not indexed yet have no number that vectors could know. */
const similaritiesOf = async (
  vectors: Vectors,
  brainId: number,
  query: QueryVector,
  search: PassageSearch,
  candidates: readonly Candidate[],
): Promise<Map<number, number | undefined>> => {
  const passages = candidates.flatMap(({ passage }) => (search.isIndexed(passage) ? [passage] : []))
  const similarities = await vectors.similarities(brainId, query, passages)
  return new Map(passages.map((passage, at) => [passage, similarities[at]]))
}

/** Candidates, and whether there are no more. */
type Proposed = { candidates: Proposal[]; isAll: boolean }

/** Candidates from both ways, at most so many from each, and each scored in both. */
const propose = async ({ vectors }: SearchDeps, brainId: number, asked: Asked, most: number): Promise<Proposed> => {
  const { search, terms, wanted, query } = asked
  const isSemantic = query !== undefined && wanted.mode === 'semantic'
  const scores = isSemantic ? undefined : search.score(terms, most)
  const isAllByWords = scores === undefined || scores.top.length < most
  if (!vectors || !query) return { candidates: gather(search, scores, []), isAll: isAllByWords }
  const accepts = (passage: number) => search.isIndexed(passage) && search.accepts(passage)
  const nearest = (await vectors.nearest(brainId, query, most, accepts)).map(({ passage }) => passage)
  const candidates = gather(search, scores, nearest)
  const near = await similaritiesOf(vectors, brainId, query, search, candidates)
  return {
    candidates: candidates.map((candidate) => {
      const similarity = near.get(candidate.passage)
      return { ...candidate, semantic: similarity, similarity }
    }),
    isAll: isAllByWords && nearest.length < most,
  }
}

/** The candidates scored anew, by a query that the best of them lent words and meaning to. */
const lookAgain = async (
  { vectors }: SearchDeps,
  brainId: number,
  { search, terms, query }: Asked,
  candidates: readonly Proposal[],
): Promise<readonly Proposal[]> => {
  // Where little was found, the best is not much better than the rest, and has nothing to lend.
  if (candidates.length < fewestForSecondLook) return candidates
  const shares = new Map(exemplarsOf(candidates).map(({ passage, share }) => [passage, share]))
  const exemplars = (await search.read([...shares.keys()])).map(({ passage, content, text }) => ({
    passage,
    share: shares.get(passage) ?? 0,
    counts: countTerms(content, text),
  }))
  const lent = termsOfExemplars(exemplars, isStopTerm)
  const wider = await search.widen([...lent.keys()])
  if (!wider) return candidates
  const passages = candidates.map(({ passage }) => passage)
  const byWords = wider.scoresOf(enrichTerms(terms, lent, wider), passages)
  const scored = candidates.map((candidate, at) => ({ ...candidate, lexical: byWords[at] }))
  if (!vectors || !query) return scored
  const lentVectors = exemplars.map(({ passage, share }) => ({
    share,
    vector: search.isIndexed(passage) ? vectors.vectorOf(brainId, query, passage) : undefined,
  }))
  const moved = { ...query, values: enrichVector(query.values, lentVectors) }
  const near = await similaritiesOf(vectors, brainId, moved, search, candidates)
  return scored.map((candidate) => ({ ...candidate, semantic: near.get(candidate.passage) }))
}

const hitOf = (
  live: LivePassage,
  { score, candidate, isLifted }: Ranked<Proposal>,
  terms: ReadonlySet<string>,
): Hit => {
  const { content } = live
  const snippet = snippetOf(live.text, terms, foundBy(content))
  const thing =
    content.type === 'record' ? content.record : content.type === 'statement' ? content.statement : content.document
  return {
    ...live,
    title: titleOf(content, live.text),
    kind: kindOf(content),
    snippet,
    score,
    similarity: candidate.similarity,
    isLifted,
    provenance: thing.provenance,
  }
}

/** What is read beyond what is wanted, for what ended a moment ago. */
const spare = 3

/** The best that are live, a few at a time: what the index proposes may have ended a moment ago. */
const readHits = async (
  search: PassageSearch,
  ranked: readonly Ranked<Proposal>[],
  terms: ReadonlySet<string>,
  limit: number,
) => {
  const hits: Hit[] = []
  let taken = limit + spare
  for (let at = 0; hits.length < limit && at < ranked.length; taken *= 2) {
    const next = ranked.slice(at, at + taken)
    at += next.length
    const byPassage = new Map(next.map((one) => [one.candidate.passage, one]))
    for (const live of await search.read(next.map(({ candidate }) => candidate.passage))) {
      const one = byPassage.get(live.passage)
      if (one && hits.length < limit) hits.push(hitOf(live, one, terms))
    }
  }
  return hits
}

/** The best of so many proposals, and whether there are no more. */
const findAmong = async (
  deps: SearchDeps,
  brainId: number,
  asked: Asked,
  most: number,
): Promise<{ hits: Hit[]; isAll: boolean }> => {
  const { search, terms, wanted, query } = asked
  const { candidates, isAll } = await propose(deps, brainId, asked, most)
  // By meaning alone, the second look finds no better than the first.
  const isByWords = query === undefined || wanted.mode !== 'semantic'
  const scored = isByWords ? await lookAgain(deps, brainId, asked, candidates) : candidates
  const ranked = rank(scored, wanted.passagesEach)
  return { hits: await readHits(search, ranked, new Set(terms.keys()), wanted.limit), isAll }
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
  const [search, query, pending] = await Promise.all([
    openPassageSearch(deps, brain, [...terms.keys()], wanted),
    asksMeaning ? deps.vectors?.embedQuery(q) : undefined,
    asksMeaning ? deps.vectors?.pending(brainId) : undefined,
  ])
  const asked = { search, terms, wanted, query }
  let most = Math.max(leastProposed, limit * 2)
  let found = await findAmong(deps, brainId, asked, most)
  // The best may all have ended a moment ago, not hold at the time, or be of one long document.
  while (found.hits.length < limit && !found.isAll) {
    most *= widening
    found = await findAmong(deps, brainId, asked, most)
  }
  const lacksMeaning = asksMeaning && query === undefined
  const unembedded = query === undefined ? 0 : (pending ?? 0) + search.young
  return {
    hits: found.hits,
    mode: lacksMeaning ? 'lexical' : mode,
    degraded: [
      ...(lacksMeaning ? [meaningUnavailable] : []),
      ...(search.missing > 0 ? [notYetIndexed(search.missing)] : []),
      ...(unembedded > 0 ? [notYetEmbedded(unembedded)] : []),
    ],
    stateVersion: search.stateVersion,
  }
}
