import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

const sums = sql`count(*) filter (where state = 'completed') as completed, count(*) filter (where state = 'failed') as failed,
  count(*) filter (where state = 'abandoned') as abandoned, coalesce(sum(next_sequence - 1), 0)::bigint as operations,
  coalesce(sum(input_tokens), 0)::bigint as input_tokens, coalesce(sum(output_tokens), 0)::bigint as output_tokens,
  coalesce(sum(cost_nanodollars), 0)::bigint as cost_nanodollars`

const quarterHour = sql.lit('15 minutes')
const firstQuarter = sql.lit('2000-01-01')

/** The quarter that a moment is in. */
const toQuarter = (moment: RawBuilder<unknown>) =>
  sql`date_bin(${quarterHour}::interval, ${moment}, ${firstQuarter}::timestamptz)`

/** Up to where quarters are summed up. */
const summedUntil = sql`(select coalesce(max(quarter) + ${quarterHour}::interval, '-infinity') from run_quarters)`

/**
 * Sums up the next hour with runs that ended in it, as far as its quarters were over by a time. Answers whether there was one.
 * Two nodes that do it at once come to the same, so that the first one's is kept.
 */
export const sumNextHour = async (db: Queryable, until: Date): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`
    with next as materialized (
      select ${toQuarter(sql`completed_at`)} as begin from runs
      where completed_at >= ${summedUntil} and completed_at < ${toQuarter(sql`${until}::timestamptz`)}
      order by completed_at limit 1),
    summed as (
      insert into run_quarters (organization_id, quarter, completed, failed, abandoned, operations, input_tokens,
        output_tokens, cost_nanodollars)
      select organization_id, ${toQuarter(sql`completed_at`)}, ${sums} from runs
      where completed_at >= (select begin from next)
        and completed_at < least((select begin from next) + interval '1 hour', ${toQuarter(sql`${until}::timestamptz`)})
      group by 1, 2 on conflict do nothing)
    select exists (select 1 from next) as found`.execute(db)
  return rows[0]?.found === true
}

/** Deletes quarters from before a time. */
export const deleteQuarters = (db: Queryable, before: Date) =>
  sql`delete from run_quarters where quarter < ${before}`.execute(db)

/** A day in a time zone: from one moment, included, to another. Ids of changes contain the time at which they were sent. */
export type DayRange = { day: string; from: string; to: string; fromId: string; toId: string }

export type DayRow = {
  day: string
  completed: number
  failed: number
  abandoned: number
  operations: number
  inputTokens: number
  outputTokens: number
  costNanodollars: number
}

/** The outcomes of an organization's runs on each of these days. */
export const selectDays = async (
  db: Queryable,
  organizationId: string,
  days: readonly DayRange[],
): Promise<DayRow[]> => {
  const total = (name: string) => sql`(coalesce(sum(${sql.ref(name)}), 0))::bigint`
  const { rows } = await sql<DayRow>`
    with mark as materialized (select ${summedUntil} as at)
    select day, counted.* from json_to_recordset(${JSON.stringify(days)}::json)
      as requested (day text, "from" timestamptz, "to" timestamptz)
    cross join mark
    cross join lateral (
      select ${total('completed')} as completed, ${total('failed')} as failed, ${total('abandoned')} as abandoned,
        ${total('operations')} as operations, ${total('input_tokens')} as "inputTokens",
        ${total('output_tokens')} as "outputTokens", ${total('cost_nanodollars')} as "costNanodollars"
      from (
        select completed, failed, abandoned, operations, input_tokens, output_tokens, cost_nanodollars from run_quarters
        where organization_id = ${organizationId} and quarter >= requested."from" and quarter < requested."to"
        union all
        select ${sums} from runs where organization_id = ${organizationId}
          and completed_at >= greatest(requested."from", mark.at) and completed_at < requested."to") as part) as counted
    order by day`.execute(db)
  return rows
}
