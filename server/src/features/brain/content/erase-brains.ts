import { sql } from 'kysely'
import type { Db } from '../../../storage/database.ts'
import { contentKinds } from './content.ts'

/** The tables of a Brain that its deletion empties. Its events stay until they were offered to those who wait for them. */
const tables = [
  ...contentKinds.map(({ table }) => table.name),
  'changes',
  'snapshot_items',
  'snapshots',
  'idempotency_answers',
  'brain_keys',
  'brain_schemas',
  'brain_baselines',
  'emerged_structure',
  'field_index',
  'passages',
  'passage_postings',
  'passage_segments',
  'passage_progress',
  'field_index_work',
  'receipts',
  'receipt_items',
  'date_crossings',
  'brain_webhook_deliveries',
  'passage_vectors',
  'vector_progress',
]

const rowsAtOnce = 5_000

const eraseFrom = async (db: Db, brainId: number, table: string): Promise<void> => {
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where brain_id = ${brainId} and ctid = any(
      array(select ctid from ${sql.table(table)} where brain_id = ${brainId} limit ${rowsAtOnce}))`.execute(db)
    if ((numAffectedRows ?? 0n) < BigInt(rowsAtOnce)) return
  }
}

/** Lets go of the webhooks that were sent everything, and answers whether others still wait for the last events. */
const isAwaited = async (db: Db, brainId: number): Promise<boolean> => {
  await sql`delete from brain_webhooks as webhook using brains as brain
    where webhook.brain_id = ${brainId} and brain.brain_id = ${brainId} and webhook.examined_position >= brain.position`.execute(
    db,
  )
  const { rows } = await sql`select from brain_webhooks where brain_id = ${brainId} limit 1`.execute(db)
  return rows.length > 0
}

const eraseBrain = async (db: Db, brainId: number, now: Date): Promise<void> => {
  for (const table of tables) await eraseFrom(db, brainId, table)
  if (await isAwaited(db, brainId)) return
  // The last event alone is kept: it tells those who follow the Brain that it is gone.
  await sql`delete from events where brain_id = ${brainId}
    and position < (select max(position) from events where brain_id = ${brainId})`.execute(db)
  await sql`update brains set purged_at = ${now} where brain_id = ${brainId}`.execute(db)
}

const brainsAtOnce = 20

/** Erases what deleted Brains held, a few thousand rows at a time. Safe on any number of nodes and to repeat. */
export const eraseDeletedBrains = async ({ db }: { db: Db }, now: Date): Promise<void> => {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ brainId: number }>`select brain_id as "brainId" from brains
      where deleted_at is not null and purged_at is null and brain_id > ${last}
      order by brain_id limit ${brainsAtOnce}`.execute(db)
    for (const { brainId } of rows) await eraseBrain(db, brainId, now)
    if (rows.length < brainsAtOnce) return
    last = rows.at(-1)?.brainId ?? last
  }
}
