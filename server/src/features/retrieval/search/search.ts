import { setImmediate } from 'node:timers/promises'
import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Evidence, MinEvidence, SearchMode, searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Measures } from '../../../shared/measures.ts'
import { inSpan, isTracing } from '../../../shared/tracing/spans.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { findBestEvidence, isEnough, judgeHits } from '../evidence/evidence.ts'
import type { LexicalIndex } from '../lexical-index/lexical-index.ts'
import type { LexicalSearch } from '../lexical-index/lexical-search.ts'
import type { Candidates, LivePassage, Narrowing, Scored } from '../lexical-index/types.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { maxReranked, type Reranker } from '../reranking/reranking.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import type { NoMeaning, Vectors } from '../vectors/vectors.ts'
import { checkMetadata, type MetadataDeps } from './check-metadata.ts'
import {
  type Degradation,
  meaningUnavailable,
  notAllExamined,
  notReranked,
  notSearchable,
  notYetEmbedded,
  notYetIndexed,
} from './degraded.ts'
import { chooseFeedback, minForFeedback, type Ranked, rank, type Scores } from './ranking.ts'
import { rerankHits } from './rerank-hits.ts'
import { type Hit, toResults } from './results.ts'

// Search finds versions by words, by meaning, or by both. The index and the vectors only propose: one statement reads each
// version's own row, for its content and whether it is live.

export type SearchDeps = {
  /** The database that the search reads from. */
  source: ReadSource
  lexicalIndex: LexicalIndex
  vectors: Vectors | undefined
  /** Puts results in order where a request asks for it; undefined where the operator configured none. */
  reranker: Reranker | undefined
  measures: Measures
}

export type SearchRequest = Narrowing & {
  q: string
  mode: SearchMode
  limit: number
  /** The number of passages of a version that may be hits; one by default. */
  passagesEach?: number
  /** The part of `q` that asks, if the rest is earlier conversation. */
  question?: string | undefined
  /** Hits with less evidence are left out. */
  minEvidence?: MinEvidence | undefined
  /** True if a reranker orders the best ones. */
  isReranked?: boolean
}

export type Found = {
  hits: Hit[]
  /** The best evidence of the hits. */
  evidence: Evidence
  /** The search by words, which makes snippets of the hits. */
  lexical: LexicalSearch
  mode: SearchMode
  degraded: Degradation[]
  stateVersion: number
}

/** The minimum of passages that each way of finding proposes; twice the limit where that is more. */
const minProposed = 80
/** The factor by which the number of proposals grows while too few of them can be answered, and how often it grows. */
const widening = 8
const maxWidenings = 2
/** Hits that are read beyond the limit, in place of those that were changed or retired a moment ago. */
const extraHits = 3

/** A query as it runs: by words, by meaning, or by both. */
type OpenQuery = {
  lexical: LexicalSearch
  semantic: VectorSearch | undefined
  /** Why there is no search by meaning where the request is for one. */
  noMeaning: NoMeaning | 'off' | undefined
  isByWords: boolean
  /** The best passages by words, of the first pass. */
  best?: Scored[] | undefined
}

/** The result of one pass: its hits, whether there are no more proposals, and how many passages have no vector yet. */
type Pass = { query: OpenQuery; hits: Hit[]; isAll: boolean; pending: number }

/** Stages with the seconds that they took, which are reported together. */
type Stages = { stage: string; seconds: number }[]
type Running = SearchDeps & { stages: Stages }

/** Runs a stage of a search, which is measured and traced. */
const inStage = async <Got>(stages: Stages, stage: string, task: () => Promise<Got>): Promise<Got> => {
  const since = performance.now()
  try {
    return await (isTracing ? inSpan(() => ({ name: `search ${stage}` }), task) : task())
  } finally {
    stages.push({ stage, seconds: (performance.now() - since) / 1_000 })
  }
}

/** Reports the stages of a task when it is over, also if it fails. */
const withStages = async <Got>({ measures }: SearchDeps, task: (stages: Stages) => Promise<Got>): Promise<Got> => {
  const stages: Stages = []
  try {
    return await task(stages)
  } finally {
    for (const { stage, seconds } of stages) measures.report('noema_search_seconds', seconds, { stage })
  }
}

/** Opens a query. The best passages by words are found while the model embeds the query. */
const openQuery = async (
  deps: SearchDeps,
  brain: BrainRow,
  request: SearchRequest,
  max: number,
): Promise<OpenQuery> => {
  const { q, mode } = request
  const [{ lexical, best }, found] = await Promise.all([
    deps.lexicalIndex
      .open(deps.source, brain, request)
      .then((opened) => ({ lexical: opened, best: mode === 'semantic' ? undefined : opened.findBest(max) })),
    mode === 'lexical' ? undefined : (deps.vectors?.openSearch(deps.source, brain.brainId, q) ?? ('off' as const)),
  ])
  const semantic = typeof found === 'string' ? undefined : found
  const noMeaning = typeof found === 'string' ? found : undefined
  return { lexical, semantic, noMeaning, isByWords: semantic === undefined || mode !== 'semantic', best }
}

/** Scores candidates again, by the query with the best of those proposed added to it. */
const scoreWithFeedback = (
  { lexical, semantic }: OpenQuery,
  { passages, proposed }: Candidates,
  first: readonly Scores[],
): Promise<Scores[]> => {
  const feedback = chooseFeedback(passages.slice(0, proposed), first)
  return Promise.all([
    lexical.scoreWithFeedback(feedback, passages),
    ...(semantic ? [semantic.compareWithFeedback(feedback, passages)] : []),
  ])
}

type Live = LivePassage & Pick<Ranked, 'score' | 'isLifted'>

/** Reads the best versions that are live, up to the limit. */
const readBest = async (
  { stages }: Running,
  lexical: LexicalSearch,
  ranked: readonly Ranked[],
  limit: number,
): Promise<Live[]> => {
  const found: Live[] = []
  for (let at = 0, count = limit + extraHits; found.length < limit && at < ranked.length; count *= 2) {
    const next = new Map(ranked.slice(at, at + count).map((one) => [one.passage, one]))
    at += count
    for (const live of await inStage(stages, 'read', () => lexical.readLive([...next.keys()]))) {
      const { score, isLifted } = next.get(live.passage) ?? { score: 0, isLifted: false }
      found.push({ ...live, score, isLifted })
    }
  }
  return found.slice(0, limit)
}

/** Finds the best among so many proposals each way, by a query that is open or is opened now. */
const findAmong = async (
  deps: Running,
  brain: BrainRow,
  request: SearchRequest,
  { max, opened }: { max: number; opened?: OpenQuery },
): Promise<Pass> => {
  const query = opened ?? (await inStage(deps.stages, 'open', () => openQuery(deps, brain, request, max)))
  const { lexical, semantic, isByWords } = query
  const best = query.best ?? (isByWords ? lexical.findBest(max) : [])
  const nearest = semantic && (await inStage(deps.stages, 'nearest', () => semantic.findNearest(max, lexical.accepted)))
  const near = nearest?.passages ?? []
  const candidates = lexical.findCandidates(new Set([...best, ...near].map(({ passage }) => passage)))
  // Feedback does not improve a search by meaning alone.
  const hasFeedback = isByWords && candidates.proposed >= minForFeedback
  const compared = hasFeedback ? candidates.passages.slice(0, candidates.proposed) : candidates.passages
  const first: Scores[] = isByWords ? [candidates.scores.subarray(0, compared.length)] : []
  if (semantic) first.push(await semantic.compare(compared))
  const scores = hasFeedback ? await scoreWithFeedback(query, candidates, first) : first
  const ranked = rank(candidates, scores, request.passagesEach)
  const live = await readBest(deps, lexical, ranked, request.limit)
  return {
    query,
    hits: await judgeHits({ lexical, semantic, candidates, question: request.question }, live),
    isAll: best.length < max && near.length < max,
    pending: nearest?.pending ?? 0,
  }
}

/** Finds the relevant versions, in the order of the search itself. */
const findInOrder = async (deps: Running, brain: BrainRow, request: SearchRequest): Promise<Found> => {
  const { limit, mode } = request
  let max = Math.max(minProposed, limit * 2)
  let found = await findAmong(deps, brain, request, { max })
  const { lexical, semantic, noMeaning, isByWords } = found.query
  // The best may all have ended a moment ago, not be valid at the requested time, or be of one long document.
  for (let left = maxWidenings; left > 0 && found.hits.length < limit && !found.isAll; left--) {
    max *= widening
    found = await findAmong(deps, brain, request, { max, opened: { lexical, semantic, noMeaning, isByWords } })
  }
  const { isAll, pending } = found
  const hits = found.hits.filter(({ evidence }) => isEnough(evidence, request.minEvidence))
  const unembedded = semantic === undefined ? 0 : pending + lexical.unindexed
  return {
    hits,
    evidence: findBestEvidence(hits),
    lexical,
    mode: noMeaning ? 'lexical' : mode,
    degraded: [
      ...(noMeaning ? [meaningUnavailable(noMeaning)] : []),
      ...(found.hits.length < limit && !isAll ? [notAllExamined] : []),
      ...(lexical.missing > 0 ? [notYetIndexed(lexical.missing)] : []),
      ...(lexical.unsearchable.length > 0 ? [notSearchable(lexical.unsearchable)] : []),
      ...(unembedded > 0
        ? [notYetEmbedded(unembedded, deps.vectors?.pace.secondsFor(brain.brainId, unembedded) ?? null)]
        : []),
    ],
    stateVersion: lexical.stateVersion,
  }
}

/** Finds the relevant versions, in the order of a reranker. It gets more than the limit: the best answer may be further down. */
const findReranked = async (deps: Running, brain: BrainRow, request: SearchRequest): Promise<Found> => {
  const { q, question = q, limit } = request
  const { reranker } = deps
  const proposed = reranker ? Math.max(limit, maxReranked) : limit
  const found = await findInOrder(deps, brain, { ...request, limit: proposed })
  const best = found.hits.slice(0, maxReranked)
  const rerank = reranker && (() => rerankHits(reranker, brain, { query: question, hits: best }))
  const inOrder = rerank && (await inStage(deps.stages, 'rerank', rerank))
  const hits = (inOrder ?? found.hits).slice(0, limit)
  const degraded = inOrder ? found.degraded : [...found.degraded, notReranked]
  return { ...found, hits, evidence: findBestEvidence(hits), degraded }
}

/** Finds the records, statements and documents of a Brain that are relevant, the best first, each by its best passage. */
export const findRelevant = (deps: SearchDeps, brain: BrainRow, request: SearchRequest): Promise<Found> =>
  withStages(deps, (stages) => (request.isReranked ? findReranked : findInOrder)({ ...deps, stages }, brain, request))

/** Answers a search, and leaves a receipt of the versions that it served. */
export const runSearch = async (
  deps: SearchDeps & MetadataDeps & { receipts: ReceiptWriter; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Result<typeof searchBrain>> => {
  await checkMetadata(deps, brain, query.metadata)
  const { hits, evidence, lexical, mode, degraded, stateVersion } = await findRelevant(deps, brain, {
    ...query,
    isReranked: query.rerank === 'true',
  })
  const { consumerId } = query
  // The receipt is committed while the answer is put together.
  const [receipt, snippets] = await Promise.all([
    withStages(deps, (stages) =>
      inStage(stages, 'receipt', () =>
        leaveReceipt(deps, brain, { consumerId, operation: 'search', stateVersion, items: hits }),
      ),
    ),
    setImmediate(hits).then((found) => lexical.makeSnippets(found)),
  ])
  const results = toResults(hits, snippets)
  return { results, evidence, mode, ...(degraded.length > 0 ? { degraded } : {}), receipt, stateVersion }
}
