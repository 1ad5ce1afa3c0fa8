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
export const atState = (brainId: number, read: RawBuilder<unknown>): RawBuilder<StateRow> => sql`
  select brain.state_version as "stateVersion", item.*
  from brains as brain left join lateral (${read}) as item on true
  where brain.brain_id = ${brainId} and brain.deleted_at is null`

/** The same for the items of a list, in its order. */
export const listAtState = (brainId: number, read: RawBuilder<unknown>, order: ListOrder): RawBuilder<StateRow> =>
  sql`${atState(brainId, read)} ${inOrder(sql`item.place`, { order })}`

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
