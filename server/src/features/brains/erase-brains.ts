import { sql } from 'kysely'
import type { Db } from '../../storage/database.ts'

/** The tables of a Brain that its deletion empties. Its events stay until they were offered to those who wait for them. */
const tables = [
  'record_versions',
  'statements',
  'document_versions',
  'changes',
  'snapshot_items',
  'snapshots',
  'idempotency_answers',
  'brain_keys',
  'brain_schemas',
  'brain_baselines',
  'emerged_structure',
  'field_index',
  'field_index_work',
  'receipts',
  'receipt_items',
] as const

const rowsAtOnce = 5_000

const eraseFrom = async (db: Db, brainId: number, table: (typeof tables)[number]): Promise<void> => {
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where brain_id = ${brainId} and ctid = any(
      array(select ctid from ${sql.table(table)} where brain_id = ${brainId} limit ${rowsAtOnce}))`.execute(db)
    if ((numAffectedRows ?? 0n) < BigInt(rowsAtOnce)) return
  }
}

/** Erases what deleted Brains held, a few thousand rows at a time. Safe on any number of nodes and to repeat. */
export const eraseDeletedBrains = async (deps: { db: Db }, now: Date): Promise<void> => {
  const { rows } = await sql<{ brainId: number }>`select brain_id as "brainId" from brains
    where deleted_at is not null and purged_at is null order by brain_id limit 20`.execute(deps.db)
  for (const { brainId } of rows) {
    for (const table of tables) await eraseFrom(deps.db, brainId, table)
    // The last event alone is kept: it tells those who follow the Brain that it is gone.
    await sql`delete from events where brain_id = ${brainId}
      and position < (select max(position) from events where brain_id = ${brainId})`.execute(deps.db)
    await sql`update brains set purged_at = ${now} where brain_id = ${brainId}`.execute(deps.db)
  }
}
