import { sql } from 'kysely'
import type { LeasedRow, LeasedRows, LeaseRequest, Settlement } from '../../../shared/concurrency/leased-work.ts'
import type { Json } from '../../../shared/text/json.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import {
  chooseByShares,
  type FoundOfOrganization,
  selectLeased,
  toLeasedOfOrganizations,
  toShares,
} from '../../../storage/lease-queries.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { operationData, taskData } from '../runs/event-queries.ts'
import type { RunKey } from '../runs/types.ts'

/** Makes an inserted run one of its caller's own steps, in its transaction: no node leases it. */
export const beginFlow = async (
  tx: Tx,
  { organizationId, id, name, expiresSeconds, now }: RunKey & { name: string; expiresSeconds: number; now: Date },
): Promise<void> => {
  await sql`update runs set state = 'running', lease = 'flow', due_at = null, started_at = created_at, flow = ${name}
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)
  await sql`insert into run_flows (organization_id, run_id, expires_seconds, touched_at, due_at)
    values (${organizationId}, ${id}, ${expiresSeconds}, ${now},
      ${now}::timestamptz + make_interval(secs => ${expiresSeconds}))`.execute(tx)
}

export type FlowRow = {
  flow: string | null
  isOpen: boolean
  nextSequence: number
  createdAt: Date
  steps: number
  length: number
}

/** Locks a run of the caller's own steps. */
export const lockFlow = async (tx: Tx, { organizationId, id }: RunKey): Promise<FlowRow | undefined> => {
  const { rows } = await sql<FlowRow>`
    select run.flow, run.completed_at is null as "isOpen", run.next_sequence as "nextSequence", run.created_at as "createdAt",
      coalesce(flow.steps, 0) as steps, coalesce(flow.length, 0) as length
    from runs as run left join run_flows as flow on flow.organization_id = run.organization_id and flow.run_id = run.id
    where run.organization_id = ${organizationId} and run.id = ${id} for update of run`.execute(tx)
  return rows[0]
}

export type StepRow = {
  id: string
  key: string
  status: 'running' | 'succeeded' | 'failed' | 'abandoned'
  input: Json
  output: Json
  error: string | null
  taskId: string | null
  createdAt: Date
  completedAt: Date | null
}

/** A step by the id of its operation. */
export const selectStep = async (
  db: Queryable,
  { organizationId, id }: RunKey,
  operationId: string,
): Promise<StepRow | undefined> => {
  const { rows } = await sql<StepRow>`
    select id, name as key, status, input, output, error, task_id as "taskId", created_at as "createdAt",
      completed_at as "completedAt"
    from run_operations where organization_id = ${organizationId} and run_id = ${id} and id = ${operationId}`.execute(
    db,
  )
  return rows[0]
}

/** Counts a stored step, and notes that its caller is there. */
export const countStep = (tx: Tx, { organizationId, id }: RunKey, length: number, now: Date) =>
  sql`update run_flows set steps = steps + 1, length = length + ${length}, touched_at = ${now}
    where organization_id = ${organizationId} and run_id = ${id}`.execute(tx)

/**
 * Sets the state of a run whose row is locked, and when the service looks at it again: when something ends that it waits for, or after
 * a day if that may take forever; or when it expires, if it waits for nothing.
 */
export const scheduleFlow = async (tx: Tx, { organizationId, id }: RunKey, now: Date): Promise<void> => {
  await sql`
    with open as materialized (
      select op.id, case when op.task_id is null then (op.input->>'until')::timestamptz end as until,
        (select expires_at from run_tasks as task where task.organization_id = op.organization_id and task.id = op.task_id)
          as expires_at
      from run_operations as op
      where op.organization_id = ${organizationId} and op.run_id = ${id} and op.status = 'running'),
    stated as (
      update runs set state = case when exists (select 1 from open) then 'waiting' else 'running' end
      where organization_id = ${organizationId} and id = ${id} and completed_at is null returning id)
    update run_flows as flow set lease = null, due_at = case
        when exists (select 1 from open) then coalesce((select least(min(until), min(expires_at)) from open),
          ${now}::timestamptz + interval '1 day')
        else flow.touched_at + make_interval(secs => flow.expires_seconds) end
    where flow.organization_id = ${organizationId} and flow.run_id = ${id}`.execute(tx)
}

/** An operation that the service ended, with the task of a question that expired. */
export type EndedWait = { id: string; output: Json; taskId: string | null }

/** Ends the sleeps that are over, and the questions that no one answered in time, of a run whose row is locked. */
export const endWaits = async (tx: Tx, { organizationId, id }: RunKey, now: Date): Promise<EndedWait[]> => {
  const expired = JSON.stringify({ expired: true })
  const { rows } = await sql<EndedWait>`
    with held as (select * from runs where organization_id = ${organizationId} and id = ${id}),
    late as (
      update run_tasks set state = 'expired', completed_at = ${now}
      where organization_id = ${organizationId} and run_id = ${id} and state = 'open' and expires_at <= ${now} returning *),
    closed as (
      update run_operations as op set status = 'succeeded', completed_at = ${now},
        output = case when op.task_id is null then null else ${expired}::json end,
        latency_milliseconds = greatest(0, extract(epoch from ${now}::timestamptz - op.created_at) * 1000)
      where op.organization_id = ${organizationId} and op.run_id = ${id} and op.status = 'running'
        and (op.task_id in (select id from late)
          or (op.task_id is null and (op.input->>'until')::timestamptz <= ${now})) returning *),
    reported as (${addManyToOutbox(sql`
      select held.organization_id, 'operation.succeeded' as event, ${now}::timestamptz as at, held.agent_id,
        held.brain_handle as brain, ${operationData} as data from closed as op cross join held
      union all
      select held.organization_id, 'task.expired', ${now}::timestamptz, held.agent_id, held.brain_handle, ${taskData}
      from late as task cross join held`)} returning 1)
    select id, output, task_id as "taskId" from closed order by sequence`.execute(tx)
  return rows
}

/** The answer of a person to a question of a run whose row is locked. */
export const selectAnswered = async (
  tx: Tx,
  { organizationId, id }: RunKey,
  operationId: string,
): Promise<EndedWait | undefined> => {
  const { rows } = await sql<EndedWait>`select id, output, task_id as "taskId" from run_operations
    where organization_id = ${organizationId} and run_id = ${id} and id = ${operationId}`.execute(tx)
  return rows[0]
}

/** True if nothing has been done in a run for as long as it may wait, and it waits for nothing. */
export const hasExpired = async (tx: Tx, { organizationId, id }: RunKey, now: Date): Promise<boolean> => {
  const { rows } = await sql`select from run_flows where organization_id = ${organizationId} and run_id = ${id}
    and touched_at + make_interval(secs => expires_seconds) <= ${now}
    and not exists (select 1 from run_operations where organization_id = ${organizationId} and run_id = ${id}
      and status = 'running')`.execute(tx)
  return rows.length > 0
}

/** Counts the time of the expiry again from now: a wait has ended. */
export const touchFlow = (tx: Tx, { organizationId, id }: RunKey, now: Date) =>
  sql`update run_flows set touched_at = ${now} where organization_id = ${organizationId} and run_id = ${id}`.execute(tx)

export const deleteFlow = (db: Queryable, { organizationId, id }: RunKey) =>
  sql`delete from run_flows where organization_id = ${organizationId} and run_id = ${id}`.execute(db)

/** A run of a caller's own steps that this node looks at. */
export type LeasedFlow = LeasedRow & { id: string }

/** Leases such runs of these organizations that are due, as far as the shares allow. */
export const leaseFlows = async (
  db: Queryable,
  { keys, lease, now, until, running }: LeaseRequest,
): Promise<LeasedRows<LeasedFlow>> => {
  const { rows } = await sql<LeasedFlow & FoundOfOrganization>`
    with candidate as materialized (
      select flow.organization_id as organization, flow.run_id as id, flow.due_at as due from run_flows as flow
      where flow.organization_id = any(${[...keys]}) and flow.due_at <= ${now} order by flow.due_at limit 1000),
    chosen as materialized (${chooseByShares(toShares(running))}),
    locked as (
      select flow.organization_id, flow.run_id from chosen
        join run_flows as flow on flow.organization_id = chosen.organization and flow.run_id = chosen.id
      where is_chosen and flow.due_at <= ${now} for update of flow skip locked),
    leased as (
      update run_flows as flow set lease = ${lease}, due_at = ${until} from locked
      where flow.organization_id = locked.organization_id and flow.run_id = locked.run_id
      returning flow.organization_id as key, flow.organization_id as organization, flow.run_id as owner, flow.lease,
        flow.run_id as id)
    ${selectLeased(keys)}`.execute(db)
  return toLeasedOfOrganizations(rows)
}

/** Each turn stores its changes itself. */
export const storeNothing = async (settlements: readonly Settlement<LeasedFlow, never>[]): Promise<boolean[]> =>
  settlements.map(() => true)
