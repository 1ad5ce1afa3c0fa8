import { sql } from 'kysely'
import type { Db } from '../../../storage/database.ts'

export type IndexingRow = { pendingEvents: number; pendingPassages: number }

/**
 * Counts the events of a live Brain that its index has not read yet, and its passages without a vector in the space that
 * answers it.
 */
export const selectIndexing = async (db: Db, brainId: number): Promise<IndexingRow | undefined> => {
  const { rows } = await sql<IndexingRow>`
    select brain.position - coalesce(head.position, 0) as "pendingEvents",
      coalesce(head.last_passage, 0) - coalesce((
        select passage from vector_progress as known where known.brain_id = brain.brain_id
          and known.space = coalesce(
            (select space from answering_spaces as answering where answering.brain_id = brain.brain_id),
            (select space from vector_spaces order by generation desc, space limit 1))), 0) as "pendingPassages"
    from brains as brain left join passage_progress as head using (brain_id)
    where brain.brain_id = ${brainId} and brain.deleted_at is null`.execute(db)
  return rows[0]
}
