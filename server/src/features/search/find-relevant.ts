import type { Provenance } from '@noema/contracts/common.ts'
import type { degradation, SearchMode } from '@noema/contracts/search.ts'
import type { z } from 'zod'
import type { RunPrepared } from '../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import {
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
import { type Candidate, type Ranked, rank } from './ranking.ts'
import { type Snippet, snippetOf } from './snippet.ts'

/** Finds by meaning: see features/vectors. */
export type Meanings<Query = unknown> = {
  embedQuery(text: string): Promise<Query | undefined>
  nearest(
    brainId: number,
    query: Query,
    count: number,
    asOf?: number,
  ): Promise<{ passage: number; similarity: number }[]>
  similarities(brainId: number, query: Query, passages: readonly number[]): Promise<(number | undefined)[]>
  pending(brainId: number): Promise<number>
}

export type SearchDeps = { prepared: RunPrepared; indexes: IndexReader; meanings?: Meanings | undefined }

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

/** Passages that each way of finding proposes. */
const proposed = 200
/** Terms of a query that are looked up: more say nothing more. */
const mostTerms = 64

/** The terms of a query with how often each stands in it. Words that build sentences count only where nothing else is. */
export const queryTerms = (q: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { term } of placedTerms(q)) counts.set(term, (counts.get(term) ?? 0) + 1)
  const meant = [...counts].filter(([term]) => !isStopTerm(term))
  return new Map((meant.length > 0 ? meant : [...counts]).slice(0, mostTerms))
}

/** Passages that are narrowed away are found, too, and left out, so more are asked for. */
const nearestOf = async (
  meanings: Meanings,
  brainId: number,
  query: unknown,
  search: PassageSearch,
  wanted: Wanted,
) => {
  const count = wanted.kinds || wanted.types ? proposed * 10 : proposed
  const nearest = await meanings.nearest(brainId, query, count, wanted.asOf)
  return nearest.flatMap(({ passage }) => (search.accepts(passage) ? [passage] : [])).slice(0, proposed)
}

type Legs = { search: PassageSearch; scores: LexicalScores | undefined; nearest: readonly number[] }

/** What either way proposes, and what stands next to that. */
const gather = ({ search, scores, nearest }: Legs): Candidate[] => {
  const found = new Set([...(scores?.top.map(({ passage }) => passage) ?? []), ...nearest])
  const neighbours = new Map([...found].map((passage) => [passage, search.neighbours(passage)]))
  for (const passage of [...neighbours.values()].flat())
    if (search.accepts(passage) && !neighbours.has(passage)) neighbours.set(passage, search.neighbours(passage))
  return [...neighbours].map(([passage, next]) => ({
    passage,
    version: search.first(passage),
    lexical: scores?.of(passage),
    neighbours: next,
  }))
}

/** Candidates from both ways, each scored in both. */
const propose = async (
  { meanings }: SearchDeps,
  brainId: number,
  {
    search,
    terms,
    wanted,
    query,
  }: { search: PassageSearch; terms: Map<string, number>; wanted: Wanted; query: unknown },
): Promise<Candidate[]> => {
  const scores = query !== undefined && wanted.mode === 'semantic' ? undefined : search.score(terms, proposed)
  if (!meanings || query === undefined) return gather({ search, scores, nearest: [] })
  const candidates = gather({ search, scores, nearest: await nearestOf(meanings, brainId, query, search, wanted) })
  const similarities = await meanings.similarities(
    brainId,
    query,
    candidates.map(({ passage }) => passage),
  )
  return candidates.map((candidate, at) => ({ ...candidate, semantic: similarities[at] ?? 0 }))
}

const hitOf = (live: LivePassage, { score, candidate, isLifted }: Ranked, terms: ReadonlySet<string>): Hit => {
  const { content } = live
  const snippet = snippetOf(live.text, terms)
  const thing =
    content.type === 'record' ? content.record : content.type === 'statement' ? content.statement : content.document
  return {
    ...live,
    title: titleOf(content, live.text),
    kind: kindOf(content),
    snippet,
    score,
    similarity: candidate.semantic,
    isLifted,
    provenance: thing.provenance,
  }
}

/** The best that are live, a few at a time: what the index proposes may have ended a moment ago. */
const readHits = async (
  search: PassageSearch,
  ranked: readonly Ranked[],
  terms: ReadonlySet<string>,
  limit: number,
) => {
  const hits: Hit[] = []
  for (let at = 0; hits.length < limit && at < ranked.length; ) {
    const next = ranked.slice(at, at + limit - hits.length + 10)
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
  const [search, query, pending] = await Promise.all([
    openPassageSearch(deps, brain, [...terms.keys()], wanted),
    asksMeaning ? deps.meanings?.embedQuery(q) : undefined,
    asksMeaning ? deps.meanings?.pending(brainId) : undefined,
  ])
  const candidates = await propose(deps, brainId, { search, terms, wanted, query })
  const hits = await readHits(search, rank(candidates, wanted.passagesEach), new Set(terms.keys()), limit)
  const lacksMeaning = asksMeaning && query === undefined
  return {
    hits,
    mode: lacksMeaning ? 'lexical' : mode,
    degraded: [
      ...(lacksMeaning ? [meaningUnavailable] : []),
      ...(search.missing > 0 ? [notYetIndexed(search.missing)] : []),
      ...(pending && !lacksMeaning ? [notYetEmbedded(pending)] : []),
    ],
    stateVersion: search.stateVersion,
  }
}
