import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../storage/database.ts'
import { type BrainRow, brainColumns } from '../brains/brains.ts'

/** A Brain's row as its writers lock it, with what its organization wrote today over all its Brains. */
export type LockedBrain = BrainRow & { writesToday: number; organizationWrites: number }

/**
 * Locks a live Brain until the transaction ends. The lock comes first: everything that a change is judged by is read
 * under it, so writers of one Brain, on any node, see each other's work and take their positions in the order of commits.
 */
export const lockBrain = async (tx: Tx, brainId: number, today: string): Promise<LockedBrain | undefined> => {
  const { rows } = await sql<LockedBrain>`
    select ${brainColumns}, case when writes_day = ${today} then writes_today else 0 end as "writesToday",
      (select coalesce(sum(other.writes_today), 0) from brains as other
        where other.organization_id = brain.organization_id and other.writes_day = ${today}
          and other.brain_id <> brain.brain_id)::bigint as "organizationWrites"
    from brains as brain where brain.brain_id = ${brainId} and brain.deleted_at is null for no key update`.execute(tx)
  return rows[0]
}

type Progress = { position: number; stateVersion: number; schemaVersion: number; writesToday: number }

/** Lands a group in one statement: every insert, and the Brain's new position, state and schema. */
export const landGroup = (
  tx: Tx,
  brainId: number,
  inserts: readonly RawBuilder<unknown>[],
  progress: Progress,
  today: string,
) => {
  const parts = inserts.map((insert, index) => sql`${sql.raw(`part_${index}`)} as (${insert})`)
  return sql`with ${sql.join(parts)}
    update brains set position = ${progress.position}, state_version = ${progress.stateVersion},
      schema_version = ${progress.schemaVersion}, writes_day = ${today}, writes_today = ${progress.writesToday} where brain_id = ${brainId}`.execute(
    tx,
  )
}
