import { sql } from 'kysely'
import { withTouchedRuns } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { RunKey } from './types.ts'

/** The public ids of the Brains whose content may be in a run, also of those that are about to be erased. */
export const selectSeenBrains = async (db: Queryable, { organizationId, id }: RunKey): Promise<string[]> => {
  const touched = withTouchedRuns(sql`${organizationId}::text`, sql`run.id = ${id}`)
  const { rows } = await sql<{ id: string }>`${touched}
    select distinct brain.id from touched
      join run_brains as reached on reached.organization_id = touched.organization_id and reached.run_id = touched.id
      join brain_directory as brain on brain.brain_id = reached.brain_id
    order by brain.id limit 1000`.execute(db)
  return rows.map((row) => row.id)
}
