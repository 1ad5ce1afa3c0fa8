import { setImmediate } from 'node:timers/promises'
import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Evidence, MinEvidence, SearchMode, searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import { inSpan, isTracing } from '../../../shared/tracing/spans.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { findBestEvidence, isEnough, judgeHits } from '../evidence/evidence.ts'
import type { Narrowing, Snippet } from '../lexical-index/types.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { maxReranked } from '../reranking/reranking.ts'
import { checkMetadata, type MetadataDeps } from './check-metadata.ts'
import { type Degradation, describeSearched, notAllExamined, notReranked } from './degraded.ts'
import type { SearchDeps, SearchedBrain } from './open-brain.ts'
import {
  compare,
  findBest,
  findCandidates,
  findNearest,
  type Open,
  type OpenQuery,
  openBrain,
  openQuery,
  type Pool,
  scoreAgain,
  splitByBrain,
} from './pool.ts'
import { chooseFeedback, minForFeedback, type Ranked, rank, type Scores } from './ranking.ts'
import { rerankHits } from './rerank-hits.ts'
import { type Hit, toResults } from './results.ts'

// Search finds versions by words, by meaning, or by both, in one Brain or in several as if they were one. The index and the vectors
// only propose: one statement reads each version's own row, for its content and whether it is live.

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

/** The request, without what each Brain was opened with. */
type Ranking = Omit<SearchRequest, keyof Narrowing>

export type Found = {
  hits: Hit[]
  /** The best evidence of the hits. */
  evidence: Evidence
  /** The searched Brains, in the order in which they were opened. */
  searched: readonly SearchedBrain[]
  mode: SearchMode
  /** Why the search may be incomplete: of the whole, and of each Brain. */
  degraded: Degradation[]
  degradedEach: Degradation[][]
}

/** The minimum of passages that each way of finding proposes; twice the limit where that is more. */
const minProposed = 80
/** The factor by which the number of proposals grows while too few of them can be answered, and how often it grows. */
const widening = 8
const maxWidenings = 2
/** Hits that are read beyond the limit, in place of those that were changed or retired a moment ago. */
const extraHits = 3

/** The result of one pass: its hits, whether there are no more proposals, and how many passages of each Brain have no vector yet. */
type Pass = { query: OpenQuery; hits: Hit[]; isAll: boolean; pending: readonly number[] }

/** Stages with the seconds that they took, which are reported together. */
type Stages = { stage: string; seconds: number }[]
type RankingDeps = Omit<SearchDeps, 'source'>
type Running = RankingDeps & { stages: Stages }

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
const withStages = async <Got>(
  { measures }: Pick<SearchDeps, 'measures'>,
  task: (stages: Stages) => Promise<Got>,
): Promise<Got> => {
  const stages: Stages = []
  try {
    return await task(stages)
  } finally {
    for (const { stage, seconds } of stages) measures.report('noema_search_seconds', seconds, { stage })
  }
}

type Live = Omit<Hit, 'similarity' | 'support' | 'evidence'>

/** Reads the best versions that are live, up to the limit. */
const readBest = async (
  { stages }: Running,
  searched: readonly SearchedBrain[],
  ranked: readonly Ranked[],
  limit: number,
): Promise<Live[]> => {
  const found: Live[] = []
  for (let at = 0, count = limit + extraHits; found.length < limit && at < ranked.length; count *= 2) {
    const next = ranked.slice(at, at + count)
    at += count
    const split = searched.length === 1 ? [next] : splitByBrain(searched, next)
    const read = await inStage(stages, 'read', () =>
      Promise.all(
        searched.map(({ lexical }, owner) => lexical.readLive(split[owner]?.map((one) => one.passage) ?? [])),
      ),
    )
    const live = new Map(
      read.flatMap((rows, owner) => rows.map((row) => [row.passage + (searched[owner]?.offset ?? 0), { row, owner }])),
    )
    for (const { passage, score, isLifted } of next) {
      const one = live.get(passage)
      if (one) found.push({ ...one.row, owner: one.owner, score, isLifted })
    }
  }
  return found.slice(0, limit)
}

/** Adds its evidence to each hit, by the Brain that it is from. */
const judgeAll = async (
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

/** Finds the best among so many proposals each way, by a query that is open or is opened now. */
const findAmong = async (deps: Running, request: Ranking, query: OpenQuery, max: number): Promise<Pass> => {
  const { searched, isByWords, isByMeaning } = query
  const best = query.best ?? (isByWords ? await findBest(searched, max) : [])
  const nearest = isByMeaning ? await inStage(deps.stages, 'nearest', () => findNearest(searched, max)) : undefined
  const near = nearest?.passages ?? []
  const candidates = await findCandidates(searched, new Set([...best, ...near].map(({ passage }) => passage)))
  const { passages, proposed } = candidates
  // Feedback does not improve a search by meaning alone.
  const hasFeedback = isByWords && proposed >= minForFeedback
  const compared = hasFeedback ? passages.slice(0, proposed) : passages
  const first: Scores[] = isByWords ? [candidates.scores.subarray(0, compared.length)] : []
  if (isByMeaning) first.push(await compare(searched, compared))
  const scores = hasFeedback
    ? await scoreAgain(searched, chooseFeedback(passages.slice(0, proposed), first), passages)
    : first
  const ranked = rank(candidates, scores, request.passagesEach)
  const live = await readBest(deps, searched, ranked, request.limit)
  return {
    query,
    hits: await judgeAll(searched, candidates, request.question, live),
    isAll: best.length < max && near.length < max,
    pending: nearest?.pending ?? [],
  }
}

/** Finds the relevant versions, in the order of the search itself. */
const findInOrder = async (deps: Running, open: Open, request: Ranking): Promise<Found> => {
  const { limit, mode } = request
  let max = Math.max(minProposed, limit * 2)
  const query = await inStage(deps.stages, 'open', () => openQuery(open, mode, max))
  const { searched } = query
  let found = await findAmong(deps, request, query, max)
  // The best may all have ended a moment ago, not be valid at the requested time, or be of one long document.
  for (let left = maxWidenings; left > 0 && found.hits.length < limit && !found.isAll; left--) {
    max *= widening
    found = await findAmong(deps, request, { ...query, best: undefined }, max)
  }
  const { isAll, pending } = found
  const hits = found.hits.filter(({ evidence }) => isEnough(evidence, request.minEvidence))
  return {
    hits,
    evidence: findBestEvidence(hits),
    searched,
    mode: searched.every(({ noMeaning }) => noMeaning) ? 'lexical' : mode,
    degraded: found.hits.length < limit && !isAll ? [notAllExamined] : [],
    degradedEach: searched.map((one, index) => describeSearched(one, pending[index] ?? 0, deps.vectors?.pace)),
  }
}

/** Finds the relevant versions, in the order of a reranker. It gets more than the limit: the best answer may be further down. */
const findReranked = async (deps: Running, open: Open, request: Ranking): Promise<Found> => {
  const { q, question = q, limit } = request
  const { reranker } = deps
  const proposed = reranker ? Math.max(limit, maxReranked) : limit
  const found = await findInOrder(deps, open, { ...request, limit: proposed })
  const best = found.hits.slice(0, maxReranked)
  const organizationId = found.searched[0]?.brain.organizationId ?? ''
  const rerank = reranker && (() => rerankHits(reranker, organizationId, { query: question, hits: best }))
  const inOrder = rerank && (await inStage(deps.stages, 'rerank', rerank))
  const hits = (inOrder ?? found.hits).slice(0, limit)
  const degraded = inOrder ? found.degraded : [...found.degraded, notReranked]
  return { ...found, hits, evidence: findBestEvidence(hits), degraded }
}

/** Finds what is relevant in some Brains, as if they were one, the best first, each version by its best passage. */
export const findInBrains = (deps: RankingDeps, open: Open, request: Ranking): Promise<Found> =>
  withStages(deps, (stages) => (request.isReranked ? findReranked : findInOrder)({ ...deps, stages }, open, request))

/** Finds the records, statements and documents of a Brain that are relevant, the best first, each by its best passage. */
export const findRelevant = (deps: SearchDeps, brain: BrainRow, request: SearchRequest): Promise<Found> =>
  findInBrains(deps, async () => [await openBrain(deps, brain, request)], request)

/** Why the search of a Brain may be incomplete. */
export const listDegraded = ({ degraded, degradedEach }: Found): Degradation[] => [...degradedEach.flat(), ...degraded]

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

/** Answers a search, and leaves a receipt of the versions that it served. */
export const runSearch = async (
  deps: SearchDeps & MetadataDeps & { receipts: ReceiptWriter; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Result<typeof searchBrain>> => {
  await checkMetadata(deps, brain, query.metadata)
  const found = await findRelevant(deps, brain, { ...query, isReranked: query.rerank === 'true' })
  const { hits, evidence, searched, mode } = found
  const degraded = listDegraded(found)
  const stateVersion = searched[0]?.lexical.stateVersion ?? 0
  const { consumerId } = query
  // The receipt is committed while the answer is put together.
  const [receipt, snippets] = await Promise.all([
    withStages(deps, (stages) =>
      inStage(stages, 'receipt', () =>
        leaveReceipt(deps, brain, { consumerId, operation: 'search', stateVersion, items: hits }),
      ),
    ),
    setImmediate().then(() => makeSnippets(searched, hits)),
  ])
  const results = toResults(hits, snippets)
  return { results, evidence, mode, ...(degraded.length > 0 ? { degraded } : {}), receipt, stateVersion }
}
