import { setImmediate } from 'node:timers/promises'
import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Evidence, MinEvidence, SearchMode, searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Measures } from '../../../shared/measures.ts'
import { inSpan } from '../../../shared/tracing/spans.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { supportHits } from '../evidence/evidence.ts'
import { findBestEvidence, isEnough, judge } from '../evidence/judge.ts'
import type { LexicalIndex } from '../lexical-index/lexical-index.ts'
import type { LexicalSearch } from '../lexical-index/lexical-search.ts'
import type { Candidates, Narrowing, Scored } from '../lexical-index/types.ts'
import { leaveReceipt, type ReceiptBook } from '../receipts/leave-receipt.ts'
import { maxReranked, type Reranker } from '../reranking/reranking.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import type { Vectors } from '../vectors/vectors.ts'
import {
  type Degradation,
  meaningUnavailable,
  notAllExamined,
  notReranked,
  notSearchable,
  notYetEmbedded,
  notYetIndexed,
} from './degraded.ts'
import { chooseFeedback, minForSecondLook, rank, type Scores } from './ranking.ts'
import { rerankHits } from './rerank-hits.ts'
import { type Hit, toResults } from './results.ts'

// Search finds versions by words, by meaning, or by both. The index and the vectors only propose: whether a version is live
// is read from its own row, in one statement with what is answered.

export type SearchDeps = {
  /** What is read from. */
  source: ReadSource
  lexicalIndex: LexicalIndex
  vectors: Vectors | undefined
  /** What puts results in order for who asks for it; undefined where the operator set up none. */
  reranker: Reranker | undefined
  measures: Measures
}

/** What to find. */
export type Wanted = Narrowing & {
  q: string
  mode: SearchMode
  limit: number
  /** Of how many passages a version may be found by; each is a hit. One unless told. */
  passagesEach?: number
  /** The part of `q` that asks, where the rest is what was said before. */
  question?: string | undefined
  /** Hits with less evidence are left out. */
  minEvidence?: MinEvidence | undefined
  /** Whether a reranker puts the best in order. */
  isReranked?: boolean
}

export type Found = {
  hits: Hit[]
  /** The best of the hits. */
  evidence: Evidence
  /** The search by words, which shows where they stand. */
  lexical: LexicalSearch
  mode: SearchMode
  degraded: Degradation[]
  stateVersion: number
}

/** Passages that each way of finding proposes, at least; twice as many as are wanted where those are many. */
const minProposed = 80
/** How many times as many are proposed next, where too few of them may be answered; and how often. */
const widening = 8
const maxWidenings = 2
/** Hits that are read beyond those wanted, for what ended a moment ago. */
const spareHits = 3

/** A query as it is asked: by words, by meaning, or by both. */
type OpenQuery = {
  lexical: LexicalSearch
  semantic: VectorSearch | undefined
  isByWords: boolean
  /** What is best by words, of the first look. */
  best?: Scored[] | undefined
}

/** What was found among so many proposals, whether there are no more, and how many passages meaning cannot find yet. */
type Looked = { query: OpenQuery; hits: Hit[]; isAll: boolean; pending: number }

/** Opens a query. What is best by words is found while the model tells what the query means. */
const openQuery = async (deps: SearchDeps, brain: BrainRow, wanted: Wanted, max: number): Promise<OpenQuery> => {
  const { q, mode } = wanted
  const [{ lexical, best }, semantic] = await Promise.all([
    deps.lexicalIndex
      .open(deps.source, brain, wanted)
      .then((opened) => ({ lexical: opened, best: mode === 'semantic' ? undefined : opened.findBest(max) })),
    mode === 'lexical' ? undefined : deps.vectors?.openSearch(deps.source, brain.brainId, q),
  ])
  return { lexical, semantic, isByWords: semantic === undefined || mode !== 'semantic', best }
}

/** Scores candidates once more, with what the best of those proposed add to the query. */
const scoreAgain = (
  { lexical, semantic }: OpenQuery,
  { passages, proposed }: Candidates,
  scores: readonly Scores[],
): Promise<Scores[]> => {
  const feedback = chooseFeedback(passages.slice(0, proposed), scores)
  return Promise.all([
    lexical.scoreWithFeedback(feedback, passages),
    ...(semantic ? [semantic.compareWithFeedback(feedback, passages)] : []),
  ])
}

/** Does a stage of a search, which is measured and traced. */
const inStage = <Got>({ measures }: Pick<SearchDeps, 'measures'>, stage: string, task: () => Promise<Got>) =>
  inSpan(
    () => ({ name: `search ${stage}` }),
    () => measures.time('noema_search_seconds', { stage }, task),
  )

/** Finds the best of at most so many proposals each way, by a query that is open or is opened for it. */
const findAmong = async (
  deps: SearchDeps,
  brain: BrainRow,
  wanted: Wanted,
  { max, opened }: { max: number; opened?: OpenQuery },
): Promise<Looked> => {
  const { limit, passagesEach } = wanted
  const time = <Got>(stage: string, task: () => Promise<Got>) => inStage(deps, stage, task)
  const query = opened ?? (await time('open', () => openQuery(deps, brain, wanted, max)))
  const { lexical, semantic, isByWords } = query
  const best = query.best ?? (isByWords ? lexical.findBest(max) : [])
  const nearest = semantic && (await time('nearest', () => semantic.findNearest(max, lexical.accepted)))
  const near = nearest?.passages ?? []
  const candidates = lexical.findCandidates(new Set([...best, ...near].map(({ passage }) => passage)))
  // By meaning alone a second look finds no better.
  const isSeenTwice = isByWords && candidates.proposed >= minForSecondLook
  const compared = isSeenTwice ? candidates.passages.slice(0, candidates.proposed) : candidates.passages
  const first: Scores[] = isByWords ? [candidates.scores.subarray(0, compared.length)] : []
  if (semantic) first.push(await semantic.compare(compared))
  const scores = isSeenTwice ? await scoreAgain(query, candidates, first) : first
  const ranked = rank(candidates, scores, passagesEach)
  const found: Omit<Hit, 'similarity' | 'support' | 'evidence'>[] = []
  // What the index proposes may have ended a moment ago.
  for (let at = 0, count = limit + spareHits; found.length < limit && at < ranked.length; count *= 2) {
    const next = new Map(ranked.slice(at, at + count).map((one) => [one.passage, one]))
    at += count
    for (const live of await time('read', () => lexical.readLive([...next.keys()]))) {
      const { score, isLifted } = next.get(live.passage) ?? { score: 0, isLifted: false }
      found.push({ ...live, score, isLifted })
    }
  }
  const hits = found.slice(0, limit)
  // Of what only stands around proposals, the cosines may not be known yet.
  const unknown = hits.map(({ passage }) => passage).filter((passage) => !semantic?.similarities.has(passage))
  if (unknown.length > 0) await semantic?.compare(unknown)
  const supports = supportHits({ lexical, semantic, candidates, question: wanted.question }, hits)
  return {
    query,
    hits: hits.map((hit, index) => {
      const support = supports[index] ?? 0
      const similarity = semantic?.similarities.get(hit.passage) ?? Number.NaN
      return { ...hit, similarity, support, evidence: judge(support) }
    }),
    isAll: best.length < max && near.length < max,
    pending: nearest?.pending ?? 0,
  }
}

/** Finds what is relevant, in the order of the search itself. */
const findInOrder = async (deps: SearchDeps, brain: BrainRow, wanted: Wanted): Promise<Found> => {
  const { limit, mode } = wanted
  let max = Math.max(minProposed, limit * 2)
  let found = await findAmong(deps, brain, wanted, { max })
  const { lexical, semantic, isByWords } = found.query
  // The best may all have ended a moment ago, not hold at the time, or be of one long document.
  for (let left = maxWidenings; left > 0 && found.hits.length < limit && !found.isAll; left--) {
    max *= widening
    found = await findAmong(deps, brain, wanted, { max, opened: { lexical, semantic, isByWords } })
  }
  const { isAll, pending } = found
  const hits = found.hits.filter(({ evidence }) => isEnough(evidence, wanted.minEvidence))
  const lacksMeaning = mode !== 'lexical' && semantic === undefined
  const unembedded = semantic === undefined ? 0 : pending + lexical.unindexed
  return {
    hits,
    evidence: findBestEvidence(hits),
    lexical,
    mode: lacksMeaning ? 'lexical' : mode,
    degraded: [
      ...(lacksMeaning ? [meaningUnavailable] : []),
      ...(found.hits.length < limit && !isAll ? [notAllExamined] : []),
      ...(lexical.missing > 0 ? [notYetIndexed(lexical.missing)] : []),
      ...(lexical.unsearchable.length > 0 ? [notSearchable(lexical.unsearchable)] : []),
      ...(unembedded > 0 ? [notYetEmbedded(unembedded)] : []),
    ],
    stateVersion: lexical.stateVersion,
  }
}

/**
 * Finds what is relevant in a Brain: records, statements and documents, the best first, each by its best passage. A reranker is
 * given more than is wanted: what answers best may stand further down.
 */
export const findRelevant = async (deps: SearchDeps, brain: BrainRow, wanted: Wanted): Promise<Found> => {
  const { q, question = q, limit, isReranked } = wanted
  const { reranker } = deps
  if (!isReranked) return findInOrder(deps, brain, wanted)
  const proposed = reranker ? Math.max(limit, maxReranked) : limit
  const found = await findInOrder(deps, brain, { ...wanted, limit: proposed })
  const best = found.hits.slice(0, maxReranked)
  const rerank = reranker && (() => rerankHits(reranker, brain, { query: question, hits: best }))
  const inOrder = rerank && (await inStage(deps, 'rerank', rerank))
  const hits = (inOrder ?? found.hits).slice(0, limit)
  const degraded = inOrder ? found.degraded : [...found.degraded, notReranked]
  return { ...found, hits, evidence: findBestEvidence(hits), degraded }
}

/** Answers a search, and leaves a receipt of what it served. */
export const runSearch = async (
  deps: SearchDeps & { receipts: ReceiptBook; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Result<typeof searchBrain>> => {
  const { hits, evidence, lexical, mode, degraded, stateVersion } = await findRelevant(deps, brain, {
    ...query,
    isReranked: query.rerank === 'true',
  })
  const { consumerId } = query
  // The receipt is on its way to the disk while the answer is put together.
  const [receipt, snippets] = await Promise.all([
    inStage(deps, 'receipt', () =>
      leaveReceipt(deps, brain, { consumerId, operation: 'search', stateVersion, items: hits }),
    ),
    setImmediate(hits).then((found) => lexical.makeSnippets(found)),
  ])
  const results = toResults(hits, snippets)
  return { results, evidence, mode, ...(degraded.length > 0 ? { degraded } : {}), receipt, stateVersion }
}
