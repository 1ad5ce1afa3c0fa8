import type { ChangeRef } from '@noema/contracts/changes.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Caps } from '../../config.ts'
import type { Clock } from '../../shared/clock.ts'
import { ApiError, notFound, rateLimited } from '../../shared/errors.ts'
import { newId } from '../../shared/ids.ts'
import type { Db, Tx } from '../../storage/database.ts'
import { heldBrain, secondsLeftToday } from '../brains/brains.ts'
import { insertEvents, placeEvents } from '../events/events.ts'
import {
  checkSameRequest,
  claimName,
  type IdempotencyClaim,
  insertAnswers,
  loadAnswers,
  type StoredAnswer,
} from '../idempotency/idempotency.ts'
import {
  type Applied,
  applyOperations,
  type ContentDraft,
  draftInserts,
  keepDraft,
  loadContentDraft,
  rollBackDraft,
  writeDraftEnds,
} from './draft.ts'
import type { SettledOperation } from './operations.ts'
import { type ChangeRow, insertChanges, type LockedBrain, landGroup, lockBrain, selectChangeIds } from './queries.ts'

/** What a landed change tells its caller, from which the answer is made. */
export type Landed = { change: ChangeRef; stateVersion: number; applied: readonly Applied[] }

/** A change on its way through the write door. */
export type Submission = {
  operations: readonly SettledOperation[]
  isBatch: boolean
  keyId: string
  corrects: string | undefined
  claim: IdempotencyClaim | undefined
  caps: Caps
  answer: (landed: Landed) => StoredAnswer
}

/** How a submission ended: its answer, or the error that it alone is refused with. */
export type Settlement = { answer: StoredAnswer; replayed: boolean } | { error: unknown }

/** What a group has done so far, in memory, on top of what the database held when the Brain was locked. */
class GroupDraft {
  readonly brain: LockedBrain
  readonly now: Date
  readonly content: ContentDraft
  readonly #answers: Awaited<ReturnType<typeof loadAnswers>>
  readonly #knownChanges: Set<string>
  readonly changes: ChangeRow[] = []
  readonly events: NewEvent[] = []
  readonly stored: { claim: IdempotencyClaim; answer: StoredAnswer }[] = []
  stateVersion: number
  writes = 0

  constructor(
    brain: LockedBrain,
    now: Date,
    known: { content: ContentDraft; answers: Awaited<ReturnType<typeof loadAnswers>>; changes: Set<string> },
  ) {
    this.brain = brain
    this.now = now
    this.content = known.content
    this.#answers = known.answers
    this.#knownChanges = known.changes
    this.stateVersion = brain.stateVersion
  }

  /** Tries one submission. A refused one leaves no trace, so its neighbours go on. */
  settle(submission: Submission): Settlement {
    try {
      const replay = this.#replayOf(submission)
      if (replay) return { answer: replay, replayed: true }
      const answer = submission.answer(this.#apply(submission))
      keepDraft(this.content)
      this.#store(submission, answer)
      return { answer, replayed: false }
    } catch (error) {
      rollBackDraft(this.content)
      return { error }
    }
  }

  #replayOf({ claim }: Submission): StoredAnswer | undefined {
    const stored = claim && this.#answers.get(claimName(claim))
    if (stored) checkSameRequest(stored, claim)
    return stored
  }

  #store({ claim }: Submission, answer: StoredAnswer): void {
    if (!claim) return
    this.stored.push({ claim, answer })
    this.#answers.set(claimName(claim), { ...answer, fingerprint: claim.fingerprint })
  }

  #apply(submission: Submission): Landed {
    if (this.brain.availability === 'held') throw heldBrain()
    this.#checkCap(submission)
    if (submission.corrects !== undefined && !this.#knownChanges.has(submission.corrects))
      throw notFound(`corrects names ${JSON.stringify(submission.corrects)}, which is no change of this Brain.`)
    const id = newId('chg', this.now)
    const stateVersion = this.stateVersion + 1
    const applying = { change: id, key: submission.keyId, at: this.now.toISOString(), stateVersion }
    const { applied, events } = applyOperations(this.content, submission, applying)
    this.writes += submission.operations.length
    if (events.length === 0) return unchanged(applied)
    this.stateVersion = stateVersion
    this.events.push(...events)
    const landed = { id, decision: 'approved', application: 'applied' } as const
    this.changes.push({
      ...landed,
      submitted_by: submission.keyId,
      corrects: submission.corrects ?? null,
      state_version: stateVersion,
    })
    return { change: landed, stateVersion, applied }
  }

  #checkCap({ caps, operations }: Submission): void {
    if (!caps) return
    const spent = this.brain.organizationWrites + this.brain.writesToday + this.writes
    if (spent + operations.length <= caps.dailyWrites) return
    throw rateLimited(
      `This organization has written ${spent} of the ${caps.dailyWrites} operations that its account allows a day. Confirm the account's address, or go on tomorrow (UTC).`,
      { code: 'write_cap', retryAfterSeconds: secondsLeftToday(this.now) },
    )
  }
}

/** The answer to a change that changed nothing: the change that made things as they are (D-05). */
const unchanged = (applied: readonly Applied[]): Landed => {
  const newest = applied.reduce((a, b) => (b.madeBy.stateVersion > a.madeBy.stateVersion ? b : a))
  const change = { id: newest.madeBy.change, decision: 'approved', application: 'applied' } as const
  return { change, stateVersion: newest.madeBy.stateVersion, applied }
}

const loadGroup = async (tx: Tx, brain: LockedBrain, now: Date, submissions: readonly Submission[]) => {
  const claims = submissions.flatMap(({ claim }) => claim ?? [])
  const corrected = submissions.flatMap(({ corrects }) => corrects ?? [])
  return new GroupDraft(brain, now, {
    content: await loadContentDraft(
      tx,
      brain.brainId,
      submissions.flatMap(({ operations }) => operations),
    ),
    answers: await loadAnswers(tx, brain.brainId, claims),
    changes: await selectChangeIds(tx, brain.brainId, corrected),
  })
}

const writeGroup = async (tx: Tx, group: GroupDraft, today: string): Promise<void> => {
  const { brain, now } = group
  const { brainId } = brain
  await writeDraftEnds(tx, brainId, group.content)
  const events = placeEvents(brain, brain.position, now.toISOString(), group.events)
  const inserts = draftInserts(group.content, brainId)
  if (group.changes.length > 0) inserts.push(insertChanges(brainId, now, group.changes))
  if (group.stored.length > 0) inserts.push(insertAnswers(brainId, now, group.stored))
  if (events.length > 0) inserts.push(insertEvents(brainId, events))
  const progress = {
    position: brain.position + events.length,
    stateVersion: group.stateVersion,
    writesToday: brain.writesToday + group.writes,
  }
  if (inserts.length > 0) await landGroup(tx, brainId, inserts, progress, today)
}

/**
 * Applies a group of submissions to one Brain in one transaction. Each gets its own settlement, which holds once this
 * returns; when it throws, nothing of the group was written.
 */
export const commitGroup = (
  deps: { db: Db; clock: Clock },
  brainId: number,
  submissions: readonly Submission[],
): Promise<{ settlements: Settlement[]; emitted: boolean }> =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const today = now.toISOString().slice(0, 10)
    const brain = await lockBrain(tx, brainId, today)
    if (!brain) {
      const gone: Settlement = { error: new ApiError('not_found', 'This Brain does not exist; it was deleted.') }
      return { settlements: submissions.map(() => gone), emitted: false }
    }
    const group = await loadGroup(tx, brain, now, submissions)
    const settlements = submissions.map((submission) => group.settle(submission))
    await writeGroup(tx, group, today)
    return { settlements, emitted: group.events.length > 0 }
  })
