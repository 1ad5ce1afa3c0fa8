import { setImmediate } from 'node:timers/promises'
import type { QueryOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Evidence, SearchMode, searchBrain } from '@noema/contracts/search.ts'
import type { Clock } from '../../../shared/clock.ts'
import { inSpan, isTracing } from '../../../shared/tracing/spans.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { findBestEvidence, isEnough, judgeHits } from '../evidence/evidence.ts'
import type { Narrowing } from '../lexical-index/types.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { maxReranked } from '../reranking/reranking.ts'
import type { EmbeddedQueries } from '../vectors/vectors.ts'
import { addNamed } from './aliases.ts'
import { checkMetadata, type MetadataDeps } from './check-metadata.ts'
import { type Degradation, describeSearched, notAllExamined, notReranked } from './degraded.ts'
import { guessWords } from './guess-words.ts'
import { type OpenedBrain, type SearchDeps, type SearchedBrain, shareStatistics, withAdded } from './open-brain.ts'
import {
  awaitMeaning,
  compare,
  findBest,
  findCandidates,
  findNearest,
  judgeAll,
  type Live,
  type Nearest,
  type OpenQuery,
  scoreAgain,
  splitByBrain,
} from './pool.ts'
import { chooseFeedback, minForFeedback, type Ranked, rank, type Scores } from './ranking.ts'
import { rerankHits } from './rerank-hits.ts'
import { type Hit, toResults } from './results.ts'
import type { SearchRequest } from './search-request.ts'
import { searchAgain } from './second-search.ts'

// Search finds versions by words, by meaning, or by both, in one Brain or in several as if they were one. The index and the vectors
// only propose: one statement reads each version's own row, for its content and whether it is live.

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
const [widening, maxWidenings] = [8, 2]
/** Hits that are read beyond the limit, in place of those that were changed or retired a moment ago. */
const extraHits = 3

/** The result of one pass: its hits, whether there are no more proposals, and how many passages of each Brain have no vector yet. */
type Pass = { query: OpenQuery; ranked: readonly Ranked[]; hits: Hit[]; isAll: boolean; pending: readonly number[] }

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

/** Opens a Brain for a search. The model embeds the query meanwhile, once for all Brains that share `embedded`. */
export const openBrain = async (
  { source, lexicalIndex, vectors, schemas, preview }: Omit<SearchDeps, 'reranker' | 'measures'>,
  brain: BrainRow,
  { q, mode, ...narrowing }: Narrowing & { q: string; mode: SearchMode },
  embedded?: EmbeddedQueries,
): Promise<OpenedBrain> => {
  const openMeaning = async () =>
    mode === 'lexical' ? undefined : (vectors?.openSearch(source, brain.brainId, q, embedded) ?? ('off' as const))
  const meaning = openMeaning()
  // A failure counts when the meaning is needed, which is never if the Brain cannot be opened.
  meaning.catch(() => undefined)
  const { schemaVersion: version } = brain
  const { aliases } = version > 0 ? await schemas(source.db, brain.brainId, version) : {}
  const lexical = await lexicalIndex.open(source, brain, { q, ...narrowing }, preview?.added)
  return { brain, lexical, meaning: preview ? withAdded(meaning, lexical, preview) : meaning, aliases }
}

/** A Brain that is searched alone, with what came of its query's meaning. */
const toSearched = (
  { brain, lexical, aliases }: OpenedBrain,
  found: Awaited<OpenedBrain['meaning']>,
): SearchedBrain => {
  const [semantic, noMeaning] = typeof found === 'object' ? [found, undefined] : [undefined, found]
  return { brain, lexical, offset: 0, semantic, noMeaning, aliases }
}

/** Opens the Brains of a search. */
export type Open = () => Promise<readonly OpenedBrain[]>

/** Opens a query. The best passages by words are found while the model embeds the query. */
const openQuery = async (open: Open, mode: SearchMode, max: number): Promise<OpenQuery> => {
  const opened = await open()
  if (mode !== 'semantic' && opened[0]?.lexical.query.some(({ lists }) => lists.length === 0)) await guessWords(opened)
  if (opened.length > 1) shareStatistics(opened)
  const one = opened.length === 1 ? opened[0] : undefined
  const proposesByWords = mode !== 'semantic'
  const best = proposesByWords ? (one?.lexical.findBest(max) ?? (await findBest(opened, max))) : undefined
  const searched = await (one ? [toSearched(one, await one.meaning)] : awaitMeaning(opened))
  const isByMeaning = searched.some(({ semantic }) => semantic)
  const isByWords = mode !== 'semantic' || !searched.every(({ semantic }) => semantic)
  return { searched, isByWords, isByMeaning, best }
}

/** Finds the best among so many proposals each way, by a query that is open or is opened now. */
const findAmong = async (deps: Running, request: Ranking, query: OpenQuery, max: number): Promise<Pass> => {
  const { searched, isByWords, isByMeaning } = query
  // One Brain is searched by its own steps, without those that join several.
  const one = searched.length === 1 ? searched[0] : undefined
  const best = query.best ?? (isByWords ? (one?.lexical.findBest(max) ?? (await findBest(searched, max))) : [])
  const nearest = isByMeaning
    ? await inStage(deps.stages, 'nearest', async (): Promise<Nearest> => {
        if (!one) return findNearest(searched, max)
        const { passages = [], pending = 0 } = (await one.semantic?.findNearest(max, one.lexical.accepted)) ?? {}
        return { passages, pending: [pending] }
      })
    : undefined
  const near = nearest?.passages ?? []
  const all = new Set([...best, ...near].map(({ passage }) => passage))
  const own = one?.lexical.findCandidates(all)
  const candidates = own ? { ...own, each: [own] } : await findCandidates(searched, all)
  const { passages, proposed } = candidates
  // Feedback does not improve a search by meaning alone.
  const hasFeedback = isByWords && proposed >= minForFeedback
  const compared = hasFeedback ? passages.slice(0, proposed) : passages
  const first: Scores[] = isByWords ? [candidates.scores.subarray(0, compared.length)] : []
  if (isByMeaning) first.push((await (one ? one.semantic?.compare(compared) : compare(searched, compared))) ?? [])
  const scores = hasFeedback
    ? await scoreAgain(searched, chooseFeedback(passages.slice(0, proposed), first), passages)
    : first
  const ranked = rank(candidates, scores, request.passagesEach)
  const live = await readBest(deps, searched, ranked, request.limit)
  const { question } = request
  return {
    query,
    ranked,
    hits: await (one
      ? judgeHits({ ...one, candidates, question }, live)
      : judgeAll(searched, candidates, question, live)),
    isAll: best.length < max && near.length < max,
    pending: nearest?.pending ?? [],
  }
}

/** The hits that a second search follows, and the share of the query's words from which one covers the question. */
const [maxBridges, minCovered] = [2, 0.9]

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
  if (mode !== 'semantic' && searched.some(({ aliases }) => aliases?.size))
    found = { ...found, hits: await inStage(deps.stages, 'aliases', () => addNamed(searched, found.hits, request)) }
  // Hits that lack words of the question may lead on, unless one of the best covers it.
  const best = mode === 'hybrid' && limit > 1 ? found.hits.slice(0, maxBridges) : []
  const isCovered = best.some(({ coverage }) => coverage >= minCovered)
  const bridges = isCovered ? [] : best.filter(({ evidence }) => evidence !== 'none')
  const again = () => searchAgain({ ...found, searched, bridges }, request)
  const all = bridges.length > 0 ? await inStage(deps.stages, 'second', again) : found.hits
  const hits = all.filter(({ evidence }) => isEnough(evidence, request.minEvidence))
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
  const proposed = reranker ? Math.max(limit, reranker.usualTexts) : limit
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

/** Answers a search, and leaves a receipt of the versions that it served. */
export const runSearch = async (
  deps: SearchDeps & MetadataDeps & { receipts: ReceiptWriter; clock: Clock },
  brain: BrainRow,
  query: QueryOutput<typeof searchBrain>,
): Promise<Result<typeof searchBrain>> => {
  if (query.metadata) await checkMetadata(deps, brain, query.metadata)
  const found = await findRelevant(deps, brain, { ...query, isReranked: query.rerank === 'true' })
  const { hits, evidence, searched, mode } = found
  const degraded = listDegraded(found)
  const stateVersion = searched[0]?.lexical.stateVersion ?? 0
  const { consumerId } = query
  // The receipt is committed while the answer is put together.
  const [receipt, snippets] = await Promise.all([
    withStages(deps, (stages) =>
      inStage(stages, 'receipt', () =>
        leaveReceipt(deps, brain, {
          consumerId,
          operation: 'search',
          stateVersion,
          items: hits,
          ...deps.preview?.served,
        }),
      ),
    ),
    setImmediate().then(() => searched.flatMap(({ lexical }) => lexical.makeSnippets(hits))),
  ])
  const results = toResults(hits, snippets)
  const preview = deps.preview?.described
  return {
    ...{ results, evidence, mode, ...(degraded.length > 0 ? { degraded } : {}), receipt },
    ...{ ...(preview ? { preview } : {}), stateVersion },
  }
}
