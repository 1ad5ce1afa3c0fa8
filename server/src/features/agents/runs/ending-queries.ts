import type { RunState } from '@noema/contracts/runs.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { operationData, taskData } from './event-queries.ts'
import type { RunKey } from './types.ts'

/** A run whose row is locked. */
export type LockedRun = RunKey & {
  lease: string | null
  parentRunId: string | null
  parentOperationId: string | null
  conversationId: string | null
  depth: number
  steps: number
}

const lockedColumns = sql`run.organization_id as "organizationId", run.id, run.lease, run.parent_run_id as "parentRunId",
  run.parent_operation_id as "parentOperationId", run.conversation_id as "conversationId", run.depth, run.steps`

const places = (given: readonly RunKey[]): RawBuilder<unknown> => {
  const rows = given.map(({ organizationId, id }) => ({ organizationId, id }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as given ("organizationId" text, id text)`
}

/** Locks runs and those that wait for them, in the order in which everybody locks runs, and answers those that go on. */
export const lockRuns = async (tx: Tx, given: readonly RunKey[]): Promise<LockedRun[]> => {
  const { rows } = await sql<LockedRun & { isMeant: boolean; isOpen: boolean }>`
    with given as (select * from ${places(given)}),
    requested as (
      select "organizationId", id from given union
      select run.organization_id, run.parent_run_id from given join runs as run
        on run.organization_id = given."organizationId" and run.id = given.id where run.parent_run_id is not null)
    select ${lockedColumns}, run.completed_at is null as "isOpen",
      exists (select 1 from given where given."organizationId" = run.organization_id and given.id = run.id) as "isMeant"
    from runs as run join requested on requested."organizationId" = run.organization_id and requested.id = run.id
    order by run.organization_id, run.id for update of run`.execute(tx)
  return rows.filter(({ isMeant, isOpen }) => isMeant && isOpen)
}

/** Locks the runs that these have started and that go on. */
export const lockChildren = async (tx: Tx, parents: readonly RunKey[]): Promise<LockedRun[]> => {
  const { rows } = await sql<LockedRun>`
    select ${lockedColumns} from ${places(parents)} join runs as run
      on run.organization_id = given."organizationId" and run.parent_run_id = given.id
    where run.completed_at is null order by run.organization_id, run.id for update of run`.execute(tx)
  return rows
}

/** The open questions of these runs, whose rows are locked. */
export const selectOpenTasks = async (tx: Tx, runs: readonly RunKey[]) => {
  const { rows } = await sql<{ runId: string; taskId: string; operationId: string }>`
    select task.run_id as "runId", task.id as "taskId", task.operation_id as "operationId"
    from ${places(runs)} join run_tasks as task
      on task.organization_id = given."organizationId" and task.run_id = given.id
    where task.state = 'open' order by task.id`.execute(tx)
  return rows
}

/** The end of a run, to store. */
export type RunEnding = {
  state: RunState
  status: string
  output: unknown
  failureReason: string | null
  failureCategory: string | null
  abandonReason: string | null
}

// Parts of the statement that stores the outcomes of runs and ends some: `held` has their rows, `asked` their questions.

/** The open operations of ended runs, except those that the statement stores itself. */
export const abandonLeft = sql`
  update run_operations as op set status = 'abandoned', completed_at = held.now from held
  where held."isEnded" and op.organization_id = held.organization_id and op.run_id = held.id and op.status = 'running'
    and not op.id = any(held."changedIds") returning op.*`

export const expireLeft = sql`
  update run_tasks as task set state = 'expired', completed_at = held.now from held
  where held."isEnded" and task.organization_id = held.organization_id and task.run_id = held.id and task.state = 'open'
    and not task.id = any(held."expiredIds") returning task.*`

export const reportedEnd = sql`
  select held.organization_id, 'run.' || held.state as event, held.now as at, held.agent_id,
    held.brain_handle as brain, json_strip_nulls(json_build_object('runId', held.id, 'agentId', held.agent_id,
      'state', held.state, 'status', held.status, 'failureReason', held.failure_reason,
      'failureCategory', held.failure_category, 'abandonReason', held.abandon_reason))::jsonb
      || case when held.output is null then '{}'::jsonb else jsonb_build_object('output', held.output) end as data
  from held where held."isEnded"
  union all
  select held.organization_id, 'operation.abandoned', held.now, held.agent_id, held.brain_handle,
    (${operationData})::jsonb
  from left_open as op join held on held.organization_id = op.organization_id and held.id = op.run_id
  where op.type <> 'system_action'
  union all
  select held.organization_id, 'task.expired', held.now, held.agent_id, held.brain_handle, (${taskData})::jsonb
  from (select * from unanswered union all select * from asked where state = 'expired') as task
    join held on held.organization_id = task.organization_id and held.id = task.run_id`

/**
 * Reports the ends of these runs to the runs that wait for them: the operation that started one ends with its output, or with the
 * reason for none, and its use is added up. Their rows are locked. Returns the runs that waited.
 */
export const notifyParents = async (tx: Tx, children: readonly RunKey[], now: Date) => {
  const { rows } = await sql<RunKey & { isReported: boolean }>`
    with child as (
      select run.*, (select message.text from run_messages as message where message.organization_id = run.organization_id
          and message.run_id = run.id order by message.position desc limit 1) as answer
      from ${places(children)} join runs as run on run.organization_id = given."organizationId" and run.id = given.id
      where run.parent_run_id is not null),
    closed as (
      update run_operations as op set completed_at = ${now}, child_run_id = child.id,
        status = case when child.state = 'completed' then 'succeeded' else 'failed' end,
        output = case when child.state = 'completed' then coalesce(child.output, json_build_object('text', child.answer)) end,
        error = case child.state when 'completed' then null when 'failed' then 'The run of the other agent failed: '
            || child.failure_reason else 'The run of the other agent was cancelled.' end,
        latency_milliseconds = greatest(0, extract(epoch from ${now} - op.created_at) * 1000)
      from child where op.organization_id = child.organization_id and op.run_id = child.parent_run_id
        and op.id = child.parent_operation_id and op.status = 'running' returning op.*),
    held as (
      update runs as run set input_tokens = run.input_tokens + used.input, output_tokens = run.output_tokens + used.output,
        cost_nanodollars = run.cost_nanodollars + used.cost, is_cost_known = run.is_cost_known and used.is_known
      from (select organization_id, parent_run_id, sum(input_tokens)::bigint as input, sum(output_tokens)::bigint as output,
          sum(cost_nanodollars)::bigint as cost, bool_and(is_cost_known) as is_known
        from child group by organization_id, parent_run_id) as used
      where run.organization_id = used.organization_id and run.id = used.parent_run_id and run.completed_at is null
      returning run.*),
    reported as (${addManyToOutbox(sql`
      select held.organization_id, 'operation.' || op.status as event, ${now}::timestamptz as at, held.agent_id,
        held.brain_handle as brain, ${operationData} as data
      from closed as op join held on held.organization_id = op.organization_id and held.id = op.run_id`)}
      returning organization_id)
    select organization_id as "organizationId", id, exists (select 1 from reported) as "isReported" from held`.execute(
    tx,
  )
  return rows
}

/** Adds what these runs used to the runs that started them. Only runs that end together with those are counted this way. */
export const addUseToParents = async (tx: Tx, children: readonly RunKey[]): Promise<void> => {
  await sql`
    update runs as run set input_tokens = run.input_tokens + used.input, output_tokens = run.output_tokens + used.output,
      cost_nanodollars = run.cost_nanodollars + used.cost, is_cost_known = run.is_cost_known and used.is_known
    from (select child.organization_id, child.parent_run_id, sum(child.input_tokens)::bigint as input,
        sum(child.output_tokens)::bigint as output, sum(child.cost_nanodollars)::bigint as cost,
        bool_and(child.is_cost_known) as is_known
      from ${places(children)} join runs as child on child.organization_id = given."organizationId" and child.id = given.id
      group by child.organization_id, child.parent_run_id) as used
    where run.organization_id = used.organization_id and run.id = used.parent_run_id`.execute(tx)
}

/** Lets the next run of each of these conversations begin, where one is queued. */
export const startNextRuns = async (
  tx: Tx,
  conversations: readonly { organizationId: string; conversationId: string }[],
  now: Date,
): Promise<void> => {
  const given = sql`json_to_recordset(${JSON.stringify(conversations)}::json)
    as given ("organizationId" text, "conversationId" text)`
  await sql`select from ${given} join conversations as conversation on conversation.organization_id = given."organizationId"
    and conversation.id = given."conversationId" order by conversation.organization_id, conversation.id
    for update of conversation`.execute(tx)
  await sql`
    update runs as run set due_at = ${now}
    from ${given} cross join lateral (
      select id from runs where organization_id = given."organizationId" and conversation_id = given."conversationId"
        and completed_at is null order by id limit 1) as following
    where run.organization_id = given."organizationId" and run.id = following.id and run.state = 'queued'
      and run.due_at is null`.execute(tx)
}
