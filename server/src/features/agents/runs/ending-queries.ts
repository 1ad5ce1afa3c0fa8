import type { RunState } from '@noema/contracts/runs.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { operationData, taskData } from './event-queries.ts'
import type { RunPlace } from './types.ts'

/** A run whose row is locked. */
export type LockedRun = RunPlace & {
  lease: string | null
  parentRunId: string | null
  parentOperationId: string | null
  conversationId: string | null
  steps: number
}

const lockedColumns = sql`run.organization_id as "organizationId", run.id, run.lease, run.parent_run_id as "parentRunId",
  run.parent_operation_id as "parentOperationId", run.conversation_id as "conversationId", run.steps`

const places = (given: readonly RunPlace[]): RawBuilder<unknown> => {
  const rows = given.map(({ organizationId, id }) => ({ organizationId, id }))
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as given ("organizationId" text, id text)`
}

/** Locks runs and those that wait for them, in the order in which everybody locks runs, and answers those that go on. */
export const lockRuns = async (tx: Tx, given: readonly RunPlace[]): Promise<LockedRun[]> => {
  const { rows } = await sql<LockedRun & { isMeant: boolean; isOpen: boolean }>`
    with given as (select * from ${places(given)}),
    wanted as (
      select "organizationId", id from given union
      select run.organization_id, run.parent_run_id from given join runs as run
        on run.organization_id = given."organizationId" and run.id = given.id where run.parent_run_id is not null)
    select ${lockedColumns}, run.completed_at is null as "isOpen",
      exists (select from given where given."organizationId" = run.organization_id and given.id = run.id) as "isMeant"
    from runs as run join wanted on wanted."organizationId" = run.organization_id and wanted.id = run.id
    order by run.organization_id, run.id for update of run`.execute(tx)
  return rows.filter(({ isMeant, isOpen }) => isMeant && isOpen)
}

/** Locks the runs that these have started and that go on. */
export const lockChildren = async (tx: Tx, parents: readonly RunPlace[]): Promise<LockedRun[]> => {
  const { rows } = await sql<LockedRun>`
    select ${lockedColumns} from ${places(parents)} join runs as run
      on run.organization_id = given."organizationId" and run.parent_run_id = given.id
    where run.completed_at is null order by run.organization_id, run.id for update of run`.execute(tx)
  return rows
}

/** The end of a run, with the last parts of its stream. */
export type EndedRow = RunPlace & {
  state: RunState
  status: string
  output: unknown
  failureReason: string | null
  failureCategory: string | null
  abandonReason: string | null
  parts: readonly string[]
}

const toldEnd = sql`
  select held.organization_id, 'run.' || held.state as event, held.completed_at as at, held.agent_id,
    held.brain_handle as brain, json_strip_nulls(json_build_object('runId', held.id, 'agentId', held.agent_id,
      'state', held.state, 'status', held.status, 'failureReason', held.failure_reason,
      'failureCategory', held.failure_category, 'abandonReason', held.abandon_reason))::jsonb
      || case when held.output is null then '{}'::jsonb else jsonb_build_object('output', held.output) end as data
  from held
  union all
  select held.organization_id, 'operation.abandoned', held.completed_at, held.agent_id, held.brain_handle,
    (${operationData})::jsonb
  from left_open as op join held on held.organization_id = op.organization_id and held.id = op.run_id
  where op.type <> 'system_action'
  union all
  select held.organization_id, 'task.expired', held.completed_at, held.agent_id, held.brain_handle, (${taskData})::jsonb
  from unanswered as task join held on held.organization_id = task.organization_id and held.id = task.run_id`

/**
 * Ends runs whose rows are locked: their state, what they left open, their last parts, and what is to be told, as one
 * statement. Answers whether a webhook wants to know, by the ids of the runs.
 */
export const endRows = async (tx: Tx, endings: readonly EndedRow[], now: Date): Promise<Map<string, boolean>> => {
  const rows = endings.map(({ parts, ...row }) => ({ ...row, added: parts.length }))
  const parts = endings.flatMap(({ organizationId, id, parts }) =>
    parts.map((part, place) => ({ organizationId, id, part, place })),
  )
  const { rows: ended } = await sql<{ id: string; isTold: boolean }>`
    with given as (select * from json_to_recordset(${JSON.stringify(rows)}::json) as given ("organizationId" text, id text,
      state text, status text, output json, "failureReason" text, "failureCategory" text, "abandonReason" text,
      added integer)),
    held as (
      update runs as run set state = given.state, output = given.output, failure_reason = given."failureReason",
        failure_category = given."failureCategory", abandon_reason = given."abandonReason", completed_at = ${now},
        due_at = null, lease = null, active_since = null, next_part = run.next_part + given.added,
        active_milliseconds = run.active_milliseconds + case when run.active_since is null then 0 else
          greatest(0, extract(epoch from ${now} - run.active_since) * 1000) end
      from given where run.organization_id = given."organizationId" and run.id = given.id and run.completed_at is null
      returning run.*, given.status, run.next_part - given.added as first_part),
    left_open as (
      update run_operations as op set status = 'abandoned', completed_at = ${now} from held
      where op.organization_id = held.organization_id and op.run_id = held.id and op.status = 'running' returning op.*),
    unanswered as (
      update run_tasks as task set state = 'expired', completed_at = ${now} from held
      where task.organization_id = held.organization_id and task.run_id = held.id and task.state = 'open'
      returning task.*),
    written as (
      insert into run_parts (organization_id, run_id, number, part)
      select held.organization_id, held.id, held.first_part + piece.place, piece.part
      from json_to_recordset(${JSON.stringify(parts)}::json) as piece ("organizationId" text, id text, part text,
        place integer) join held on held.organization_id = piece."organizationId" and held.id = piece.id returning 1),
    told as (${addManyToOutbox(toldEnd)} returning organization_id)
    select id, exists (select from told where told.organization_id = held.organization_id) as "isTold"
    from held`.execute(tx)
  return new Map(ended.map(({ id, isTold }) => [id, isTold]))
}

/**
 * Tells the runs that wait for these what they came to: the operation that started one ends with its output, or with why
 * there is none, and what it used is added up. Their rows are locked. Answers the runs that waited.
 */
export const tellParents = async (tx: Tx, children: readonly RunPlace[], now: Date) => {
  const { rows } = await sql<RunPlace & { isTold: boolean }>`
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
    told as (${addManyToOutbox(sql`
      select held.organization_id, 'operation.' || op.status as event, ${now}::timestamptz as at, held.agent_id,
        held.brain_handle as brain, ${operationData} as data
      from closed as op join held on held.organization_id = op.organization_id and held.id = op.run_id`)}
      returning organization_id)
    select organization_id as "organizationId", id, exists (select from told) as "isTold" from held`.execute(tx)
  return rows
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
