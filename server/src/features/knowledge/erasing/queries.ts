import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../storage/database.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'

/** Deleted Brains that are not erased, of some. */
export const brainsToErase = (narrow: NarrowBrains): RawBuilder<unknown> => sql`
  select brain.brain_id, brain.deleted_at as due from brains as brain
  where brain.deleted_at is not null and brain.purged_at is null and ${narrow(sql`brain.brain_id`)}`

/** Deletes some rows of a Brain, and returns their number. */
export const deleteRows = async (db: Db, brainId: number, table: string, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where brain_id = ${brainId} and ctid = any(
    array(select ctid from ${sql.table(table)} where brain_id = ${brainId} limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Deletes the webhooks that received everything or are paused, and returns whether others still wait for the last events. */
export const releaseWebhooks = async (db: Db, brainId: number): Promise<boolean> => {
  await sql`delete from brain_webhooks as webhook using brains as brain
    where webhook.brain_id = ${brainId} and brain.brain_id = ${brainId}
      and (webhook.examined_position >= brain.position or webhook.due_at = 'infinity')`.execute(db)
  const { rows } = await sql`select from brain_webhooks where brain_id = ${brainId} limit 1`.execute(db)
  return rows.length > 0
}

/** Deletes the events of a Brain except the last, which tells its followers that the Brain is gone. */
export const deleteEventsButLast = (db: Db, brainId: number) =>
  sql`delete from events where brain_id = ${brainId}
    and position < (select max(position) from events where brain_id = ${brainId})`.execute(db)

export const markErased = (db: Db, brainId: number, now: Date) =>
  sql`update brains set purged_at = ${now} where brain_id = ${brainId}`.execute(db)
