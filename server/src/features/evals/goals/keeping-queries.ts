import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { deleteOldWork } from '../../agents/run-keeping/kept-work-queries.ts'
import type { RunKey } from '../../agents/runs/types.ts'

/** Deletes some goals that ended before a time, with their attempts. Answers how many. */
export const deleteOldGoals = deleteOldWork({ table: 'goals', partId: 'goal_id', parts: ['goal_attempts'] })

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
