import { sql } from 'kysely'
import type { LeasedRows, LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Queryable } from '../../../storage/database.ts'
import {
  chooseByShares,
  type FoundOfOrganization,
  type LeaseValues,
  toLeasedOfOrganizations,
  toLeaseValues,
} from '../../../storage/lease-queries.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import type { HeldRun, LeasedRun } from './types.ts'

const columns = sql`
  run.organization_id as key, run.organization_id as organization, run.id as owner, run.lease, run.id,
  run.agent_id as "agentId", run.agent_version as "agentVersion", run.project_id as "projectId",
  run.conversation_id as "conversationId", run.brain_handle as "brainHandle", run.started_by as "startedBy",
  run.traceparent, run.parent_run_id as "parentRunId", run.parent_operation_id as "parentOperationId", run.depth, run.lineage,
  run.input_tokens as "inputTokens", run.output_tokens as "outputTokens", run.cost_nanodollars as "costNanodollars",
  run.is_cost_known as "isCostKnown", run.steps, run.next_sequence as "nextSequence",
  run.active_milliseconds as "activeMilliseconds", run.failures`

const lease = defineStatement<LeaseValues, LeasedRun & FoundOfOrganization>(
  ({ keys, lease: token, now, until, ...shares }) => sql`
    with candidate as materialized (
      select asked.organization, run.id, run.due_at as due
      from unnest(${keys}::text[]) as asked (organization) cross join lateral (
        select id, due_at from runs where organization_id = asked.organization and due_at <= ${now}
        order by due_at limit ${shares.free}::integer + 1) as run),
    chosen as materialized (${chooseByShares(shares)}),
    locked as materialized (
      select run.organization_id, run.id from chosen join runs as run
        on run.organization_id = chosen.organization and run.id = chosen.id
      where is_chosen and run.due_at <= ${now}
      order by run.organization_id, run.id for update of run skip locked),
    leased as (
      update runs as run set lease = ${token}, due_at = ${until}, state = 'running',
        started_at = coalesce(run.started_at, ${now}), active_since = ${now},
        failures = run.failures + case when run.lease is null then 0 else 1 end,
        active_milliseconds = run.active_milliseconds + case when run.active_since is null then 0 else
          extract(epoch from least(${now}, run.due_at) - run.active_since) * 1000 end
      from locked where run.organization_id = locked.organization_id and run.id = locked.id
      returning ${columns})
    select chosen.organization as asked, not chosen.is_chosen as "isLeft", leased.*
    from chosen left join leased on leased.key = chosen.organization and leased.id = chosen.id`,
)

/**
 * Leases runs of these organizations that are due, within their shares. One whose lease ended without an outcome counts a
 * failure, and as active for as long as that lease stood.
 */
export const leaseRuns = async (db: Queryable, request: LeaseRequest): Promise<LeasedRows<LeasedRun>> =>
  toLeasedOfOrganizations(await runStatement(db, lease(toLeaseValues(request))))

/** Extends leases, and returns the valid ones by the ids of their runs. */
export const renewLeases = async (db: Queryable, held: readonly HeldRun[], until: Date): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    with given as (select * from json_to_recordset(${JSON.stringify(held)}::json)
      as given ("organizationId" text, id text, lease text)),
    locked as materialized (
      select run.organization_id, run.id from given join runs as run
        on run.organization_id = given."organizationId" and run.id = given.id and run.lease = given.lease
      order by run.organization_id, run.id for update of run)
    update runs as run set due_at = ${until} from locked
    where run.organization_id = locked.organization_id and run.id = locked.id returning run.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** True if a lease is valid; the run cannot end before the transaction does. */
export const holdLease = async (db: Queryable, { organizationId, id, lease }: HeldRun): Promise<boolean> => {
  const { rows } = await sql`select from runs where organization_id = ${organizationId} and id = ${id}
    and lease = ${lease} for share`.execute(db)
  return rows.length > 0
}
