import { sql } from 'kysely'
import type { Db } from '../../../storage/database.ts'

/** A node's use of a bucket since its last report, and the time of the first of it. */
export type Use = { name: string; used: number; since: Date; perSecond: number; burst: number }

/**
 * Subtracts the nodes' uses from the shared buckets, and returns the rest, as of a time. A bucket fills until the first of the uses, and from then
 * on: so one that was full loses nothing of what it gains between them. It may owe as much as it holds, so excess from several nodes in one
 * moment is paid back. The latest clock of any node fills it.
 */
export const shareUse = async (db: Db, uses: readonly Use[]): Promise<{ name: string; tokens: number; at: Date }[]> => {
  const { rows } = await sql<{ name: string; tokens: number; at: Date }>`
    insert into rate_buckets as bucket (name, tokens, at, per_second, burst)
    select name, burst - used, since, "perSecond", burst
    from json_to_recordset(${JSON.stringify(uses)}::json)
      as use (name text, used double precision, since timestamptz, "perSecond" double precision, burst double precision)
    -- One order for all nodes, so that none waits for another in a circle.
    order by name
    on conflict (name) do update set
      tokens = greatest(-excluded.burst, least(excluded.burst,
        bucket.tokens + greatest(0, extract(epoch from excluded.at - bucket.at)) * excluded.per_second)
        - (excluded.burst - excluded.tokens)),
      at = greatest(bucket.at, excluded.at), per_second = excluded.per_second, burst = excluded.burst
    returning name, tokens, at`.execute(db)
  return rows
}

/** Deletes buckets that are full again: one that is not there is full. */
export const deleteFull = (db: Db, now: Date) =>
  sql`delete from rate_buckets where name in (
    select name from rate_buckets where at + make_interval(secs => (burst - tokens) / per_second) < ${now}
    order by at limit 10000 for update skip locked)`.execute(db)
