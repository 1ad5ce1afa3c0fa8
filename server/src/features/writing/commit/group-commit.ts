import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import { type Db, isDatabaseUnavailable, type RunPrepared } from '../../../storage/database.ts'
import type { SchemaCache } from '../../brain/schema/schema.ts'
import { loadAnswers } from '../../platform/idempotency/idempotency.ts'
import { storeEvolution } from '../schema-changes/count-violations.ts'
import { draftEnds, writeDraftEnds } from './write-set.ts'
import type { Group } from './commit-batch.ts'
import { dayOf, type LockedBrain, lockBrain } from './queries.ts'
import {
  type LateSubmission,
  landingOf,
  prepareLate,
  type Run,
  runGroup,
  type Settlement,
  type Submission,
} from './execute-batch.ts'
import { updateChanges } from './change-store.ts'

/** Where a group left its Brain, from which the next group of this node may start without asking. */
const headAfter = ({ brain, content, stateVersion, writes, events }: Group): LockedBrain => ({
  ...brain,
  schemaVersion: content.schema.version,
  stateVersion,
  position: brain.position + events.length,
  writesToday: brain.writesToday + writes,
})

export type Committed = { settlements: Settlement[]; emitted: boolean; head: LockedBrain | undefined }

const committed = ({ group, settlements }: Run): Committed => ({
  settlements,
  emitted: group.events.length > 0,
  head: headAfter(group),
})

type Deps = { db: Db; prepared: RunPrepared; clock: Clock; schemas: SchemaCache }

// How long what other Brains of the organization wrote may be remembered.
const rememberMilliseconds = 1_000

/** Whether a group may be tried without the lock: it only adds, and its organization is far from what it may write. */
const mayRunAhead = (head: LockedBrain, now: Date, submissions: readonly Submission[]): boolean => {
  const age = now.getTime() - head.seenAt.getTime()
  if (age > rememberMilliseconds || dayOf(head.seenAt) !== dayOf(now)) return false
  return submissions.every(
    ({ changeIds, operations, leastCap }) =>
      changeIds.length === 0 &&
      (leastCap === undefined || (head.organizationWrites + head.writesToday + operations.length) * 2 < leastCap) &&
      operations.every(({ op }) => addingOperations.has(op)),
  )
}

const addingOperations = new Set(['record.create', 'statement.assert', 'document.put'])

/**
 * Runs a group on the Brain as this node left it, and lands it in one statement that holds only if the Brain is still
 * there: no lock, no transaction of several round trips. Undefined where that did not work out; then nothing was written.
 */
const commitAhead = async (
  deps: Deps,
  head: LockedBrain,
  submissions: readonly Submission[],
): Promise<Committed | undefined> => {
  const now = deps.clock.now()
  if (!mayRunAhead(head, now, submissions)) return undefined
  const claims = submissions.flatMap(({ claim }) => claim ?? [])
  const answers = await loadAnswers(deps.db, head.brainId, claims)
  const run = await runGroup(deps.db, deps.schemas, { brain: head, now, answers }, submissions)
  // What ends a version takes a statement of its own before the insert, so it takes a transaction.
  if (draftEnds(run.group.content) || run.group.updatedChanges.length > 0) return undefined
  const landed = landingOf(run.group, run.stored, dayOf(now))
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
  submitted: readonly (Submission | LateSubmission)[],
): Promise<Committed> =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const brain = await lockBrain(tx, brainId, now)
    if (!brain) {
      const gone: Settlement = { error: notFound('This Brain does not exist; it was deleted.') }
      return { settlements: submitted.map(() => gone), emitted: false, head: undefined }
    }
    const claims = submitted.flatMap(({ claim }) => claim ?? [])
    const answers = await loadAnswers(tx, brainId, claims)
    const submissions: Submission[] = []
    for (const submission of submitted)
      submissions.push('run' in submission ? submission : await prepareLate(tx, { brain, now, answers }, submission))
    const run = await runGroup(tx, deps.schemas, { brain, now, answers }, submissions)
    const { group } = run
    await writeDraftEnds(tx, brainId, group.content)
    await storeEvolution(tx, brainId, group.content.schema)
    if (group.updatedChanges.length > 0) await updateChanges(tx, brainId, group.updatedChanges)
    const landed = landingOf(group, run.stored, dayOf(now))
    for (const part of landed?.before ?? []) await part.execute(tx)
    await landed?.statement.execute(tx)
    return committed(run)
  })

/**
 * Runs a group of submissions on one Brain and commits it whole. Each submission gets its own settlement, which holds once
 * this returns; when it throws, nothing of the group was written, unless the database was lost at the commit itself.
 */
export const commitGroup = async (
  deps: Deps,
  { brainId, head }: { brainId: number; head: LockedBrain | undefined },
  submissions: readonly (Submission | LateSubmission)[],
): Promise<Committed> => {
  // What finds out only under the lock what it is cannot be tried without it.
  const known = submissions.flatMap((submission) => ('run' in submission ? submission : []))
  const ahead = head && known.length === submissions.length ? await commitAhead(deps, head, known) : undefined
  return ahead ?? commitLocked(deps, brainId, submissions)
}
