import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'

/** The writes of today: operations, and bytes of content. */
export type Usage = { writes: number; bytes: number }

/** The account whose usage an organization counts to: the first of its owners. */
export const findOwner = (organizationId: RawBuilder<unknown>) => sql`(
  select "userId" from member where "organizationId" = ${organizationId} and role = 'owner'
  order by "createdAt", id limit 1)`

/** The organizations that are counted together: all that belong to the owner of this one. */
export const ownedTogether = (organizationId: RawBuilder<unknown>) => sql`(
  select ${organizationId} union
  select "organizationId" from member where role = 'owner' and "userId" = ${findOwner(organizationId)})`

/** The UTC day that daily caps count by. */
export const toDay = (now: Date): string => now.toISOString().slice(0, 10)

/** The usage of today of all organizations that are counted together with this one, as columns. */
export const usageColumns = (organizationId: RawBuilder<unknown>, today: string): RawBuilder<unknown> => sql`
  (select json_build_object('writes', coalesce(sum(counted.writes_today), 0), 'bytes',
      coalesce(sum(case when counted.bytes_day = ${today} then counted.bytes_today end), 0))
    from brains as counted where counted.organization_id in ${ownedTogether(organizationId)}
      and counted.writes_day = ${today}) as used`

/** The usage of today of all organizations that are counted together with this one. */
export const selectUsage = async (db: Queryable, organizationId: string, now: Date): Promise<Usage> => {
  const { rows } = await sql<{ used: Usage }>`
    select json_build_object('writes', coalesce(sum(counted.writes_today), 0), 'bytes',
        coalesce(sum(case when counted.bytes_day = ${toDay(now)} then counted.bytes_today end), 0)) as used
    from brains as counted where counted.organization_id in ${ownedTogether(sql`${organizationId}::text`)}
      and counted.writes_day = ${toDay(now)}`.execute(db)
  return rows[0]?.used ?? { writes: 0, bytes: 0 }
}

/** Locks the usage of an account until the transaction ends. */
export const lockUsage = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(
    'usage ' || coalesce(${findOwner(sql`${organizationId}::text`)}, ${organizationId}::text), 0))`.execute(tx)

/** The number of live Brains of all organizations that are counted together with this one. */
export const countBrains = async (db: Queryable, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from brain_directory
    where organization_id in ${ownedTogether(sql`${organizationId}::text`)} and deleted_at is null`.execute(db)
  return rows[0]?.count ?? 0
}
