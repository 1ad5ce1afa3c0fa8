import { ApiError } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { selectRecordVersions } from '../../brain/records/records.ts'
import { loadHolders, type SchemaCache, SchemaWrites } from '../../brain/schema/schema.ts'
import { insertEvents, placeEvents } from '../../brain/stream/stream.ts'
import {
  checkSameRequest,
  claimName,
  type IdempotencyClaim,
  insertAnswers,
  type loadAnswers,
  type StoredAnswer,
} from '../../platform/idempotency/idempotency.ts'
import { type BaseVersions, baseName, isOutdated } from '../review/conflicts.ts'
import { countDuplicates } from '../schema-changes/count-violations.ts'
import { insertChanges, type StoredChange, selectChanges } from './change-store.ts'
import { CommitBatch } from './commit-batch.ts'
import { type LockedBrain, landing } from './queries.ts'
import type { ResolvedOperation } from './resolve-operations.ts'
import { type ContentWrites, listInserts, loadContent } from './write-set.ts'

/**
 * Something that is to be done to a Brain: a write, or the settling of a change. What it names is read before `run`, under
 * the Brain's lock; `run` decides in memory and answers, or throws what it is refused with.
 */
export type WriteRequest = {
  operations: readonly ResolvedOperation[]
  changeIds: readonly string[]
  claim: IdempotencyClaim | undefined
  /** The cap that it counts against, if any. */
  leastCap: number | undefined
  run: (batch: CommitBatch) => StoredAnswer
  /** Contents that `run` may put in place of those of the changes. */
  edits?: readonly { fields: JsonObject }[]
  /** Whether it may publish a change of the schema; it then has a batch of its own. */
  evolves?: boolean
}

/**
 * A request that must look at tables of its own feature to know what it is. `prepare` reads them under the Brain's lock
 * and writes nothing; what it saw holds because such a request goes alone.
 */
export type DeferredWriteRequest = {
  claim: IdempotencyClaim | undefined
  prepare: (tx: Tx, brain: LockedBrain, now: Date) => Promise<Pick<WriteRequest, 'operations' | 'run'>>
}

/** How a request ended: its answer, or the error that it alone is refused with. */
export type WriteResult = { answer: StoredAnswer; replayed: boolean } | { error: unknown }

export type Answers = Awaited<ReturnType<typeof loadAnswers>>
type Stored = { claim: IdempotencyClaim; answer: StoredAnswer }

/** Runs one request, or finds the answer that its key was given before. A refused one leaves no trace. */
const settle = (batch: CommitBatch, { claim, run }: WriteRequest, answers: Answers, stored: Stored[]): WriteResult => {
  try {
    const earlier = claim && answers.get(claimName(claim))
    if (earlier) {
      checkSameRequest(earlier, claim)
      return { answer: earlier, replayed: true }
    }
    const answer = run(batch)
    batch.keep()
    if (claim) {
      stored.push({ claim, answer })
      answers.set(claimName(claim), { ...answer, fingerprint: claim.fingerprint })
    }
    return { answer, replayed: false }
  } catch (error) {
    batch.rollBack()
    return { error }
  }
}

const refusedWith = (error: unknown) => ({
  operations: [],
  run: () => {
    throw error
  },
})

/** Lets a late request find out what it is, unless its key was answered before: then nothing is left to find out. */
export const prepareDeferred = async (
  tx: Tx,
  { brain, now, answers }: { brain: LockedBrain; now: Date; answers: Answers },
  { claim, prepare }: DeferredWriteRequest,
): Promise<WriteRequest> => {
  const isAnswered = claim !== undefined && answers.has(claimName(claim))
  const prepared = isAnswered
    ? refusedWith(undefined)
    : await prepare(tx, brain, now).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        return refusedWith(error)
      })
  return { ...prepared, changeIds: [], claim, leastCap: undefined }
}

/** The versions that patches were proposed on, where those are not current any more. */
const loadBases = async (
  tx: Queryable,
  brainId: number,
  content: ContentWrites,
  changes: readonly StoredChange[],
): Promise<BaseVersions> => {
  const moved = changes.flatMap(({ items }) =>
    items.filter((item) => item.operation?.op === 'record.patch' && isOutdated(content, item)),
  )
  const wanted = moved.flatMap(({ target, base }) => (base === null ? [] : [{ id: target.id, version: base }]))
  const versions = wanted.length === 0 ? [] : await selectRecordVersions(tx, brainId, wanted)
  return new Map(versions.map((version) => [baseName(version.id, version.version), version.record]))
}

const loadBatch = async (
  tx: Queryable,
  brain: LockedBrain,
  schema: SchemaWrites,
  { now, requests }: { now: Date; requests: readonly WriteRequest[] },
): Promise<CommitBatch> => {
  const changeIds = requests.flatMap((request) => request.changeIds)
  const changes = await selectChanges(tx, brain.brainId, changeIds)
  // A change that is settled may be applied now, so what its operations need is read too.
  const proposed = changes.flatMap(({ items }) => items.flatMap(({ operation }) => operation ?? []))
  const asked = requests.flatMap(({ operations }) => operations)
  const wanted = proposed.length > 0 ? [...asked, ...proposed] : asked
  const content = await loadContent(tx, brain.brainId, wanted, schema)
  await loadHolders(
    tx,
    brain.brainId,
    schema,
    requests.flatMap(({ edits }) => edits ?? []),
  )
  const bases = await loadBases(tx, brain.brainId, content, changes)
  const evolves = requests.some((request) => request.evolves)
  const duplicates = evolves ? await countDuplicates(tx, brain.brainId, changes) : undefined
  return new CommitBatch(brain, now, { content, changes, bases, duplicates })
}

/** Most parts of the statement that lands a batch: an ordinary one has fewer. */
const mostParts = 12

/**
 * What a batch leaves behind, ready to be landed; undefined where it changed nothing. `before` holds the parts of a large
 * batch that land in statements of their own, so that none outlasts what one statement may take.
 */
export const landingOf = (batch: CommitBatch, stored: readonly Stored[], today: string) => {
  const { brain, now, madeChanges } = batch
  const { brainId } = brain
  const events = placeEvents(brain, brain.position, now.toISOString(), batch.events)
  const inserts = listInserts(batch.content, brainId)
  if (madeChanges.length > 0) inserts.push(insertChanges(brainId, madeChanges))
  if (stored.length > 0) inserts.push(insertAnswers(brainId, now, stored))
  if (events.length > 0) inserts.push(insertEvents(brainId, events))
  const progress = {
    position: brain.position + events.length,
    stateVersion: batch.stateVersion,
    schemaVersion: batch.content.schema.version,
    writes: batch.writes,
  }
  inserts.push(...batch.statements)
  if (inserts.length === 0) return undefined
  const before = inserts.splice(0, Math.max(0, inserts.length - mostParts))
  return { before, statement: landing(brain, inserts, progress, today) }
}

export type Run = { batch: CommitBatch; results: WriteResult[]; stored: Stored[] }

/** Reads what a batch of requests needs and runs each on it, in memory. */
export const executeBatch = async (
  db: Queryable,
  schemas: SchemaCache,
  { brain, now, answers }: { brain: LockedBrain; now: Date; answers: Answers },
  requests: readonly WriteRequest[],
): Promise<Run> => {
  const schema = new SchemaWrites(await schemas(db, brain.brainId, brain.schemaVersion), now.toISOString())
  const batch = await loadBatch(db, brain, schema, { now, requests })
  const stored: Stored[] = []
  const results = requests.map((request) => settle(batch, request, answers, stored))
  return { batch, results, stored }
}
