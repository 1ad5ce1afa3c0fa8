import { type RawBuilder, sql } from 'kysely'
import type { Db, Queryable } from '../../../storage/database.ts'

/** One item of a read: where it stands in its list, and itself as JSON text. */
export type ReadRow = { place: string | number; json: string }

type StateRow = { stateVersion: number; place: ReadRow['place'] | null; json: string | null }

/** Runs a select of `place` and `json` together with the state of a live Brain; no row where there is no such Brain. */
export const selectAtState = async (db: Db, brainId: number, read: RawBuilder<unknown>): Promise<StateRow[]> => {
  const { rows } = await sql<StateRow>`
    select brain.state_version as "stateVersion", item.place, item.json
    from brains as brain left join lateral (${read}) as item on true
    where brain.brain_id = ${brainId} and brain.deleted_at is null order by item.place`.execute(db)
  return rows
}

/**
 * Has pages come off an index in their order, to the end of the transaction. Where PostgreSQL has no statistics yet, as of a
 * Brain that was just filled, it would sort all that is left for each page.
 */
export const readInOrder = (tx: Queryable) => sql`select set_config('enable_sort', 'off', true)`.execute(tx)

/** A select of an item's versions after one, oldest first, each as `json` shows it. */
export const selectVersionsAfter = (
  item: { table: string; brainId: number; id: string; json: RawBuilder<unknown> },
  after: string | number,
  take: number,
): RawBuilder<unknown> => sql`
  select version as place, ${item.json} as json from ${sql.table(item.table)}
  where brain_id = ${item.brainId} and id = ${item.id} and version > ${after} order by version limit ${take}`
