import type { Clock } from '../../../shared/clock.ts'
import { brainTopic, type Topic } from '../../../shared/concurrency/topics.ts'
import { notFound } from '../../../shared/errors.ts'
import type { BrainServers } from '../../../storage/brain-servers.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { isDatabaseUnavailable, isDuplicate, isLockTimeout, wasRefused } from '../../../storage/database-errors.ts'
import type { BoundStatement } from '../../../storage/statements.ts'
import { BrainBusy, type LockWait } from '../../kernel/locks/lock-queries.ts'
import { confirmUsage, isNearCap } from '../../kernel/usage/usage.ts'
import type { SumUsage } from '../../kernel/usage/usage-sums.ts'
import type { RecordLimits } from '../../knowledge/records/apply.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { type Answers, loadAnswers } from '../../platform/idempotency/idempotency.ts'
import type { CommitBatch } from './commit-batch.ts'
import { type CommitFunction, toCommitCall } from './commit-function-queries.ts'
import { type LockedBrain, lockBrain, readBrain } from './commit-queries.ts'
import { type Committing, toCommitStatement, writeLocked } from './commit-statement-queries.ts'
import { checkPrecondition, executeBatch, prepareDeferred } from './execute-batch.ts'
import type { DeferredWriteRequest, WriteRequest, WriteResult } from './write-request.ts'

type Deps = {
  db: Db
  prepared: RunPrepared
  isDivided: boolean
  brainServers: BrainServers
  sumUsage: SumUsage
  commitFunction: CommitFunction | undefined
  clock: Clock
  schemas: SchemaCache
  recordLimits: RecordLimits
}

/**
 * The state of a Brain after this node's last commit. `isShared`: another node had written to it in between, and may do so again.
 */
export type Head = LockedBrain & { isShared: boolean }

/** The outcome of a batch. `topics` have news by it. */
export type Committed = { results: WriteResult[]; topics: ReadonlySet<Topic>; head: Head | undefined }

type Requests = readonly (WriteRequest | DeferredWriteRequest)[]

/** The requests to commit. `gather` returns them with those that arrived since, which may join while nothing was begun. */
type Submitted = { requests: Requests; gather(): Requests }

type Place = { brainId: number; head: Head | undefined; wait: LockWait }

/** The outcome of a batch, with the Brain as it left it: the next batch of this node may start there without reading it. */
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

/** The usage of the organization's other Brains may be cached for this long. */
const headMilliseconds = 1_000
const dayMilliseconds = 86_400_000

const isFresh = ({ seenAt }: Head, now: Date): boolean =>
  now.getTime() - seenAt.getTime() <= headMilliseconds &&
  Math.floor(seenAt.getTime() / dayMilliseconds) === Math.floor(now.getTime() / dayMilliseconds)

const isUnlocked = (request: WriteRequest | DeferredWriteRequest): request is WriteRequest =>
  'run' in request && request.changeIds.length === 0 && request.precondition === undefined

/**
 * The start of a batch without the lock, and its requests; undefined if it needs a transaction: because another node writes to
 * the Brain at the moment, a request reads or checks more than content under the lock, or a cap is near.
 */
const findHead = async (
  { db, prepared, isDivided }: Deps,
  { brainId, head }: Place,
  { requests: first, gather }: Submitted,
  now: Date,
): Promise<{ head: Head; requests: readonly WriteRequest[] } | undefined> => {
  if (head?.isShared || !first.every(isUnlocked)) return undefined
  // All of a batch have the caps of the Brain's owner, or none.
  const caps = first[0]?.caps
  const isKnown = head && isFresh(head, now) && (caps === undefined || head.isUsageKnown)
  const read = isKnown
    ? head
    : await readBrain({ db, prepared }, brainId, { now, isDivided, isCapped: caps !== undefined })
  if (!read || (caps && isNearCap(caps, read.used))) return undefined
  const requests = isKnown ? first : gather()
  return requests.every(isUnlocked) ? { head: { ...read, isShared: false }, requests } : undefined
}

/** The usage that a head has, with its age, unless it is near a cap, where only a new sum will do. */
const findUsage = (
  head: Head | undefined,
  caps: WriteRequest['caps'],
): Pick<LockedBrain, 'used' | 'seenAt'> | undefined =>
  head?.isUsageKnown && caps && !isNearCap(caps, head.used) ? { used: head.used, seenAt: head.seenAt } : undefined

/**
 * The head for a commit to divided tables, with the usage that counts together with the Brain's. Its sum asks every server: while one does
 * not answer, this node goes on with the last sum and what it wrote since, or from nothing, so that Brains on other servers can be written.
 */
const findDividedHead = async (
  { brainServers, sumUsage }: Deps,
  { brainId, head }: Place,
  caps: WriteRequest['caps'],
  now: Date,
): Promise<Head | undefined> => {
  if (caps === undefined || (head?.isUsageKnown && isFresh(head, now))) return head
  const reading = { now, isDivided: true, isCapped: false }
  const read = await brainServers.read(brainId, (source) => readBrain(source, brainId, reading))
  if (!read) return undefined
  const known = head?.isUsageKnown && head.today === read.today ? head.used : read.used
  const used = (await sumUsage(read.organizationId, now)) ?? known
  return { ...read, used, isUsageKnown: true, isShared: false }
}

/**
 * True if a Brain is still as a batch found it. Then everything that the batch read is of that moment, and its refusals hold as
 * they would under the lock.
 */
const isStillAt = async (on: { db: Db; prepared: RunPrepared }, head: Head, now: Date): Promise<boolean> => {
  const toPlace = ({ position, stateVersion, schemaVersion, mode, availability, reviewRules }: LockedBrain) =>
    JSON.stringify([position, stateVersion, schemaVersion, mode, availability, reviewRules])
  const found = await readBrain(on, head.brainId, { now, isCapped: false, isDivided: false })
  return found !== undefined && toPlace(found) === toPlace(head)
}

/**
 * True if a request of a batch that read no keys was refused, and may have been answered before or be refused for a slug first.
 */
const mayEndOtherwise = async (
  db: Db,
  { brain, content }: CommitBatch,
  { requests, results }: { requests: readonly WriteRequest[]; results: readonly WriteResult[] },
): Promise<boolean> => {
  const refused = requests.filter((_, index) => 'error' in (results[index] ?? {}))
  if (refused.length === 0 || content.hasUnreadSlugs) return refused.length > 0
  return (await loadAnswers(db, brain.brainId, refused)).given.size > 0
}

/** The statement that commits a batch by itself; 'nothing' if that changes nothing, undefined if it takes more than one. */
const toUnlockedCommit = (
  commitFunction: CommitFunction | undefined,
  batch: CommitBatch,
  committing: Committing & { lockWait: LockWait },
): BoundStatement<object> | 'nothing' | undefined => {
  if (commitFunction) return toCommitCall(commitFunction, batch, committing)
  const { before, statement } = toCommitStatement(batch, committing) ?? { before: [], statement: 'nothing' as const }
  return before.length > 0 ? undefined : statement
}

type Unlocked = { head: Head; requests: readonly WriteRequest[]; now: Date; wait: LockWait }

/**
 * Runs a batch on a Brain that is not locked, and commits it by one statement that holds only if the Brain is still there.
 * `leavesKeysToIndexes`: idempotency keys and slugs are not read; a unique index refuses the statement where one is taken.
 * Undefined where nothing was written: the batch needs the lock, or (`retry`) needs those reads.
 */
const runUnlocked = async (
  { db, prepared, commitFunction, ...judging }: Deps,
  { head, requests, now, wait }: Unlocked,
  leavesKeysToIndexes: boolean,
): Promise<Committed | 'retry' | undefined> => {
  const answers: Answers = leavesKeysToIndexes
    ? { given: new Map(), made: [] }
    : await loadAnswers(db, head.brainId, requests)
  const { batch, results, changes } = await executeBatch(
    db,
    judging,
    { brain: head, now, answers, leavesKeysToIndexes },
    requests,
  )
  if (leavesKeysToIndexes && (await mayEndOtherwise(db, batch, { requests, results }))) return 'retry'
  // Other rows are ended as others see them, so only under the lock; so are steps of several statements.
  const needsLock = changes.some(({ ended, statements }) => ended.length > 0 && !statements.endsByKey)
  if (needsLock || batch.steps.length > 0) return undefined
  const commit = toUnlockedCommit(commitFunction, batch, { changes, answers, lockWait: wait })
  if (commit === 'nothing')
    return (await isStillAt({ db, prepared }, head, now)) ? committed(batch, results, false) : undefined
  if (commit === undefined) return undefined
  try {
    await prepared(commit)
    return committed(batch, results, false)
  } catch (error) {
    if (isLockTimeout(error)) throw new BrainBusy()
    if (isDatabaseUnavailable(error)) throw error
    return leavesKeysToIndexes && isDuplicate(error) ? 'retry' : undefined
  }
}

/** The most operations of a batch that may run a second time because a key was not read. */
const maxRepeated = 500

const commitUnlocked = async (deps: Deps, unlocked: Unlocked): Promise<Committed | undefined> => {
  const { mayStage } = unlocked.head
  // A change that is staged meets no index, so its keys are read.
  const mayLeaveKeys =
    !mayStage &&
    unlocked.requests.every(({ isForReview = false }) => !isForReview) &&
    unlocked.requests.reduce((sum, { operations }) => sum + operations.length, 0) <= maxRepeated
  const done = mayLeaveKeys ? await runUnlocked(deps, unlocked, true) : 'retry'
  if (done !== 'retry') return done
  const again = await runUnlocked(deps, unlocked, false)
  return again === 'retry' ? undefined : again
}

const commitLocked = (
  { db, prepared, isDivided, ...judging }: Deps,
  { brainId, head, wait }: Place,
  { requests: first, gather }: Submitted,
  now: Date,
): Promise<Committed> =>
  db.transaction().execute(async (tx) => {
    // All of a batch have the caps of the Brain's owner, or none.
    const caps = first[0]?.caps
    const known = isDivided ? findUsage(head, caps) : undefined
    const locked = await lockBrain(tx, brainId, {
      ...{ now, wait, isDivided },
      isCapped: caps !== undefined && known === undefined,
    })
    const found = locked && known ? { ...locked, ...known, isUsageKnown: true } : locked
    const submitted = gather()
    if (!found) {
      const gone: WriteResult = { error: notFound('This Brain does not exist; it was deleted.') }
      return { results: submitted.map(() => gone), topics: new Set(), head: undefined }
    }
    const brain = caps ? { ...found, used: await confirmUsage(tx, found, { caps, now }) } : found
    const answers = await loadAnswers(tx, brainId, submitted)
    const beginning = { brain, now, answers, leavesKeysToIndexes: false }
    const requests: WriteRequest[] = []
    for (const request of submitted)
      requests.push(
        'prepare' in request ? await prepareDeferred(tx, beginning, request) : await checkPrecondition(tx, request),
      )
    const { batch, results, changes } = await executeBatch(tx, judging, beginning, requests)
    for (const step of batch.steps) await step(tx)
    await writeLocked(tx, { prepared, isDivided }, batch, { changes, answers })
    return committed(batch, results, head !== undefined && head.position !== found.position)
  })

type WithoutLock = { head: Head | undefined; done: Committed | undefined }

/** Commits without the lock, on the worker that has the Brain if this node connects to it. `done` is undefined if that takes the lock. */
const commitWithoutLock = async (deps: Deps, place: Place, submitted: Submitted, now: Date): Promise<WithoutLock> => {
  const source = deps.isDivided ? deps.brainServers.find(place.brainId) : undefined
  const at = source ? { ...deps, db: source.db, prepared: source.prepared } : deps
  try {
    const found = await findHead(at, place, submitted, now)
    return { head: found?.head, done: found && (await commitUnlocked(at, { ...found, now, wait: place.wait })) }
  } catch (error) {
    if (source) deps.brainServers.recordFailure(source, error)
    // The worker refused a statement, so nothing is written. The coordinator decides.
    if (source && wasRefused(error) && !isDatabaseUnavailable(error)) return { head: undefined, done: undefined }
    throw error
  }
}

/**
 * Runs a batch of requests on one Brain and commits it whole. Each request gets its own result, which holds once this
 * returns; when it throws, nothing of the batch was written, unless the database was lost at the commit itself.
 */
export const commitBatch = async (
  deps: Deps,
  given: Place,
  { now, ...submitted }: Submitted & { now: Date },
): Promise<Committed> => {
  const place = deps.isDivided
    ? { ...given, head: await findDividedHead(deps, given, submitted.requests[0]?.caps, now) }
    : given
  const { head, done } =
    deps.isDivided && !deps.commitFunction
      ? { head: undefined, done: undefined }
      : await commitWithoutLock(deps, place, submitted, now)
  return done ?? commitLocked(deps, { ...place, head: head ?? place.head }, submitted, now)
}
