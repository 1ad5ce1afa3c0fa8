import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { BrainRow } from './brains.ts'
import { brainColumns } from './queries.ts'

/** A live Brain. */
export const selectLiveBrain = async (db: Queryable, brainId: number): Promise<BrainRow | undefined> => {
  const { rows } = await sql<BrainRow>`select ${brainColumns} from brains as brain
    where brain_id = ${brainId} and deleted_at is null`.execute(db)
  return rows[0]
}

/** What an import makes of a Brain: its settings, and where its states and events have come to. */
export type Restored = Pick<
  BrainRow,
  'brainId' | 'name' | 'purpose' | 'mode' | 'reviewRules' | 'position' | 'stateVersion' | 'schemaVersion'
> & { writesToday: number }

/** Writes what was imported onto the Brain's row. */
export const restoreBrain = async (tx: Queryable, brain: Restored, now: Date): Promise<BrainRow | undefined> => {
  const { rows } = await sql<BrainRow>`update brains as brain
    set name = ${brain.name}, purpose = ${brain.purpose}, mode = ${brain.mode},
      review_rules = ${JSON.stringify(brain.reviewRules)}::jsonb, position = ${brain.position},
      state_version = ${brain.stateVersion}, schema_version = ${brain.schemaVersion}, updated_at = ${now},
      writes_day = ${now.toISOString().slice(0, 10)}, writes_today = ${brain.writesToday}
    where brain_id = ${brain.brainId} returning ${brainColumns}`.execute(tx)
  return rows[0]
}
