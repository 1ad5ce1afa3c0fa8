import { type RawBuilder, sql } from 'kysely'

/** The last positions of these Brains' streams. Deleted Brains are left out. */
export const selectHeads = (brainIds: readonly number[]): RawBuilder<{ brainId: number; head: number }> => sql`
  select brain_id as "brainId", position as head from brains
  where brain_id = any(${[...brainIds]}::bigint[]) and deleted_at is null order by brain_id`
