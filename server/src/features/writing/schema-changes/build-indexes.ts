import type { Clock } from '../../../shared/clock.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import type { LockWait } from '../../kernel/locks/lock-queries.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { readInOrder } from '../../kernel/state-reads/state-queries.ts'
import {
  brainsWithIndexWork,
  deleteEntriesAfter,
  deleteIndexWork,
  type IndexWork,
  insertEntries,
  putIndexWork,
  selectIndexWork,
} from '../../knowledge/field-indexes/field-index-queries.ts'
import { indexEntries } from '../../knowledge/field-indexes/field-indexes.ts'
import { selectCurrentRecords } from '../../knowledge/records/record-queries.ts'
import { loadSchema } from '../../knowledge/schema/schema-cache.ts'
import { type LockedBrain, lockBrain } from '../commit/commit-queries.ts'

// Indexes of declared fields are dropped and built a piece at a time, each under the Brain's lock, so that its writers wait
// for one piece and never for a whole index. Writes keep the entries of what they write from the moment that a field is
// declared; so once every record that was there has had its turn, the index is whole.

/** The rows of one piece of work. */
const pieceSize = { records: 500, entries: 5_000 }
type PieceSize = typeof pieceSize

/** Pieces of one turn, after which other Brains have theirs. */
const maxPieces = 50

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks }

/** Drops the next entries of an index. Written ones may go along: the build that follows brings them back. */
const dropPiece = async (
  tx: Tx,
  brain: LockedBrain,
  work: IndexWork,
  size: PieceSize,
): Promise<IndexWork | undefined> => {
  const after = work.place === '' ? (['', ''] as const) : (JSON.parse(work.place) as [string, string])
  const gone = await deleteEntriesAfter(tx, brain.brainId, work, { after, limit: size.entries })
  const last = gone.at(-1)
  if (last && gone.length === size.entries) return { ...work, place: JSON.stringify([last.value, last.recordId]) }
  const { byKind } = await loadSchema(tx, brain.brainId, brain.schemaVersion)
  const isDeclared = byKind.get(work.kind)?.indexed.some(({ name }) => name === work.field)
  return isDeclared ? { ...work, step: 'build', place: '' } : undefined
}

/** Indexes the next records of a kind by one field. */
const buildPiece = async (
  tx: Tx,
  brain: LockedBrain,
  work: IndexWork,
  size: PieceSize,
): Promise<IndexWork | undefined> => {
  const { byKind } = await loadSchema(tx, brain.brainId, brain.schemaVersion)
  const fields = (byKind.get(work.kind)?.indexed ?? []).filter(({ name }) => name === work.field)
  const records = await selectCurrentRecords(tx, brain.brainId, work.kind, work.place, size.records)
  const entries = records.flatMap((record) => indexEntries(work.kind, fields, record))
  if (entries.length > 0) await insertEntries(brain.brainId, entries).execute(tx)
  const last = records.at(-1)
  return last && { ...work, place: last.id }
}

const buildOnePiece = async (
  tx: Tx,
  brainId: number,
  { now, wait, size }: { now: Date; wait: LockWait; size: PieceSize },
): Promise<boolean> => {
  await readInOrder(tx)
  const brain = await lockBrain(tx, brainId, { now, wait, isCapped: false, isDivided: false })
  const [work] = brain ? await selectIndexWork(tx, brainId, 1) : []
  if (!brain || !work) return false
  const next = work.step === 'drop' ? await dropPiece(tx, brain, work, size) : await buildPiece(tx, brain, work, size)
  if (next) await putIndexWork(tx, brainId, next)
  else await deleteIndexWork(tx, brainId, work)
  return true
}

/** Does the next piece of the work on a Brain's indexes. False where nothing is left. */
export const buildNextPiece = (deps: Deps, brainId: number, size = pieceSize): Promise<boolean> =>
  deps.brainLocks.run(brainId, (wait) =>
    deps.db.transaction().execute((tx) => buildOnePiece(tx, brainId, { now: deps.clock.now(), wait, size })),
  )

const buildSome = async (deps: Deps, brainId: number, { stopping, renew }: BrainTurn): Promise<BrainTurnEnd> => {
  for (let piece = 0; piece < maxPieces; piece++) {
    if (!(await buildNextPiece(deps, brainId))) return 'done'
    if (stopping.aborted || !(await renew())) return 'unfinished'
  }
  return 'unfinished'
}

/** Builds and drops the indexes that wait for it. */
export const createIndexBuilding = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'build indexes of fields',
    ...{ work: 'build indexes', maxTurns: 2, leaseSeconds: 60 },
    behind: brainsWithIndexWork,
    run: (brainId, turn) => buildSome(deps, brainId, turn),
  })
