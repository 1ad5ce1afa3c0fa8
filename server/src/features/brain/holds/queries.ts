import type { Hold } from '@noema/contracts/holds.ts'
import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { type BrainRow, brainColumns } from '../brains/brains.ts'

type HoldColumns = { reason: string | null; since: Date | null; by: string | null }

/** The hold of a Brain; null where it is not held. */
export const selectHold = async (tx: Tx, brainId: number): Promise<Hold | null> => {
  const { rows } = await sql<HoldColumns>`select hold_reason as reason, held_since as since, held_by as by
    from brains where brain_id = ${brainId}`.execute(tx)
  const [row] = rows
  return row?.since ? { reason: row.reason ?? '', since: row.since.toISOString(), by: row.by ?? '' } : null
}

/** Writes a Brain's hold, with the availability and position that go with it. */
export const updateHold = async (tx: Tx, brain: BrainRow, hold: Hold | null, now: Date) => {
  const { rows } = await sql<BrainRow>`update brains as brain
    set availability = ${brain.availability}, position = ${brain.position}, hold_reason = ${hold?.reason ?? null},
      held_since = ${hold?.since ?? null}, held_by = ${hold?.by ?? null}, updated_at = ${now}
    where brain_id = ${brain.brainId} returning ${brainColumns}`.execute(tx)
  return rows[0] ?? brain
}
