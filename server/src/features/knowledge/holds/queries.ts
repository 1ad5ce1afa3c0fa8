import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorColumn, actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { type BrainRow, brainColumns } from '../../kernel/brains/brain-queries.ts'

/** Why, since when and by whom a Brain is held. */
export type StandingHold = { reason: string; since: Date; by: Actor }

type HoldColumns = { [Name in keyof StandingHold]: StandingHold[Name] | null }

/** The hold of a Brain; null where it is not held. */
export const selectHold = async (tx: Queryable, brainId: number): Promise<StandingHold | null> => {
  const by = actorColumn(sql`held_by`, sql`held_by_actor`)
  const { rows } = await sql<HoldColumns>`select hold_reason as reason, held_since as since, ${by} as by
    from brains where brain_id = ${brainId}`.execute(tx)
  const [row] = rows
  return row?.since && row.by ? { reason: row.reason ?? '', since: row.since, by: row.by } : null
}

/** Writes a Brain's hold, with the availability and position that go with it. */
export const updateHold = async (tx: Tx, brain: BrainRow, hold: StandingHold | null, now: Date) => {
  const { rows } = await sql<BrainRow>`update brains as brain
    set availability = ${brain.availability}, position = ${brain.position},
      counted_events = counted_events + ${brain.position}::bigint - position, hold_reason = ${hold?.reason ?? null},
      held_since = ${hold?.since ?? null}, held_by = ${hold?.by.id ?? null},
      held_by_actor = ${actorValue(hold?.by ?? null)}, updated_at = ${now}
    where brain_id = ${brain.brainId} returning ${brainColumns}`.execute(tx)
  return rows[0] ?? brain
}
