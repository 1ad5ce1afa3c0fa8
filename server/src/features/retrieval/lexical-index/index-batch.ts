import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { indexVersion, unsearchableReasons } from '../../kernel/unsearchable/unsearchable.ts'
import {
  deleteUnsearchable,
  insertUnsearchable,
  selectUntried,
  type Unsearchable,
} from '../../kernel/unsearchable/unsearchable-queries.ts'
import type { FailedVersion } from './build-segment.ts'
import { commitStep, mergeWhereDue, nothing } from './commit-index.ts'
import { type BuildRequest, type IndexerThread, NotIndexable } from './indexer-thread.ts'
import { type Progress, selectVersions } from './indexing-queries.ts'
import { readStreamBatch, readSubjects } from './read-stream.ts'

// Indexes the stream of a Brain a batch at a time. A batch that fails is tried in smaller ones, down to the one version that causes
// the failure: that one is skipped and marked, and never stops later ones.

type Deps = { db: Db; prepared: RunPrepared; log: Log; thread: IndexerThread }

const batchLimits = { maxEvents: 2_000, maxCharacters: 4_000_000 }
const narrowing = 16

/** The SQLSTATE classes of permanent failures: bad data, and exceeded limits. */
const refusals = /^(22|54)/

/** Checks whether a failure is permanent. */
const isRefused = (error: unknown): boolean => {
  if (error instanceof NotIndexable || error instanceof RangeError || error instanceof SyntaxError) return true
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && refusals.test(error.code)
}

const findReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? unsearchableReasons.words : unsearchableReasons.text

const warn = ({ log }: Deps, brainId: number, failed: readonly Omit<FailedVersion, 'fromState'>[]) => {
  for (const { type, id, version, failure } of failed)
    log.warn({ brainId, type, id, version, failure }, 'a version cannot be indexed: searches do not find it')
}

const build = async (thread: IndexerThread, request: BuildRequest, isAlone: boolean) => {
  if (request.versions.length === 0) return nothing
  return isAlone ? thread.buildAlone(request) : thread.build(request)
}

/** Skips the event at which an index stopped, and marks its version. */
const passOver = async (deps: Deps, brainId: number, from: Progress, error: unknown) => {
  const { subjects, position, hasMore } = await readSubjects(deps, brainId, { after: from.position, maxEvents: 1 })
  const began = subjects.filter((subject) => subject.began)
  const ended = subjects.filter((subject) => subject.ended)
  const failure = { position, reason: findReason(error), indexVersion }
  const progress = await commitStep(deps, brainId, from, { built: nothing, ended, position }, async (tx) => {
    if (began.length > 0) await insertUnsearchable(tx, brainId, began, failure)
  })
  const failed = began.map(({ type, id, version }) => ({ type, id, version: version ?? 1, failure: String(error) }))
  if (progress) warn(deps, brainId, failed)
  return progress && { progress, hasMore }
}

type Indexed = { progress: Progress; hasMore: boolean } | undefined

/** Indexes the next batch of a Brain's stream. Undefined where another node took over, or the Brain was deleted. */
export const indexBatch = async (
  deps: Deps,
  brainId: number,
  from: Progress,
  maxEvents: number = batchLimits.maxEvents,
): Promise<Indexed> => {
  try {
    const batch = await readStreamBatch(deps, brainId, { ...batchLimits, maxEvents, after: from.position })
    const { versions, hasMore, ...step } = batch
    const built = await build(deps.thread, { versions, lastPassage: from.lastPassage }, maxEvents === 1)
    const committed = await commitStep(deps, brainId, from, { ...step, built })
    if (committed) warn(deps, brainId, built.failed)
    const merged = committed && (await mergeWhereDue(deps, brainId, committed))
    return merged && { progress: merged, hasMore }
  } catch (error) {
    if (!isRefused(error)) throw error
    if (maxEvents === 1) return passOver(deps, brainId, from, error)
    return indexBatch(deps, brainId, from, Math.ceil(maxEvents / narrowing))
  }
}

/** Tries again to index versions that other code could not. Undefined as above. */
const retryOne = async (deps: Deps, brainId: number, from: Progress, failed: Unsearchable) => {
  const { position } = from
  const again = { position: failed.position, indexVersion }
  try {
    const limits = { maxCharacters: 1, maxVersionLength: Number.MAX_SAFE_INTEGER }
    const { versions } = await selectVersions(deps.db, brainId, [failed], limits)
    const built = await build(deps.thread, { versions, lastPassage: from.lastPassage }, true)
    return await commitStep(deps, brainId, from, { built, ended: [failed], position }, async (tx) => {
      if (built.failed.length === 0) await deleteUnsearchable(tx, brainId, failed)
    })
  } catch (error) {
    if (!isRefused(error)) throw error
    await insertUnsearchable(deps.db, brainId, [failed], { ...again, reason: findReason(error) })
    return from
  }
}

const retriesAtOnce = 10

/** Tries again to index some of the versions that other code could not. Undefined where another node took over. */
export const retryUnsearchable = async (deps: Deps, brainId: number, from: Progress): Promise<Indexed> => {
  const untried = await selectUntried(deps.db, brainId, indexVersion, retriesAtOnce)
  let progress: Progress | undefined = from
  for (const failed of untried) progress &&= await retryOne(deps, brainId, progress, failed)
  return progress && { progress, hasMore: untried.length === retriesAtOnce }
}
