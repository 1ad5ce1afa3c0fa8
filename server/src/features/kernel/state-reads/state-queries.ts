import type { ListOrder } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

/**
 * One item of a read: its position in the list, and its JSON text; for a page also the number of found items. A row without
 * text gives the position at which the page stopped searching; an item at that position has `stopped`.
 */
export type ReadRow = { place: string | number; json: string | null; found?: number; stopped?: boolean | null }

export type StateRow = { stateVersion: number } & (ReadRow | { place: null; json: null })

/** Selects the state of a live Brain with the result of a select of `place` and `json`; no row if the Brain does not exist. */
export const atState = <Row extends StateRow = StateRow>(
  brainId: number,
  read: RawBuilder<unknown>,
): RawBuilder<Row> => sql`
  select brain.state_version as "stateVersion", item.*
  from brains as brain left join lateral (${read}) as item on true
  where brain.brain_id = ${brainId} and brain.deleted_at is null`

/** The same for the items of a list, in its order. */
export const listAtState = (brainId: number, read: RawBuilder<unknown>, order: ListOrder): RawBuilder<StateRow> =>
  sql`${atState(brainId, read)} ${inOrder(sql`item.place`, { order })}`

/** A page of small items has at most this many. Connections of short statements read such a page without delay for others. */
export const maxSmallLimit = 100
const maxSmallBytes = 64 * 1024

/** The state of a Brain with the items that were found for a page, or one of these items. */
export type SmallRow =
  | { stateVersion: number; found: number; fits: boolean; place: null; json: null }
  | { stateVersion: null; found: null; fits: null; place: string; json: string }

/** Rows as they are listed, and the column that has most of an item's bytes. */
type SmallRows = Pick<ListedRows, 'rows' | 'json'> & { stored: RawBuilder<unknown> }

/**
 * A page of small items: first the Brain's state, then each item as a row. If they do not fit, there are none. An uncompressed
 * value is as long as it is stored, so no item is decompressed to find out. PostgreSQL reads the parts of the union one after the
 * other.
 */
export const smallPageAtState = (
  { brainId, limit, order }: Pick<ListRequest, 'brainId' | 'limit' | 'order'>,
  { rows, json, stored }: SmallRows,
): RawBuilder<SmallRow> => sql`
  with page as materialized (${rows}),
    whole as (select count(*) as found, coalesce(bool_and(pg_column_compression(${stored}) is null)
      and sum(pg_column_size(${stored})) <= ${sql.lit(maxSmallBytes)}, true) as fits from page)
  select brain.state_version as "stateVersion", whole.found, whole.fits, null as place, null as json
  from brains as brain cross join whole where brain.brain_id = ${brainId} and brain.deleted_at is null
  union all
  select null, null, null, place, json from (
    select place, ${json} as json from page ${inOrder(sql`place`, { order })} limit ${limit}) as item
  where (select fits from whole)`

/** A page of a list as a statement is given it. `more`: one item more than the page has, which shows whether any are left. */
export type ListRequest = { brainId: number; after: string | undefined; order: ListOrder; limit: number; more: number }

/**
 * The parts of a list's statement that are part of its text. The limit is not: with an unknown limit, PostgreSQL expects a
 * page to be a small part of the list, and reads it from an index in order. With a known one it may sort what it believes
 * to be a small Brain, and keep that plan for a large one.
 */
export const fixedInLists = { order: ['asc', 'desc'] } as const

/**
 * Makes pages come from an index in order, until the end of the transaction. Without statistics, as of a new Brain,
 * PostgreSQL would sort the whole rest for each page.
 */
export const readInOrder = (tx: Queryable) => sql`select set_config('enable_sort', 'off', true)`.execute(tx)

/** The versions of an item by number, each as `json` shows it. */
export const listVersions = (
  {
    table,
    type,
    brainId,
    id,
    json,
  }: { table: string; type: string; brainId: number; id: string; json: RawBuilder<unknown> },
  page: PageRequest<number>,
): ListedRows => ({
  rows: sql`select version as place, item.* from ${sql.table(table)} as item
    where brain_id = ${brainId} and id = ${id} and ${isAfter(sql`version`, page)}
    ${inOrder(sql`version`, page)} limit ${page.limit}`,
  size: sql`pg_column_size(${sql.ref(type)})`,
  json,
})
