import { sql } from 'kysely'
import { defineStatement } from '../../../storage/statements.ts'
import type { BrainRow } from '../brains/brain-queries.ts'

/** The position that a replica has reached in a Brain. */
export type Reach = Pick<BrainRow, 'position' | 'stateVersion' | 'schemaVersion' | 'updatedAt'>

/** No row where the replica does not have the Brain yet, or was promoted: then it is not a replica any more. */
export const selectReach = defineStatement(
  ({ brainId }: { brainId: number }) => sql<Reach>`
  select position, state_version as "stateVersion", schema_version as "schemaVersion", updated_at as "updatedAt"
  from brains where brain_id = ${brainId} and deleted_at is null and pg_is_in_recovery()`,
)
