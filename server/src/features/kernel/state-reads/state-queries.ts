import type { ListOrder } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

/**
 * One item of a read: where it stands in its list, and itself as JSON text; of a page also how many were found for it. A row
 * without text says where the page stopped looking, and an item at which it did is `stopped`.
 */
export type ReadRow = { place: string | number; json: string | null; found?: number; stopped?: boolean | null }

type StateRow = { stateVersion: number } & (ReadRow | { place: null; json: null })

/** Runs a select of `place` and `json` together with the state of a live Brain; no row where there is no such Brain. */
export const selectAtState = async (
  db: Db,
  brainId: number,
  read: RawBuilder<unknown>,
  order: ListOrder,
): Promise<StateRow[]> => {
  const { rows } = await sql<StateRow>`
    select brain.state_version as "stateVersion", item.*
    from brains as brain left join lateral (${read}) as item on true
    where brain.brain_id = ${brainId} and brain.deleted_at is null ${inOrder(sql`item.place`, { order })}`.execute(db)
  return rows
}

/**
 * Has pages come off an index in their order, to the end of the transaction. Where PostgreSQL has no statistics yet, as of a
 * Brain that was just filled, it would sort all that is left for each page.
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
