import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** Events that are looked at: after more, a preview is opened again. */
const maxEvents = 1_000

/** The subjects of the events after a position, as `type id`, and whether there are more of them. */
export const selectSince = async (
  db: Queryable,
  brainId: number,
  position: number,
): Promise<{ subjects: string[]; left: boolean }> => {
  const { rows } = await sql<{ subject: string }>`
    select coalesce('record ' || (data #>> '{record,id}'), 'statement ' || (data #>> '{statement,id}'),
      'document ' || (data #>> '{document,id}'), 'change ' || (data ->> 'change'), '') as subject
    from (select event->'data' as data from events where brain_id = ${brainId} and position > ${position}
      order by position limit ${maxEvents + 1}) as since`.execute(db)
  return { subjects: rows.map(({ subject }) => subject), left: rows.length > maxEvents }
}
