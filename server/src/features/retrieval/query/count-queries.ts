import type { groupIntervals } from '@noema/contracts/query.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { validAt } from '../../kernel/versioning/version-store.ts'
import { listedRecords } from '../../knowledge/records/record-queries.ts'
import type { OrderColumn, Predicate } from './predicates.ts'

// Counts read only indexes, and of each only so many entries: one more than is counted shows that there are more.

type Fragment = RawBuilder<unknown>
type Kind = { brainId: number; kind: string }
type GroupInterval = (typeof groupIntervals)[number]

const columns: Record<OrderColumn, { column: Fragment; type: Fragment }> = {
  text: { column: sql`text collate "C"`, type: sql`text` },
  value: { column: sql`value`, type: sql`text` },
  number: { column: sql`number`, type: sql`double precision` },
  at: { column: sql`at`, type: sql`timestamptz` },
}

const toCondition = (predicate: Predicate): Fragment => {
  if ('values' in predicate) return sql`value = any(${[...predicate.values]}::text[])`
  const { column, type } = columns[predicate.column]
  const { low, high } = predicate
  const above = low && sql`${column} ${low.isIncluded ? sql`>=` : sql`>`} ${low.value}::${type}`
  const below = high && sql`${column} ${high.isIncluded ? sql`<=` : sql`<`} ${high.value}::${type}`
  const held = predicate.column === 'value' ? sql`value <> 'null'` : sql`${column} is not null`
  return sql.join([held, ...(above ? [above] : []), ...(below ? [below] : [])], sql` and `)
}

/** Selects columns of the index entries of a field that meet a predicate. */
const selectEntries = (
  { brainId, kind }: Kind,
  { field, shown, predicate }: { field: string; shown: Fragment; predicate: Predicate | undefined },
): Fragment => sql`select ${shown} from field_index where brain_id = ${brainId} and kind = ${kind} and field = ${field}
  ${predicate ? sql`and ${toCondition(predicate)}` : sql``}`

/** The records that meet one condition: a predicate on a field, or a slug. */
export type Condition = Predicate | { slug: string }

/** The record with a slug, now or as of a state. */
const selectHolder = ({ brainId, kind }: Kind, slug: string, asOf?: number): Fragment => {
  const { rows } = listedRecords(brainId, { kind, slug, asOf }, { after: undefined, limit: 1, order: 'asc' })
  return sql`select place as record_id from (${rows}) as holder`
}

const selectMatching = (of: Kind, condition: Condition): Fragment =>
  'slug' in condition
    ? selectHolder(of, condition.slug)
    : selectEntries(of, { field: condition.field.name, shown: sql`record_id`, predicate: condition })

/** True if the index may have several entries of one record for a condition. */
const repeatsRecords = (condition: Condition | undefined): boolean =>
  condition !== undefined && !('slug' in condition) && !('values' in condition && condition.values.size === 1)

const selectOfKind = ({ brainId, kind }: Kind): Fragment =>
  sql`select id as record_id from record_versions where brain_id = ${brainId} and kind = ${kind} and to_state is null`

/** Rows that a statement reads once, up to a limit, and whether those are all. */
type Scan = { name: string; rows: Fragment }

const define = (scans: readonly Scan[], max: number): Fragment =>
  sql.join(scans.map(({ name, rows }) => sql`${sql.ref(name)} as materialized (${rows} limit ${max + 1})`))

const areWhole = (scans: readonly Scan[], max: number): Fragment =>
  sql.join(
    scans.map(({ name }) => sql`(select count(*) from ${sql.table(name)}) <= ${max}`),
    sql` and `,
  )

const isAmong = (scans: readonly Scan[]): Fragment =>
  sql.join(
    [sql`true`, ...scans.map(({ name }) => sql`record_id in (select record_id from ${sql.table(name)})`)],
    sql` and `,
  )

const toScans = (of: Kind, conditions: readonly Condition[]): Scan[] =>
  conditions.map((condition, index) => ({ name: `matching_${index}`, rows: selectMatching(of, condition) }))

/**
 * Keeps PostgreSQL from joining row by row until the end of the transaction. It cannot know how many rows a scan has, and for
 * two large ones that would take minutes.
 */
export const joinAtOnce = (tx: Queryable) => sql`select set_config('enable_nestloop', 'off', true)`.execute(tx)

export type Counted = { value: number; exact: boolean }

/** Counts the records that meet all conditions, or all of a kind. */
export const countMatching = async (
  db: Queryable,
  of: Kind,
  { conditions, max }: { conditions: readonly Condition[]; max: number },
): Promise<Counted | undefined> => {
  const [first = { name: 'matching', rows: selectOfKind(of) }, ...rest] = toScans(of, conditions)
  const found = repeatsRecords(conditions[0]) ? sql`distinct record_id` : sql`record_id`
  const { rows } = await sql<Counted>`with ${define([first, ...rest], max)}
    select least(count(${found}), ${max}) as value, ${areWhole([first, ...rest], max)} as exact
    from ${sql.table(first.name)} where ${isAmong(rest)}`.execute(db)
  return rows[0]
}

/** Counts the records of a kind, or the one with a slug, as of a state. Versions of other kinds, too, count to the limit. */
export const countAtState = async (
  db: Queryable,
  of: Kind,
  { slug, asOf, max }: { slug: string | undefined; asOf: number; max: number },
): Promise<Counted | undefined> => {
  const begun = sql`select kind, from_state, to_state from record_versions
    where brain_id = ${of.brainId} and from_state <= ${asOf} order by from_state`
  const scan = { name: 'begun', rows: slug === undefined ? begun : selectHolder(of, slug, asOf) }
  const isCounted = slug === undefined ? sql`kind = ${of.kind} and ${validAt(asOf)}` : sql`true`
  const { rows } = await sql<Counted>`with ${define([scan], max)}
    select count(*) as value, ${areWhole([scan], max)} as exact from begun where ${isCounted}`.execute(db)
  return rows[0]
}

/** One group: its key as JSON text, or as the start of an interval. */
export type GroupRow = {
  key: string | null
  start: string | null
  count: number
  sum: number | null
  avg: number | null
  min: number | null
  max: number | null
}

/** The groups of a query: by the values of a field, or by the intervals that its dates are in; `of`: the numbers to sum up. */
export type Grouping = {
  by: { field: string; predicate: Predicate | undefined; interval: GroupInterval | undefined } | undefined
  of: { field: string; predicate: Predicate | undefined } | undefined
  conditions: readonly Condition[]
  order: 'asc' | 'desc'
}

const starts: Record<GroupInterval, string> = {
  hour: 'YYYY-MM-DD"T"HH24:00:00.000"Z"',
  day: 'YYYY-MM-DD',
  week: 'YYYY-MM-DD',
  month: 'YYYY-MM',
  year: 'YYYY',
}

/** Fifteen digits, without what binary fractions add to a sum: .1 and .2 are .3. Sums of large whole numbers have no fractions. */
const rounded = (value: Fragment): Fragment =>
  sql`case when abs(${value}) < 1e15 then (${value})::numeric::float8 else ${value} end`

/** The entries by which records are grouped. `key` and `start` are what distinguishes the groups; `shown` is what a key shows. */
const selectKeys = (of: Kind, { by, conditions }: Grouping): Fragment => {
  if (by) {
    const { field, predicate, interval } = by
    const start = interval && sql`date_trunc(${sql.lit(interval)}, at at time zone 'UTC')`
    const shown = start
      ? sql`record_id, null as key, ${start} as start, null as shown`
      : sql`record_id, value as key, null::timestamp as start, text as shown`
    return selectEntries(of, { field, shown, predicate })
  }
  const found = conditions.length === 0 ? sql`(${selectOfKind(of)}) as found` : sql`matching_0`
  return sql`select record_id, null as key, null::timestamp as start, null as shown from ${found}`
}

/** Groups records by the keys of their entries: the most frequent first, or in the order of time. */
export const selectGroups = async (
  db: Queryable,
  of: Kind,
  grouping: Grouping,
  { max, maxGroups }: { max: number; maxGroups: number },
): Promise<{ groups: GroupRow[]; exact: boolean }> => {
  const interval = grouping.by?.interval
  const matching = toScans(of, grouping.conditions)
  const summed = grouping.of && {
    name: 'summed',
    rows: sql`${selectEntries(of, { ...grouping.of, shown: sql`record_id, number` })} and number is not null`,
  }
  const scans = [...matching, { name: 'keyed', rows: selectKeys(of, grouping) }, ...(summed ? [summed] : [])]
  const inTime = grouping.order === 'desc' ? sql`grouped.start desc nulls last` : sql`grouped.start nulls last`
  const inOrder = interval ? inTime : sql`grouped.count desc, grouped.key collate "C"`
  // An entry of a value is the only one of its record.
  const once = grouping.by && !interval ? sql`` : sql`distinct`
  const numbers = summed
    ? sql`left join (select record_id, count(*) as numbers, sum(number) as sum, min(number) as min,
        max(number) as max from summed group by record_id) as summed using (record_id)`
    : sql`cross join (select null::bigint as numbers, null::float8 as sum, null::float8 as min, null::float8 as max) as summed`
  const { rows } = await sql<{ exact: boolean } & (GroupRow | { count: null })>`
    with ${define(scans, max)},
    grouped as materialized (select * from (
      select key, start, min(shown) as shown, count(*) as count, sum(summed.sum) as sum, sum(summed.numbers) as numbers,
        min(summed.min) as min, max(summed.max) as max
      from (select ${once} record_id, key, start, shown from keyed where ${isAmong(matching)}) as item ${numbers}
      group by key, start) as grouped order by ${inOrder} limit ${maxGroups + 1})
    select whole.exact, count, min, max, ${rounded(sql`sum`)} as sum, ${rounded(sql`sum / numbers`)} as avg,
      case when key like 'sha256:%' then to_json(shown)::text else key end as key,
      to_char(start, ${starts[interval ?? 'day']}::text) as start
    from (select ${areWhole(scans, max)} as exact) as whole left join grouped on true
    order by ${inOrder}`.execute(db)
  const groups = rows.flatMap((row) => (row.count === null ? [] : [row]))
  return { groups, exact: rows[0]?.exact ?? true }
}
