import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { RunKey } from './types.ts'

/** The limit of a run above, and what that run and all that it started have spent, without the run that asks. */
export type Budget = { maxCostCents: number; spentNanodollars: number }

/** The budgets that a run shares: those of the runs above it whose agents have a limit. */
export const selectSharedBudgets = async (db: Queryable, { organizationId, id }: RunKey): Promise<Budget[]> => {
  const { rows } = await sql<Budget>`
    with recursive above as (
      select parent.* from runs as run join runs as parent
        on parent.organization_id = run.organization_id and parent.id = run.parent_run_id
      where run.organization_id = ${organizationId} and run.id = ${id}
      union all
      select parent.* from above join runs as parent
        on parent.organization_id = above.organization_id and parent.id = above.parent_run_id),
    limited as (
      select above.id, above.cost_nanodollars, version.definition->'limits'->>'maxCostCents' as max
      from above join agent_versions as version on version.organization_id = above.organization_id
        and version.agent_id = above.agent_id and version.version = above.agent_version
      where version.definition->'limits'->>'maxCostCents' is not null),
    below as (
      select limited.id as top, child.id, child.cost_nanodollars from limited join runs as child
        on child.organization_id = ${organizationId} and child.parent_run_id = limited.id and child.completed_at is null
      union all
      select below.top, child.id, child.cost_nanodollars from below join runs as child
        on child.organization_id = ${organizationId} and child.parent_run_id = below.id and child.completed_at is null)
    select limited.max::float8 as "maxCostCents", (limited.cost_nanodollars + coalesce((
      select sum(below.cost_nanodollars) from below where below.top = limited.id and below.id <> ${id}), 0))::float8
        as "spentNanodollars"
    from limited`.execute(db)
  return rows
}
