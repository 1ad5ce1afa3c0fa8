import type { readCorpusContext, searchCorpus } from '@noema/contracts/corpora.ts'
import type { Result } from '@noema/contracts/endpoint.ts'
import { createFairLimiter, type FairLimiter, type Subject } from '../../../shared/concurrency/fair-limiter.ts'
import { ApiError, notFound, unavailable } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { ReadSource } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { BrainReads } from '../../kernel/replica-reads/replica-reads.ts'
import type { Narrowing } from '../lexical-index/types.ts'
import type { PreviewServed } from '../receipts/leave-receipt.ts'
import { checkMetadata, type MetadataDeps } from '../search/check-metadata.ts'
import type { OpenedBrain, PreviewedChange, SearchDeps } from '../search/open-brain.ts'
import { openBrain } from '../search/search.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { EmbeddedQueries } from '../vectors/vectors.ts'
import type { StoredPart } from './queries.ts'

// Opens the parts of a corpus for a search, a few at once. A part that cannot be opened is left out and named; the rest is searched.

/**
 * A part of a corpus, by its number from 1, and its Brain; undefined where there is none that the reader may read. `preview`: a pending
 * change of this Brain with which it is read.
 */
export type Part = StoredPart & {
  part: number
  brain: BrainRow | undefined
  preview?: { base: ReadSource; change: PreviewedChange } | undefined
}

/** A part that was opened. */
export type OpenPart = { part: number; brain: BrainRow; opened: OpenedBrain; served?: PreviewServed }

export type FailedPart = Result<typeof searchCorpus | typeof readCorpusContext>['failed'][number]

export type PartsDeps = Omit<SearchDeps, 'source'> &
  Omit<MetadataDeps, 'db'> & { brainReads: BrainReads; corpusSlots: FairLimiter; log: Log }

/** The Brains of corpora that are opened at once on a node, and of one organization and one caller. */
export const createCorpusSlots = (): FairLimiter => createFairLimiter({ node: 16, organization: 8, key: 4 })

/** The longest time that a part waits to be opened. */
const maxWaitMilliseconds = 2_000

/** The message of a failure that is none of the caller's. */
const brokenPart = 'This part could not be read. Try again later.'

/** The refusal of a part whose Brain is gone, or is not open to the reader. */
const goneBrain = () => notFound('This part has no Brain that you can read.')

/** Describes why a part could not be read. Unknown errors are logged, and their text stays here. */
export const toFailed = ({ part, brain }: Pick<Part, 'part' | 'brain'>, error: unknown, log: Log): FailedPart => {
  const named = { part, brain: brain?.handle ?? null }
  if (error instanceof ApiError)
    return { ...named, kind: error.kind, ...(error.code ? { code: error.code } : {}), message: error.message }
  log.error({ err: error, brain: brain?.id }, 'a part of a corpus could not be read')
  return { ...named, kind: 'internal', message: brokenPart }
}

/** Opens a Brain from one database or the other. */
export type ReadEach = <Got>(brain: BrainRow, open: (source: ReadSource) => Promise<Got>) => Promise<Got>

const openPart = async (
  deps: PartsDeps,
  { part, brain, brainId: _id, where, asOf, preview, ...section }: Part,
  request: SearchRequest,
  { subject, embedded, readEach }: { subject: Subject; embedded: EmbeddedQueries; readEach: ReadEach },
): Promise<OpenPart> => {
  if (!brain) throw goneBrain()
  const release =
    deps.corpusSlots.take(subject) ?? (await deps.corpusSlots.wait(subject, { maxMilliseconds: maxWaitMilliseconds }))
  if (!release)
    throw unavailable('Too many Brains of corpora are being opened. Try again in a moment.', {
      code: 'overloaded',
      retryAfterSeconds: 1,
    })
  try {
    const narrowing: Narrowing & SearchRequest = { ...request, asOf, section: { ...section, metadata: where } }
    const open = async (source: ReadSource) => {
      for (const metadata of [request.metadata, where])
        if (metadata) await checkMetadata({ ...deps, db: source.db }, brain, metadata)
      return openBrain({ ...deps, source, preview: preview?.change }, brain, narrowing, embedded)
    }
    if (!preview) return { part, brain, opened: await readEach(brain, open) }
    return { part, brain, opened: await open(preview.base), served: preview.change.served }
  } finally {
    release()
  }
}

/** Opens parts for a search, and names those that cannot be opened. */
export const openParts = async (
  deps: PartsDeps,
  parts: readonly Part[],
  request: SearchRequest,
  { subject, readEach }: { subject: Subject; readEach: ReadEach },
): Promise<{ open: OpenPart[]; failed: FailedPart[]; errors: unknown[] }> => {
  const embedded: EmbeddedQueries = new Map()
  const settled = await Promise.allSettled(
    parts.map((part) => openPart(deps, part, request, { subject, embedded, readEach })),
  )
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  // Without the database no part can be read, and the call fails as any other does.
  for (const error of errors) if (isDatabaseUnavailable(error)) throw error
  return {
    open: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    failed: settled.flatMap((one, index) => {
      const part = parts[index]
      return one.status === 'rejected' && part ? [toFailed(part, one.reason, deps.log)] : []
    }),
    errors,
  }
}

/** The kinds of errors from the one that tells the caller most to do. */
const byUse: readonly ApiError['kind'][] = ['unavailable', 'rate_limited', 'validation', 'conflict', 'not_found']

/** The error of a corpus of which no part could be read: that of a part, the most useful one. */
export const noPartReadable = (failed: readonly FailedPart[], errors: readonly unknown[]): Error => {
  const refusals = errors.filter((error) => error instanceof ApiError)
  const best = byUse.flatMap((kind) => refusals.find((error) => error.kind === kind) ?? [])[0]
  if (!best) return errors[0] instanceof Error ? errors[0] : new Error('no part of a corpus could be read')
  const { kind, code, retryAfterSeconds } = best
  return new ApiError(kind, `No part of this corpus can be read. Part ${failed[0]?.part}: ${best.message}`, {
    ...(code ? { code } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}
