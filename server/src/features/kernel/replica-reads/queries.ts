import { type RawBuilder, sql } from 'kysely'
import type { BrainRow } from '../brains/brain-queries.ts'

/** How far a replica has come with a Brain. */
export type Reach = Pick<BrainRow, 'position' | 'stateVersion' | 'schemaVersion' | 'updatedAt'>

/** No row where the replica does not know the Brain, or was promoted: then it is no replica any more. */
export const selectReach = (brainId: number): RawBuilder<Reach> => sql`
  select position, state_version as "stateVersion", schema_version as "schemaVersion", updated_at as "updatedAt"
  from brains where brain_id = ${brainId} and deleted_at is null and pg_is_in_recovery()`
