import type { Clock } from '../../shared/clock.ts'
import { notFound } from '../../shared/errors.ts'
import type { JsonObject } from '../../shared/json.ts'
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
import { loadHolders, type SchemaCache, SchemaDraft } from '../schema/schema.ts'
import { type BaseVersions, baseName, isOutdated } from './conflicts.ts'
import { type ContentDraft, draftInserts, loadContentDraft, writeDraftEnds } from './draft.ts'
import { countDuplicates, storeEvolution } from './evolution-data.ts'
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
  /** Contents that `run` may put in place of those of the changes. */
  edits?: readonly { fields: JsonObject }[]
  /** Whether it may publish a change of the schema; it then has a group of its own. */
  evolves?: boolean
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

const loadGroup = async (
  tx: Tx,
  brain: LockedBrain,
  schema: SchemaDraft,
  { now, submissions }: { now: Date; submissions: readonly Submission[] },
): Promise<Group> => {
  const changeIds = submissions.flatMap((submission) => submission.changeIds)
  const changes = await selectChanges(tx, brain.brainId, changeIds)
  // A change that is settled may be applied now, so what its operations need is read too.
  const proposed = changes.flatMap(({ items }) => items.flatMap(({ operation }) => operation ?? []))
  const asked = submissions.flatMap(({ operations }) => operations)
  const wanted = proposed.length > 0 ? [...asked, ...proposed] : asked
  const content = await loadContentDraft(tx, brain.brainId, wanted, schema)
  await loadHolders(
    tx,
    brain.brainId,
    schema,
    submissions.flatMap(({ edits }) => edits ?? []),
  )
  schema.keep()
  const bases = await loadBases(tx, brain.brainId, content, changes)
  const evolves = submissions.some((submission) => submission.evolves)
  const duplicates = evolves ? await countDuplicates(tx, brain.brainId, changes) : undefined
  return new Group(brain, now, { content, changes, bases, duplicates })
}

const writeGroup = async (tx: Tx, group: Group, stored: readonly Stored[], today: string): Promise<void> => {
  const { brain, now, madeChanges, updatedChanges } = group
  const { brainId } = brain
  await writeDraftEnds(tx, brainId, group.content)
  await storeEvolution(tx, brainId, group.content.schema)
  if (updatedChanges.length > 0) await updateChanges(tx, brainId, updatedChanges)
  const events = placeEvents(brain, brain.position, now.toISOString(), group.events)
  const inserts = draftInserts(group.content, brainId)
  if (madeChanges.length > 0) inserts.push(insertChanges(brainId, madeChanges))
  if (stored.length > 0) inserts.push(insertAnswers(brainId, now, stored))
  if (events.length > 0) inserts.push(insertEvents(brainId, events))
  const progress = {
    position: brain.position + events.length,
    stateVersion: group.stateVersion,
    schemaVersion: group.content.schema.version,
    writesToday: brain.writesToday + group.writes,
  }
  if (inserts.length > 0) await landGroup(tx, brainId, inserts, progress, today)
}

/**
 * Runs a group of submissions on one Brain in one transaction. Each gets its own settlement, which holds once this
 * returns; when it throws, nothing of the group was written.
 */
export const commitGroup = (
  deps: { db: Db; clock: Clock; schemas: SchemaCache },
  brainId: number,
  submissions: readonly Submission[],
): Promise<{ settlements: Settlement[]; emitted: boolean }> =>
  deps.db.transaction().execute(async (tx) => {
    const now = deps.clock.now()
    const today = now.toISOString().slice(0, 10)
    const brain = await lockBrain(tx, brainId, today)
    if (!brain) {
      const gone: Settlement = { error: notFound('This Brain does not exist; it was deleted.') }
      return { settlements: submissions.map(() => gone), emitted: false }
    }
    const schema = await deps.schemas(tx, brainId, brain.schemaVersion)
    const draft = new SchemaDraft(schema, now.toISOString())
    const group = await loadGroup(tx, brain, draft, { now, submissions })
    const claims = submissions.flatMap(({ claim }) => claim ?? [])
    const answers = await loadAnswers(tx, brainId, claims)
    const stored: Stored[] = []
    const settlements = submissions.map((submission) => settle(group, submission, answers, stored))
    await writeGroup(tx, group, stored, today)
    return { settlements, emitted: group.events.length > 0 }
  })
