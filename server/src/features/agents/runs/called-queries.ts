import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { RunKey } from './types.ts'

/** The names of the tools that a run called and that answered, each once. */
export const selectCalledTools = async (db: Queryable, { organizationId, id }: RunKey): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select distinct name from run_operations where organization_id = ${organizationId} and run_id = ${id}
      and type = 'tool_call' and status = 'succeeded' order by name limit 1000`.execute(db)
  return rows.map(({ name }) => name)
}
