import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** An item that a pack brought to a Brain: `ref` is the id of the agent, the trigger or the change. */
export type ItemRow = { item: string; ref: string }

export const selectItems = async (db: Queryable, brainId: number, pack: string): Promise<ItemRow[]> => {
  const { rows } = await sql<ItemRow>`select item, ref from pack_items
    where brain_id = ${brainId} and pack = ${pack} order by item limit 1000`.execute(db)
  return rows
}

type NewItem = ItemRow & { brainId: number; pack: string; now: Date }

/**
 * Records an item, in place of `former` if that is gone. False if another install was first. The Brain is not locked: making an
 * agent locks the organization, which others lock after a Brain.
 */
export const insertItem = async (
  db: Queryable,
  { brainId, pack, item, ref, now }: NewItem,
  former: string | undefined,
): Promise<boolean> => {
  const { rows } = await sql`insert into pack_items (brain_id, pack, item, ref, created_at)
    select brain_id, ${pack}, ${item}, ${ref}, ${now}::timestamptz from brains
      where brain_id = ${brainId} and deleted_at is null
    on conflict (brain_id, pack, item) do update set ref = excluded.ref, created_at = excluded.created_at
      where pack_items.ref = ${former ?? null}
    returning item`.execute(db)
  return rows.length > 0
}
