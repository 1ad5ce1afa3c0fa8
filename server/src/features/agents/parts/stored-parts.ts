import type { RunPart } from '@noema/contracts/run-stream.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { deleteParts, insertParts, type StoredPart, type WrittenRun } from './parts-queries.ts'

/** A part that is not stored yet. Those of an operation that is still under way are withdrawn with its attempt. */
export type NewPart = { operationId?: string | undefined; part: RunPart }

const toStored = ({ operationId, part }: NewPart): StoredPart => ({
  operationId: operationId ?? null,
  part: JSON.stringify(part),
})

/**
 * Stores parts under the next numbers of their run, in the transaction that stores an outcome or an end; false if the run's lease
 * is lost. Publish the run's topic after it.
 */
export const appendParts = async (db: Queryable, run: WrittenRun, parts: readonly NewPart[]): Promise<boolean> =>
  parts.length === 0 || (await insertParts(db, run, parts.map(toStored)))

/**
 * Takes back what an attempt of an operation had streamed, and says so to those who read it live. The caller holds the lock of
 * the run's row.
 */
export const withdrawParts = async (tx: Tx, run: WrittenRun, operationId: string): Promise<void> => {
  const from = await deleteParts(tx, run, operationId)
  if (from === undefined) return
  await appendParts(tx, run, [{ part: { type: 'data-restart', data: { operationId, from }, transient: true } }])
}
