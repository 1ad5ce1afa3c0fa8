import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import { brainTopic, type Topic } from '../../../shared/topics.ts'
import { type Db, isDatabaseUnavailable, type RunPrepared } from '../../../storage/database.ts'
import type { SchemaCache } from '../../brain/schema/schema.ts'
import { loadAnswers } from '../../platform/idempotency/idempotency.ts'
import { storeSchemaChange } from '../schema-changes/count-violations.ts'
import { updateChanges } from './change-store.ts'
import type { CommitBatch } from './commit-batch.ts'
import {
  type DeferredWriteRequest,
  executeBatch,
  landingOf,
  prepareDeferred,
  type Run,
  type WriteRequest,
  type WriteResult,
} from './execute-batch.ts'
import { dayOf, type LockedBrain, lockBrain } from './queries.ts'
import { hasEnds, writeEnds } from './write-set.ts'

/** Where a batch left its Brain, from which the next batch of this node may start without asking. */
const headAfter = ({ brain, content, stateVersion, writes, events }: CommitBatch): LockedBrain => ({
  ...brain,
  schemaVersion: content.schema.version,
  stateVersion,
  position: brain.position + events.length,
  writesToday: brain.writesToday + writes,
})

/** What a batch came to. `topics` have news by it. */
export type Committed = { results: WriteResult[]; topics: ReadonlySet<Topic>; head: LockedBrain | undefined }

const committed = ({ batch, results }: Run): Committed => ({
  results,
  topics: new Set([...(batch.events.length > 0 ? [brainTopic(batch.brain.brainId)] : []), ...batch.topics]),
  head: headAfter(batch),
})

type Deps = { db: Db; prepared: RunPrepared; clock: Clock; schemas: SchemaCache }

// How long what other Brains of the organization wrote may be remembered.
const rememberMilliseconds = 1_000

/** Whether a batch may be tried without the lock: it only adds, and its organization is far from what it may write. */
const mayRunAhead = (head: LockedBrain, now: Date, requests: readonly WriteRequest[]): boolean => {
  const age = now.getTime() - head.seenAt.getTime()
  if (age > rememberMilliseconds || dayOf(head.seenAt) !== dayOf(now)) return false
  return requests.every(
    ({ changeIds, operations, leastCap }) =>
      changeIds.length === 0 &&
      (leastCap === undefined || (head.organizationWrites + head.writesToday + operations.length) * 2 < leastCap) &&
      operations.every(({ op }) => addingOperations.has(op)),
  )
}

const addingOperations = new Set(['record.create', 'statement.assert', 'document.put'])

/**
 * Runs a batch on the Brain as this node left it, and lands it in one statement that holds only if the Brain is still
 * there: no lock, no transaction of several round trips. Undefined where that did not work out; then nothing was written.
 */
const commitAhead = async (
  deps: Deps,
  head: LockedBrain,
  requests: readonly WriteRequest[],
): Promise<Committed | undefined> => {
  const now = deps.clock.now()
  if (!mayRunAhead(head, now, requests)) return undefined
  const claims = requests.flatMap(({ claim }) => claim ?? [])
  const answers = await loadAnswers(deps.db, head.brainId, claims)
  const run = await executeBatch(deps.db, deps.schemas, { brain: head, now, answers }, requests)
  // What ends a version takes a statement of its own before the insert, so it takes a transaction.
  if (hasEnds(run.batch.content) || run.batch.updatedChanges.length > 0) return undefined
  const landed = landingOf(run.batch, run.stored, dayOf(now))
  if (!landed || landed.before.length > 0) return undefined
  try {
    await deps.prepared(landed.statement)
    return committed(run)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    return undefined
  }
}

const commitLocked = (
  deps: Deps,
  brainId: number,
  submitted: readonly (WriteRequest | DeferredWriteRequest)[],
): Promise<Committed> =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const brain = await lockBrain(tx, brainId, now)
    if (!brain) {
      const gone: WriteResult = { error: notFound('This Brain does not exist: it was deleted.') }
      return { results: submitted.map(() => gone), topics: new Set(), head: undefined }
    }
    const claims = submitted.flatMap(({ claim }) => claim ?? [])
    const answers = await loadAnswers(tx, brainId, claims)
    const requests: WriteRequest[] = []
    for (const request of submitted)
      requests.push('run' in request ? request : await prepareDeferred(tx, { brain, now, answers }, request))
    const run = await executeBatch(tx, deps.schemas, { brain, now, answers }, requests)
    const { batch } = run
    await writeEnds(tx, brainId, batch.content)
    await storeSchemaChange(tx, brainId, batch.content.schema)
    if (batch.updatedChanges.length > 0) await updateChanges(tx, brainId, batch.updatedChanges)
    const landed = landingOf(batch, run.stored, dayOf(now))
    for (const part of landed?.before ?? []) await part.execute(tx)
    await landed?.statement.execute(tx)
    return committed(run)
  })

/**
 * Runs a batch of requests on one Brain and commits it whole. Each request gets its own result, which holds once
 * this returns; when it throws, nothing of the batch was written, unless the database was lost at the commit itself.
 */
export const commitBatch = async (
  deps: Deps,
  { brainId, head }: { brainId: number; head: LockedBrain | undefined },
  requests: readonly (WriteRequest | DeferredWriteRequest)[],
): Promise<Committed> => {
  // What finds out only under the lock what it is cannot be tried without it.
  const known = requests.flatMap((request) => ('run' in request ? request : []))
  const ahead = head && known.length === requests.length ? await commitAhead(deps, head, known) : undefined
  return ahead ?? commitLocked(deps, brainId, requests)
}
