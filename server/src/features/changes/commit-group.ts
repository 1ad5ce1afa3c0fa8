import type { Clock } from '../../shared/clock.ts'
import { ApiError, notFound } from '../../shared/errors.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { insertEvents, placeEvents } from '../events/events.ts'
import {
  checkSameRequest,
  claimName,
  type IdempotencyClaim,
  insertAnswers,
  loadAnswers,
  type StoredAnswer,
} from '../idempotency/idempotency.ts'
import { selectRecordVersions } from '../records/records.ts'
import { type BaseVersions, baseName, isOutdated } from './conflicts.ts'
import { type ContentDraft, draftInserts, loadContentDraft, writeDraftEnds } from './draft.ts'
import { Group } from './group.ts'
import type { SettledOperation } from './operations.ts'
import { type LockedBrain, landGroup, lockBrain } from './queries.ts'
import { insertChanges, type StoredChange, selectChanges, updateChanges } from './stored-change.ts'

/**
 * Something that is to be done to a Brain: a write, or the settling of a change. What it names is read before `run`, under
 * the Brain's lock; `run` decides in memory and answers, or throws what it is refused with.
 */
export type Submission = {
  operations: readonly SettledOperation[]
  changeIds: readonly string[]
  claim: IdempotencyClaim | undefined
  run: (group: Group) => StoredAnswer
}

/**
 * A submission that must look at tables of its own feature to know what it is. `prepare` reads them under the Brain's lock
 * and writes nothing; what it saw holds because such a submission goes alone.
 */
export type LateSubmission = {
  claim: IdempotencyClaim | undefined
  prepare: (tx: Tx, brain: LockedBrain, now: Date) => Promise<Pick<Submission, 'operations' | 'run'>>
}

/** How a submission ended: its answer, or the error that it alone is refused with. */
export type Settlement = { answer: StoredAnswer; replayed: boolean } | { error: unknown }

type Answers = Awaited<ReturnType<typeof loadAnswers>>
type Stored = { claim: IdempotencyClaim; answer: StoredAnswer }

/** Runs one submission, or finds the answer that its key was given before. A refused one leaves no trace. */
const settle = (group: Group, { claim, run }: Submission, answers: Answers, stored: Stored[]): Settlement => {
  try {
    const earlier = claim && answers.get(claimName(claim))
    if (earlier) {
      checkSameRequest(earlier, claim)
      return { answer: earlier, replayed: true }
    }
    const answer = run(group)
    group.keep()
    if (claim) {
      stored.push({ claim, answer })
      answers.set(claimName(claim), { ...answer, fingerprint: claim.fingerprint })
    }
    return { answer, replayed: false }
  } catch (error) {
    group.rollBack()
    return { error }
  }
}

const refusedWith = (error: unknown) => ({
  operations: [],
  run: () => {
    throw error
  },
})

/** Lets a late submission find out what it is, unless its key was answered before: then nothing is left to find out. */
const prepareLate = async (
  tx: Tx,
  { brain, now, answers }: { brain: LockedBrain; now: Date; answers: Answers },
  { claim, prepare }: LateSubmission,
): Promise<Submission> => {
  const isAnswered = claim !== undefined && answers.has(claimName(claim))
  const prepared = isAnswered
    ? refusedWith(undefined)
    : await prepare(tx, brain, now).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        return refusedWith(error)
      })
  return { ...prepared, changeIds: [], claim }
}

/** The versions that patches were proposed on, where those are not current any more. */
const loadBases = async (
  tx: Tx,
  brainId: number,
  content: ContentDraft,
  changes: readonly StoredChange[],
): Promise<BaseVersions> => {
  const moved = changes.flatMap(({ items }) =>
    items.filter((item) => item.operation?.op === 'record.patch' && isOutdated(content, item)),
  )
  const wanted = moved.flatMap(({ target, base }) => (base === null ? [] : [{ id: target.id, version: base }]))
  const versions = wanted.length === 0 ? [] : await selectRecordVersions(tx, brainId, wanted)
  return new Map(versions.map((version) => [baseName(version.id, version.version), version.record]))
}

const loadGroup = async (tx: Tx, brain: LockedBrain, now: Date, submissions: readonly Submission[]): Promise<Group> => {
  const changeIds = submissions.flatMap((submission) => submission.changeIds)
  const changes = await selectChanges(tx, brain.brainId, changeIds)
  // A change that is settled may be applied now, so what its operations need is read too.
  const proposed = changes.flatMap(({ items }) => items.flatMap(({ operation }) => operation ?? []))
  const asked = submissions.flatMap(({ operations }) => operations)
  const content = await loadContentDraft(tx, brain.brainId, proposed.length > 0 ? [...asked, ...proposed] : asked)
  const bases = await loadBases(tx, brain.brainId, content, changes)
  return new Group(brain, now, { content, changes, bases })
}

/** Most parts of the statement that lands a group: an ordinary one has fewer. */
const mostParts = 12

const writeGroup = async (tx: Tx, group: Group, stored: readonly Stored[], today: string): Promise<void> => {
  const { brain, now, madeChanges, updatedChanges } = group
  const { brainId } = brain
  await writeDraftEnds(tx, brainId, group.content)
  if (updatedChanges.length > 0) await updateChanges(tx, brainId, updatedChanges)
  const events = placeEvents(brain, brain.position, now.toISOString(), group.events)
  const inserts = draftInserts(group.content, brainId)
  if (madeChanges.length > 0) inserts.push(insertChanges(brainId, madeChanges))
  if (stored.length > 0) inserts.push(insertAnswers(brainId, now, stored))
  if (events.length > 0) inserts.push(insertEvents(brainId, events))
  const progress = {
    position: brain.position + events.length,
    stateVersion: group.stateVersion,
    writesToday: brain.writesToday + group.writes,
  }
  inserts.push(...group.statements)
  // A large group lands in several statements, so that none outlasts what one statement may take.
  while (inserts.length > mostParts) await inserts.shift()?.execute(tx)
  if (inserts.length > 0) await landGroup(tx, brainId, inserts, progress, today)
}

/**
 * Runs a group of submissions on one Brain in one transaction. Each gets its own settlement, which holds once this
 * returns; when it throws, nothing of the group was written.
 */
export const commitGroup = (
  deps: { db: Db; clock: Clock },
  brainId: number,
  submitted: readonly (Submission | LateSubmission)[],
): Promise<{ settlements: Settlement[]; emitted: boolean }> =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const today = now.toISOString().slice(0, 10)
    const brain = await lockBrain(tx, brainId, today)
    if (!brain) {
      const gone: Settlement = { error: notFound('This Brain does not exist; it was deleted.') }
      return { settlements: submitted.map(() => gone), emitted: false }
    }
    const claims = submitted.flatMap(({ claim }) => claim ?? [])
    const answers = await loadAnswers(tx, brainId, claims)
    const submissions: Submission[] = []
    for (const submission of submitted)
      submissions.push('run' in submission ? submission : await prepareLate(tx, { brain, now, answers }, submission))
    const group = await loadGroup(tx, brain, now, submissions)
    const stored: Stored[] = []
    const settlements = submissions.map((submission) => settle(group, submission, answers, stored))
    await writeGroup(tx, group, stored, today)
    return { settlements, emitted: group.events.length > 0 }
  })
