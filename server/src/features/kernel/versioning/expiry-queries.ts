import { type RawBuilder, sql } from 'kysely'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import type { NarrowBrains } from '../leases/lease-queries.ts'

/** A table of versions with the time when each expires. */
export type ExpiringTable = 'record_versions' | 'document_versions'

const isExpiring = sql`expires_at is not null and to_state is null`

/** Active Brains with live items that expired, of some. */
export const brainsWithExpired =
  (table: ExpiringTable) =>
  (narrow: NarrowBrains, now: Date): RawBuilder<unknown> =>
    sql`
  select brain.brain_id, next.expires_at as due from brains as brain cross join lateral (
    select expires_at from ${sql.table(table)} as version
    where version.brain_id = brain.brain_id and ${isExpiring} order by expires_at limit 1) as next
  where brain.deleted_at is null and brain.availability = 'active' and next.expires_at <= ${now}
    and ${narrow(sql`brain.brain_id`)}`

/** Selects Brains with live items that expired, by number. Reads one row of each Brain that has any that expire. */
export const selectBrainsWithExpired =
  (table: ExpiringTable) =>
  (page: DuePage): RawBuilder<DueKey> =>
    selectDueKeys({ table, key: 'brain_id', due: 'expires_at', where: sql`to_state is null` }, page)

/** The place of an item in the order in which items expire. */
export type Expiring = { id: string; expiresAt: Date }

/** The live items of a Brain that expired, the earliest first, after one. */
export const selectExpired = async (
  db: Queryable,
  table: ExpiringTable,
  brainId: number,
  { now, after, limit }: { now: Date; after: Expiring | undefined; limit: number },
): Promise<Expiring[]> => {
  const { rows } = await sql<Expiring>`
    select id, expires_at as "expiresAt" from ${sql.table(table)}
    where brain_id = ${brainId} and ${isExpiring} and expires_at <= ${now}
      ${after === undefined ? sql`` : sql`and (expires_at, id) > (${after.expiresAt}, ${after.id})`}
    order by expires_at, id limit ${limit}`.execute(db)
  return rows
}
