import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { RunKey } from '../../agents/runs/types.ts'

/** Deletes some goals that ended before a time, with their attempts. Answers how many. */
export const deleteOldGoals = async (db: Queryable, before: Date, limit: number): Promise<number> => {
  const { rows } = await sql`
    with old as materialized (
      select organization_id, id from goals where completed_at < ${before} order by completed_at limit ${limit}
      for update skip locked),
    attempts as (delete from goal_attempts as mine using old
      where mine.organization_id = old.organization_id and mine.goal_id = old.id)
    delete from goals using old where goals.organization_id = old.organization_id and goals.id = old.id
    returning goals.id`.execute(db)
  return rows.length
}

const erased = 'Erased with a Brain that the run could reach.'

/**
 * Erases the grades of the attempts of these runs, and what a person said to the next one. A node that grades one loses its lease: its
 * result is not stored, and the attempt is graded again without the content.
 */
export const eraseAttemptsOfRuns = async (tx: Tx, runs: readonly RunKey[]): Promise<void> => {
  const places = sql`unnest(${runs.map(({ organizationId }) => organizationId)}::text[], ${runs.map(({ id }) => id)}::text[])
    as place (organization_id, run_id)`
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select distinct goal_id as id, attempt.organization_id as "organizationId" from goal_attempts as attempt
      join ${places} on attempt.organization_id = place.organization_id and attempt.run_id = place.run_id`.execute(tx)
  if (rows.length === 0) return
  const goals = sql`unnest(${rows.map((row) => row.organizationId)}::text[], ${rows.map((row) => row.id)}::text[])
    as place (organization_id, id)`
  await sql`update goals set lease = null, advice = null from ${goals}
    where goals.organization_id = place.organization_id and goals.id = place.id`.execute(tx)
  await sql`
    update goal_attempts as attempt set output = null, grades = '[]',
      error = case when attempt.error is null then null else ${erased} end
    from ${places} where attempt.organization_id = place.organization_id and attempt.run_id = place.run_id`.execute(tx)
}
