import type { Clock } from '../../../shared/clock.ts'
import { brainTopic, type Topic } from '../../../shared/concurrency/topics.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Db, RunPrepared, Tx } from '../../../storage/database.ts'
import { isDatabaseUnavailable, isLockTimeout } from '../../../storage/database-errors.ts'
import type { LockWait } from '../../kernel/locks/lock-queries.ts'
import { insertEvents } from '../../kernel/stream/event-queries.ts'
import { placeEvents } from '../../kernel/stream/stream.ts'
import { isNearCap, settleUsage } from '../../kernel/usage/usage.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import { kindByOperation } from '../../knowledge/content/content.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { type Answers, insertAnswers, loadAnswers } from '../../platform/idempotency/idempotency.ts'
import { insertChanges, updateChanges } from './change-store.ts'
import type { CommitBatch } from './commit-batch.ts'
import { type LockedBrain, landing, lockBrain } from './commit-queries.ts'
import { checkGuard, executeBatch, prepareDeferred } from './execute-batch.ts'
import type { DeferredWriteRequest, WriteRequest, WriteResult } from './write-request.ts'
import { listChanges } from './write-set.ts'

type Deps = { db: Db; prepared: RunPrepared; clock: Clock; schemas: SchemaCache }

/** Where this node left a Brain. `isShared`: another node had written to it in between, and may do so again. */
export type Head = LockedBrain & { isShared: boolean }

/** What a batch came to. `topics` have news by it. */
export type Committed = { results: WriteResult[]; topics: ReadonlySet<Topic>; head: Head | undefined }

/** What a batch committed, and where it left its Brain: the next batch of this node may start there without asking. */
const committed = (batch: CommitBatch, results: WriteResult[], isShared: boolean): Committed => {
  const { brain, content, stateVersion, spent, events } = batch
  const head = {
    ...brain,
    isShared,
    schemaVersion: content.schema.version,
    stateVersion,
    position: brain.position + events.length,
    used: { writes: brain.used.writes + spent.writes, bytes: brain.used.bytes + spent.bytes },
  }
  const topics = new Set([...(events.length > 0 ? [brainTopic(brain.brainId)] : []), ...batch.topics])
  return { results, topics, head }
}

/** Most parts of the statement that lands a batch: an ordinary one has fewer. */
const maxParts = 12

/**
 * What a batch leaves behind, ready to be landed; undefined where it changed nothing. `before` holds the parts of a large
 * batch that land in statements of their own, so that none outlasts what one statement may take.
 */
const toLanding = (batch: CommitBatch, changes: readonly RowChanges[], answers: Answers) => {
  const { brain, now, content, madeChanges } = batch
  const { brainId } = brain
  const events = placeEvents(brain, brain.position, now.toISOString(), batch.events)
  const inserts = [
    ...changes.flatMap(({ made, statements }) => (made.length > 0 ? statements.insert(brainId, made) : [])),
    ...(madeChanges.size > 0 ? [insertChanges(brainId, [...madeChanges.values()])] : []),
    ...(answers.made.length > 0 ? [insertAnswers(brainId, now, answers.made)] : []),
    ...(events.length > 0 ? [insertEvents(brainId, events)] : []),
    ...batch.statements,
  ]
  if (inserts.length === 0) return undefined
  const progress = {
    position: brain.position + events.length,
    stateVersion: batch.stateVersion,
    schemaVersion: content.schema.version,
    ...batch.spent,
    added: batch.countAdded(),
  }
  const before = inserts.splice(0, Math.max(0, inserts.length - maxParts))
  return { before, statement: landing(brain, inserts, progress, now) }
}

// How long what other Brains of the organization wrote may be remembered.
const rememberMilliseconds = 1_000
const dayMilliseconds = 86_400_000

/**
 * Whether a batch may be tried without the lock: no other node writes to the Brain at the moment, the batch only adds, and
 * its organization is far from what it may write.
 */
const mayRunAhead = (head: Head, now: Date, requests: readonly WriteRequest[]): boolean => {
  const age = now.getTime() - head.seenAt.getTime()
  const isOtherDay = Math.floor(head.seenAt.getTime() / dayMilliseconds) !== Math.floor(now.getTime() / dayMilliseconds)
  if (head.isShared || age > rememberMilliseconds || isOtherDay) return false
  return requests.every(
    ({ changeIds, operations, caps, guard }) =>
      changeIds.length === 0 &&
      // A guard is asked in a transaction.
      guard === undefined &&
      (caps === undefined || head.isUsageKnown) &&
      !isNearCap(caps, head.used) &&
      operations.every(({ op }) => kindByOperation.get(op)?.operations[op] === 'adds'),
  )
}

/**
 * Runs a batch on the Brain as this node left it, and lands it in one statement that holds only if the Brain is still
 * there: no lock, no transaction of several round trips. Undefined where that did not work out; then nothing was written.
 */
const commitAhead = async (
  deps: Deps,
  head: Head,
  requests: readonly WriteRequest[],
): Promise<Committed | undefined> => {
  const now = deps.clock.now()
  if (!mayRunAhead(head, now, requests)) return undefined
  const claims = requests.flatMap(({ claim }) => claim ?? [])
  const answers = await loadAnswers(deps.db, head.brainId, claims)
  const { batch, results } = await executeBatch(deps.db, deps.schemas, { brain: head, now, answers }, requests)
  const changes = listChanges(batch.content)
  // What ends a version, or takes more than the landing, takes statements of its own before it, so it takes a transaction.
  if (changes.some(({ ended }) => ended.length > 0) || batch.updatedChanges.size + batch.steps.length > 0)
    return undefined
  const landed = toLanding(batch, changes, answers)
  if (!landed || landed.before.length > 0) return undefined
  try {
    await deps.prepared(landed.statement)
    return committed(batch, results, false)
  } catch (error) {
    // Where another node holds the Brain, waiting for it is for those who ask for its lock.
    if (isDatabaseUnavailable(error) && !isLockTimeout(error)) throw error
    return undefined
  }
}

/** Writes what comes before the landing: what ends, what a change of the schema does, and what became of changes. */
const writeAhead = async (tx: Tx, batch: CommitBatch, changes: readonly RowChanges[]): Promise<void> => {
  const { brain, steps, updatedChanges } = batch
  for (const { ended, statements } of changes) if (ended.length > 0) await statements.end?.(tx, brain.brainId, ended)
  for (const step of steps) await step(tx)
  if (updatedChanges.size > 0) await updateChanges(tx, brain.brainId, [...updatedChanges.values()])
}

type Requests = readonly (WriteRequest | DeferredWriteRequest)[]

/** What is to be committed. `gather` answers the same with what has come since, which may join it while nothing was begun. */
type Submitted = { requests: Requests; gather(): Requests }

type Place = { brainId: number; head: Head | undefined; wait: LockWait }

const commitLocked = (
  { db, prepared, clock, schemas }: Deps,
  { brainId, head, wait }: Place,
  { requests: first, gather }: Submitted,
): Promise<Committed> =>
  db.transaction().execute(async (tx) => {
    const now = clock.now()
    // All of a batch have the caps of the Brain's owner, or none.
    const caps = first[0]?.caps
    const found = await lockBrain(tx, brainId, { now, wait, isCapped: caps !== undefined, prepared })
    const submitted = gather()
    if (!found) {
      const gone: WriteResult = { error: notFound('This Brain does not exist; it was deleted.') }
      return { results: submitted.map(() => gone), topics: new Set(), head: undefined }
    }
    const brain = { ...found, used: await settleUsage(tx, found, { caps, now }) }
    const claims = submitted.flatMap(({ claim }) => claim ?? [])
    const answers = await loadAnswers(tx, brainId, claims)
    const requests: WriteRequest[] = []
    for (const request of submitted)
      requests.push(
        'prepare' in request
          ? await prepareDeferred(tx, { brain, now, answers }, request)
          : await checkGuard(tx, request),
      )
    const { batch, results } = await executeBatch(tx, schemas, { brain, now, answers }, requests)
    const changes = listChanges(batch.content)
    await writeAhead(tx, batch, changes)
    const landed = toLanding(batch, changes, answers)
    for (const part of landed?.before ?? []) await part.execute(tx)
    await landed?.statement.execute(tx)
    return committed(batch, results, head !== undefined && head.position !== found.position)
  })

/**
 * Runs a batch of requests on one Brain and commits it whole. Each request gets its own result, which holds once this
 * returns; when it throws, nothing of the batch was written, unless the database was lost at the commit itself.
 */
export const commitBatch = async (deps: Deps, place: Place, submitted: Submitted): Promise<Committed> => {
  const { requests } = submitted
  // What finds out only under the lock what it is cannot be tried without it.
  const known = requests.flatMap((request) => ('prepare' in request ? [] : request))
  const { head } = place
  const ahead = head && known.length === requests.length ? await commitAhead(deps, head, known) : undefined
  return ahead ?? commitLocked(deps, place, submitted)
}
