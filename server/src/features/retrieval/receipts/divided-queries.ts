import { sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { NewReceipt } from './queries.ts'

// Receipts on divided tables: those of each Brain by statements of their own, which one server runs whole.

const liveBrain = (brainId: number) =>
  sql`(select brain_id from brains where brain_id = ${brainId} and deleted_at is null) as brain`

const insertOfBrain = async (tx: Queryable, brainId: number, rows: readonly NewReceipt[]): Promise<string[]> => {
  const { rows: added } = await sql<{ id: string }>`
    insert into receipts (brain_id, id, at, state_version, operation, consumer_id, served)
    select brain.brain_id, row.id, row.at, row.state_version, row.operation, row.consumer_id, row.served::json
    from ${liveBrain(brainId)} cross join unnest(${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ at }) => at.toISOString())}::timestamptz[], ${rows.map(({ stateVersion }) => stateVersion)}::bigint[],
      ${rows.map(({ operation }) => operation)}::text[], ${rows.map(({ consumerId }) => consumerId)}::text[],
      ${rows.map(({ served }) => JSON.stringify(served))}::text[])
      as row (id, at, state_version, operation, consumer_id, served)
    returning id`.execute(tx)
  return added.map(({ id }) => id)
}

const insertItemsOfBrain = async (tx: Queryable, brainId: number, rows: readonly NewReceipt[]): Promise<void> => {
  const items = rows.flatMap(({ id, items: ofOne }) => ofOne.map((item) => ({ id, ...item })))
  if (items.length === 0) return
  await sql`
    insert into receipt_items (brain_id, item, receipt, version)
    select brain.brain_id, row.item, row.receipt, row.version
    from ${liveBrain(brainId)} cross join unnest(${items.map(({ key }) => key)}::bigint[],
      ${items.map(({ id }) => id)}::uuid[], ${items.map(({ version }) => version)}::integer[]) as row (item, receipt, version)`.execute(
    tx,
  )
}

/** Stores receipts of several Brains. Returns for each whether its Brain still existed. */
export const storeDivided = async (db: Db, rows: readonly NewReceipt[]): Promise<boolean[]> => {
  const stored = new Set<string>()
  for (const [brainId, ofBrain] of Map.groupBy(rows, (row) => row.brainId))
    await db.transaction().execute(async (tx) => {
      for (const id of await insertOfBrain(tx, brainId, ofBrain)) stored.add(id)
      await insertItemsOfBrain(tx, brainId, ofBrain)
    })
  return rows.map(({ id }) => stored.has(id))
}

/** The estimate of the servers for the table with the most receipts; negative if one has no estimate yet. A Brain's are in one table. */
export const estimateLargest = async (db: Queryable): Promise<number> => {
  const { rows } = await sql<{ estimate: number }>`
    select case when bool_and(success and result::real >= 0) then max(result::real) else -1 end as estimate
    from run_command_on_shards('receipts', 'select reltuples from pg_class where oid = ''%s''::regclass')`.execute(db)
  return rows[0]?.estimate ?? -1
}
