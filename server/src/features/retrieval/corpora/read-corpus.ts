import { setImmediate } from 'node:timers/promises'
import { contextTokens } from '@noema/contracts/context.ts'
import type { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { BodyOutput, Result } from '@noema/contracts/endpoint.ts'
import type { Receipt } from '@noema/contracts/receipts.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { ApiError } from '../../../shared/errors.ts'
import { assemble } from '../context/assemble.ts'
import { readQuestion, toContextSearch, toExcerpts } from '../context/context.ts'
import type { Excerpt } from '../context/excerpt.ts'
import { findBestEvidence } from '../evidence/evidence.ts'
import type { ItemRef } from '../lexical-index/types.ts'
import { leaveReceipt, type ReceiptWriter } from '../receipts/leave-receipt.ts'
import { makeSnippets } from '../search/pool.ts'
import { type Hit, toResults } from '../search/results.ts'
import { type Found, findInBrains } from '../search/search.ts'
import type { SearchRequest } from '../search/search-request.ts'
import {
  type FailedPart,
  noPartReadable,
  type OpenPart,
  openParts,
  type Part,
  type PartsDeps,
  type ReadEach,
  toFailed,
} from './open-parts.ts'

// Reads a corpus: its Brains are searched as if they were one, and each that was read gets a receipt of its own.

type Deps = PartsDeps & { receipts: ReceiptWriter; clock: Clock }

/** A corpus as one reader reads it. */
export type ReadableCorpus = { name: string; parts: readonly Part[]; subject: Subject }

type Read = { found: Found; open: OpenPart[]; failed: FailedPart[] }

/** Reads Brains from replicas where it can, and all of them from the primary if that fails. */
const withReplicas = async <Got>(
  { brainReads }: Deps,
  read: 'search' | 'context',
  task: (readEach: ReadEach) => Promise<Got>,
): Promise<Got> => {
  let usesReplica = false
  try {
    return await task((brain, open) =>
      brainReads.run({ read, brain }, (source) => {
        usesReplica ||= source !== brainReads.primary
        return open(source)
      }),
    )
  } catch (error) {
    if (!usesReplica || error instanceof ApiError) throw error
    return task((_brain, open) => open(brainReads.primary))
  }
}

const findInCorpus = (
  deps: Deps,
  { parts, subject }: ReadableCorpus,
  read: 'search' | 'context',
  request: SearchRequest,
): Promise<Read> =>
  withReplicas(deps, read, async (readEach) => {
    let opened: Awaited<ReturnType<typeof openParts>> = { open: [], failed: [], errors: [] }
    const found = await findInBrains(
      deps,
      async () => {
        opened = await openParts(deps, parts, request, { subject, readEach })
        if (opened.open.length === 0) throw noPartReadable(opened.failed, opened.errors)
        return opened.open.map((one) => one.opened)
      },
      request,
    )
    return { found, open: opened.open, failed: opened.failed }
  })

type Item = ItemRef & { owner?: number }

/**
 * Leaves a receipt in each Brain of what it served. A Brain that was deleted meanwhile gets none: nothing of it may be answered, and
 * it joins the parts that failed.
 */
const leaveReceipts = async (
  deps: Deps,
  { open, failed }: Pick<Read, 'open' | 'failed'>,
  { operation, consumerId, read }: { operation: Receipt['operation']; consumerId: string | undefined; read: Found },
  items: readonly Item[],
) => {
  const receipts = new Map<number, string>()
  const lost: FailedPart[] = []
  await Promise.all(
    open.map(async ({ part, brain, served }, owner) => {
      const stateVersion = read.searched[owner]?.lexical.stateVersion ?? 0
      const own = items.filter((item) => item.owner === owner)
      try {
        receipts.set(
          owner,
          await leaveReceipt(deps, brain, { consumerId, operation, stateVersion, items: own, ...served }),
        )
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        lost.push(toFailed({ part, brain }, error, deps.log))
      }
    }),
  )
  if (receipts.size === 0) throw noPartReadable(lost, [])
  return { receipts, failed: [...failed, ...lost].toSorted((a, b) => a.part - b.part) }
}

const toParts = ({ found, open }: Read, receipts: ReadonlyMap<number, string>): Result<typeof searchCorpus>['parts'] =>
  open.flatMap(({ part, brain }, owner) => {
    const receipt = receipts.get(owner)
    if (receipt === undefined) return []
    const degraded = found.degradedEach[owner] ?? []
    return {
      ...{ part, brain: { id: brain.id, handle: brain.handle }, receipt },
      stateVersion: found.searched[owner]?.lexical.stateVersion ?? 0,
      ...(degraded.length > 0 ? { degraded } : {}),
    }
  })

const toBrain = ({ open }: Read, owner: number) => {
  const { id = '', handle = '' } = open[owner]?.brain ?? {}
  return { id, handle }
}

const toDegraded = ({ degraded }: Found) => (degraded.length > 0 ? { degraded } : {})

/** Answers a search of a corpus. */
export const searchInCorpus = async (
  deps: Deps,
  corpus: ReadableCorpus,
  { rerank, consumerId, ...body }: BodyOutput<typeof searchCorpus>,
): Promise<Result<typeof searchCorpus>> => {
  const read = await findInCorpus(deps, corpus, 'search', { ...body, isReranked: rerank === true })
  const { found } = read
  const [{ receipts, failed }, snippets] = await Promise.all([
    leaveReceipts(deps, read, { operation: 'search', consumerId, read: found }, found.hits),
    setImmediate().then(() => makeSnippets(found.searched, found.hits)),
  ])
  // Also a reason may name only what has a receipt.
  const hasReceipt = ({ owner }: Hit) => receipts.has(owner)
  const served = found.hits.filter(hasReceipt)
  const shown = snippets.filter((_snippet, index) => found.hits[index] && hasReceipt(found.hits[index]))
  const results = toResults(served, shown).map((result, index) => ({
    ...result,
    brain: toBrain(read, served[index]?.owner ?? -1),
  }))
  const evidence = findBestEvidence(results)
  return { results, evidence, mode: found.mode, parts: toParts(read, receipts), failed, ...toDegraded(found) }
}

/** An excerpt whose first line says which Brain it is from. */
const nameBrain = (read: Read, excerpt: Excerpt): Excerpt => ({
  ...excerpt,
  about: [{ label: `of the Brain ${toBrain(read, excerpt.owner ?? 0).handle}` }, ...excerpt.about],
})

/** Answers a context of a corpus. */
export const contextOfCorpus = async (
  deps: Deps,
  corpus: ReadableCorpus,
  { rerank, consumerId, budget, ...body }: BodyOutput<typeof readCorpusContext>,
): Promise<Result<typeof readCorpusContext>> => {
  const { q, question } = readQuestion(body)
  const request = { ...body, q, question, isReranked: rerank === true, ...toContextSearch(body.limit) }
  const read = await findInCorpus(deps, corpus, 'context', request)
  const { found } = read
  const tokens = budget?.tokens ?? contextTokens.default
  const assembleFrom = (excerpts: readonly Excerpt[]) =>
    assemble(excerpts, { origin: { corpus: corpus.name }, tokens, limit: body.limit })
  const excerpts = toExcerpts(found, body.minEvidence).map((one) => nameBrain(read, one))
  let assembled = assembleFrom(excerpts)
  const { receipts, failed } = await leaveReceipts(
    deps,
    read,
    { operation: 'context', consumerId, read: found },
    assembled.shown,
  )
  // A Brain that was deleted meanwhile leaves nothing behind: its items may have displaced none of the others' receipts.
  if (assembled.shown.some(({ owner = 0 }) => !receipts.has(owner)))
    assembled = assembleFrom(assembled.shown.filter(({ owner = 0 }) => receipts.has(owner)))
  const { context, items, shown, evidence, used, dropped } = assembled
  return {
    context,
    items: items.map((item, index) => ({ ...item, brain: toBrain(read, shown[index]?.owner ?? 0) })),
    evidence,
    budget: { tokens, used, dropped },
    parts: toParts(read, receipts),
    failed,
    ...toDegraded(found),
  }
}
