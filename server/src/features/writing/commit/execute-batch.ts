import { setImmediate } from 'node:timers/promises'
import { ApiError, MovesToWorker } from '../../../shared/errors.ts'
import { rollBack } from '../../../shared/undo.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import {
  isTooMuchContent,
  type LoadBudget,
  maxLoadedBytes,
  maxMovableBytes,
  maxSharedBytes,
} from '../../kernel/versioning/load-budget.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import { createContentWrites } from '../../knowledge/content/content.ts'
import type { RecordLimits } from '../../knowledge/records/apply.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { type Answers, checkSameRequest } from '../../platform/idempotency/idempotency.ts'
import { type StoredChange, selectChanges, selectPendingWrites } from './change-store.ts'
import { CommitBatch } from './commit-batch.ts'
import type { LockedBrain } from './commit-queries.ts'
import type { DeferredWriteRequest, Run, WriteRequest, WriteResult } from './write-request.ts'
import { listChanges, loadContent } from './write-set.ts'

/**
 * The start of a batch. `leavesKeysToIndexes`: no key that only one live item may hold is read, because the unique indexes check
 * these keys when the batch is committed.
 */
type Beginning = { brain: LockedBrain; now: Date; answers: Answers; leavesKeysToIndexes: boolean }

/** A batch in memory, the results of its requests, and the rows that it writes. */
type Executed = { batch: CommitBatch; results: WriteResult[]; changes: RowChanges[] }

/** A request whose reads are done. */
type Ready = Pick<WriteRequest, 'claim' | 'trace' | 'mayMove'> & { run: Run }

/** Runs one request, or finds the answer that its idempotency key got before. A refused one leaves no trace. */
const runRequest = (
  batch: CommitBatch,
  answers: Answers,
  { claim, run, trace, mayMove = false }: Ready,
): WriteResult => {
  const { undo } = batch
  try {
    const earlier = claim && answers.given.get(claim.name)
    if (earlier) return { answer: checkSameRequest(earlier, claim), replayed: true }
    batch.trace = trace
    batch.mayMove = mayMove
    const answer = run(batch)
    // The effects so far are final.
    undo.length = 0
    if (claim) answers.given.set(claim.name, { ...answer, fingerprint: claim.fingerprint })
    if (claim) answers.made.push({ claim, answer })
    return { answer, replayed: false }
  } catch (error) {
    rollBack(undo)
    return { error }
  }
}

const refusedWith = (error: unknown) => ({
  operations: [],
  run: () => {
    throw error
  },
})

/** Lets a deferred request read its own tables, unless its idempotency key was answered before: then it needs no reads. */
export const prepareDeferred = async (
  tx: Tx,
  { brain, now, answers }: Beginning,
  { claim, changeIds = [], prepare, trace, mayMove = false }: DeferredWriteRequest,
): Promise<WriteRequest> => {
  const isAnswered = claim !== undefined && answers.given.has(claim.name)
  const prepared = isAnswered
    ? refusedWith(undefined)
    : await prepare(tx, brain, { now, mayMove }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        return refusedWith(error)
      })
  return { ...prepared, changeIds, claim, caps: undefined, mayMove, ...(trace ? { trace } : {}) }
}

/** The precondition of a request could not be checked, so that the transaction is lost; its neighbors are not the cause. */
export class PreconditionFailed extends Error {}

/** A request whose precondition holds, or one in its place that is refused and reads nothing. */
export const checkPrecondition = async (tx: Tx, request: WriteRequest): Promise<WriteRequest> => {
  try {
    await request.precondition?.(tx)
    return request
  } catch (error) {
    if (!(error instanceof ApiError))
      throw new PreconditionFailed('A precondition could not be checked.', { cause: error })
    return { ...refusedWith(error), changeIds: [], claim: undefined, caps: undefined }
  }
}

/** A request cannot share its batch, as it found out under the Brain's lock. All of the batch run again, each by itself. */
export class NeedsOwnBatch extends Error {}

/** The refusal of a request that needs more content than may be read. If several need too much together, each runs by itself. */
const toRefusal = (error: unknown, requests: readonly WriteRequest[]): ApiError => {
  if (!isTooMuchContent(error)) throw error
  if (requests.length > 1) throw new NeedsOwnBatch()
  if (requests[0]?.mayMove) throw new MovesToWorker()
  return error
}

/** The content that a batch may read. */
const toBudget = ([first, ...others]: readonly WriteRequest[]): LoadBudget => {
  if (others.length > 0) return { left: maxSharedBytes }
  return { left: first?.mayMove ? maxMovableBytes : maxLoadedBytes }
}

/** Steps run in memory for this long before other work of the node gets a turn. */
const turnMilliseconds = 10

/** Runs a task that yields between its steps, so that other work of this thread runs in between where the steps take long. */
const runInTurns = async <Result>(task: Generator<void, Result>): Promise<Result> => {
  let begun = performance.now()
  for (;;) {
    const step = task.next()
    if (step.done) return step.value
    if (performance.now() - begun <= turnMilliseconds) continue
    await setImmediate()
    begun = performance.now()
  }
}

/** Runs requests one after another, in memory, and lists the rows that they write together. */
function* runAll(batch: CommitBatch, answers: Answers, requests: readonly Ready[]): Generator<void, Executed> {
  const results: WriteResult[] = []
  for (const request of requests) {
    if (results.length > 0) yield
    results.push(runRequest(batch, answers, request))
  }
  return { batch, results, changes: yield* listChanges(batch.content) }
}

/** Reads the changes that requests name. */
const readNamed = async (
  db: Queryable,
  { brainId, changeIds, budget }: { brainId: number; changeIds: readonly string[]; budget: LoadBudget },
  requests: readonly WriteRequest[],
): Promise<readonly StoredChange[]> => {
  try {
    return await selectChanges(db, brainId, changeIds, budget)
  } catch (error) {
    throw toRefusal(error, requests)
  }
}

/** Reads the content that a batch of requests needs, and runs each request on it, in memory. */
export const executeBatch = async (
  db: Queryable,
  { schemas, recordLimits }: { schemas: SchemaCache; recordLimits: RecordLimits },
  { brain, now, answers, leavesKeysToIndexes }: Beginning,
  requests: readonly WriteRequest[],
): Promise<Executed> => {
  const { brainId } = brain
  const budget = toBudget(requests)
  const content = createContentWrites(await schemas(db, brainId, brain.schemaVersion), now.toISOString(), recordLimits)
  const changeIds = requests.flatMap((request) => request.changeIds)
  const named = changeIds.length > 0 ? await readNamed(db, { brainId, changeIds, budget }, requests) : []
  // A decision may apply its change now, so the content that its operations need is read too.
  const proposed = named.flatMap(({ items }) => items.flatMap(({ operation }) => operation ?? []))
  const operations = [...requests.flatMap((request) => request.operations), ...proposed]
  const refusal = await loadContent(db, content, operations, { brainId, leavesKeysToIndexes, budget }).then(
    () => undefined,
    (error: unknown) => toRefusal(error, requests),
  )
  const forReview = requests.filter(({ isForReview = false }) => isForReview || brain.mayStage)
  const hashes = forReview.flatMap(({ toWriteHash }) => toWriteHash?.() ?? [])
  const pending = hashes.length > 0 ? await selectPendingWrites(db, brainId, hashes) : []
  const waiting = pending.filter(({ id }) => !changeIds.includes(id))
  const batch = new CommitBatch(brain, now, content, [...named, ...waiting])
  batch.refusal = refusal
  const reading = {
    isOnly: requests.length === 1,
    budget,
    toRefusal: (error: unknown) => toRefusal(error, requests),
  }
  const ready: Ready[] = []
  for (const request of requests)
    ready.push({ ...request, run: 'run' in request ? request.run : await request.load(db, batch, reading) })
  return runInTurns(runAll(batch, answers, ready))
}
