import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { abandonLeft, expireLeft, type RunEnding, reportedEnd } from './ending-queries.ts'
import { operationData, taskData } from './event-queries.ts'
import type { HeldRun, Operation, RunKey, StoredMessage } from './types.ts'

/** A question that a run asks. */
export type NewTask = {
  id: string
  operationId: string
  question: string
  options: readonly string[] | null
  expiresAt: Date | null
}

/** A part of the stream as it is stored. */
type StoredPart = { operationId: string | null; part: string }

/** The changes of a run since they were last stored. */
export type Settlement = {
  run: HeldRun
  now: Date
  /** Added to the run's own. */
  used: { inputTokens: number; outputTokens: number; costNanodollars: number; isCostKnown: boolean; steps: number }
  nextSequence: number
  /** Operations that were begun, and those of the journal of which something changed. */
  begun: readonly Operation[]
  changed: readonly Operation[]
  messages: readonly StoredMessage[]
  tasks: readonly NewTask[]
  /** Tasks that had expired when the run continued. */
  expiredTasks: readonly string[]
  parts: readonly StoredPart[]
  /** Gives the lease back, to be leased again at a time. */
  release?: { dueAt: Date }
}

/** The changes of a run, and its outcome if it ends. `isLocked`: the caller has locked its row, whatever lease it has. */
export type Stored = Settlement & { ending?: RunEnding; isLocked?: boolean }

const isEnded = ({ status }: Operation): boolean => status !== 'running'

/** The operations whose results a message reports. */
const listReported = ({ parts }: StoredMessage): string[] =>
  parts.flatMap((part) => (part.type === 'tool-result' ? part.toolCallId : []))

/** The rows that each part of the statement reads, with the place of their run, and the lease under which they were made. */
const toRows = (settlements: readonly Stored[]) => {
  const all = <Row>(list: (settlement: Settlement) => readonly Row[]) =>
    JSON.stringify(
      settlements.flatMap((settlement) =>
        list(settlement).map((row) => ({
          ...row,
          organization: settlement.run.organizationId,
          run: settlement.run.id,
          lease: settlement.run.lease,
        })),
      ),
    )
  return {
    begun: all(({ begun }) => begun),
    changed: all(({ changed }) => changed),
    messages: all(({ messages }) => messages.map((message) => ({ ...message, reports: listReported(message) }))),
    tasks: all(({ tasks }) => tasks),
    expired: all(({ expiredTasks }) => expiredTasks.map((id) => ({ id }))),
    parts: all(({ parts }) => parts.map((part, index) => ({ ...part, place: index }))),
  }
}

const toRuns = (settlements: readonly Stored[]) =>
  JSON.stringify(
    settlements.map(({ run, now, used, nextSequence, begun, changed, expiredTasks, parts, release, ...rest }) => ({
      ...{ organization: run.organizationId, id: run.id, lease: run.lease, isLocked: rest.isLocked ?? false },
      ...{ now, ...used, nextSequence, parts: parts.length },
      dueAt: release?.dueAt ?? null,
      ...{ isEnded: rest.ending !== undefined, ...rest.ending },
      ...{ changedIds: changed.map(({ id }) => id), expiredIds: expiredTasks },
      hasProgress: [...begun, ...changed].some((one) => one.type !== 'system_action' && isEnded(one)),
    })),
  )

const operationColumns = sql`organization text, run text, lease text, id text, sequence integer, step integer,
  type text, name text, status text, attempt integer, "taskId" text, "childRunId" text, "callId" text, input json, output json, error text,
  model text, "toolSourceKind" text, "toolSourceId" text, "toolName" text, "toolSourceVersionId" text,
  "toolSchemaHash" text, "knowledgeReadSubject" text, "brainHandle" text, receipt text,
  change text, "inputTokens" bigint, "outputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint,
  "reasoningTokens" bigint, "costNanodollars" bigint, "latencyMilliseconds" bigint, "producedMessageIds" json,
  "consumedMessageIds" json, refusals integer, "createdAt" timestamptz, "completedAt" timestamptz`

const toTexts = (column: RawBuilder<unknown>) => sql`array(select json_array_elements_text(${column}))`

const insertBegun = (rows: string): RawBuilder<unknown> => sql`
  insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, attempt, task_id,
    child_run_id, call_id, input, output, error, model, tool_source_kind, tool_source_id, tool_name,
    tool_source_version_id, tool_schema_hash, knowledge_read_subject,
    brain_handle, receipt, change, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    cost_nanodollars, latency_milliseconds, produced_message_ids, consumed_message_ids, refusals, agent_id, project_id,
    created_at, completed_at)
  select held.organization_id, held.id, op.id, op.sequence, op.step, op.type, op.name, op.status, op.attempt, op."taskId",
    op."childRunId", op."callId", op.input, op.output, op.error, op.model, op."toolSourceKind", op."toolSourceId",
    op."toolName", op."toolSourceVersionId", op."toolSchemaHash", op."knowledgeReadSubject", op."brainHandle", op.receipt, op.change, op."inputTokens", op."outputTokens",
    op."cacheReadTokens", op."cacheWriteTokens", op."reasoningTokens", op."costNanodollars", op."latencyMilliseconds",
    ${toTexts(sql`op."producedMessageIds"`)}, ${toTexts(sql`op."consumedMessageIds"`)}, op.refusals, held.agent_id,
    held.project_id, op."createdAt", op."completedAt"
  from json_to_recordset(${rows}::json) as op (${operationColumns})
    join held on held.organization_id = op.organization and held.id = op.run and held.by_lease = op.lease`

const updateChanged = (rows: string): RawBuilder<unknown> => sql`
  update run_operations as mine set status = op.status, attempt = op.attempt, child_run_id = op."childRunId",
    output = op.output, error = op.error, brain_handle = op."brainHandle", receipt = op.receipt, change = op.change,
    input_tokens = op."inputTokens", output_tokens = op."outputTokens", cache_read_tokens = op."cacheReadTokens",
    cache_write_tokens = op."cacheWriteTokens", reasoning_tokens = op."reasoningTokens",
    cost_nanodollars = op."costNanodollars", latency_milliseconds = op."latencyMilliseconds",
    produced_message_ids = ${toTexts(sql`op."producedMessageIds"`)}, refusals = op.refusals,
    knowledge_read_subject = op."knowledgeReadSubject", tool_source_version_id = op."toolSourceVersionId",
    completed_at = op."completedAt"
  from json_to_recordset(${rows}::json) as op (${operationColumns})
    join held on held.organization_id = op.organization and held.id = op.run and held.by_lease = op.lease
  where mine.organization_id = held.organization_id and mine.run_id = held.id and mine.id = op.id
    and mine.status = 'running'`

const updateHeld = sql`
  update runs as run set
    input_tokens = run.input_tokens + given."inputTokens", output_tokens = run.output_tokens + given."outputTokens",
    cost_nanodollars = run.cost_nanodollars + given."costNanodollars",
    is_cost_known = run.is_cost_known and given."isCostKnown", steps = run.steps + given.steps,
    next_sequence = greatest(run.next_sequence, given."nextSequence"), next_part = run.next_part + given.parts,
    failures = case when given."hasProgress" then 0 else run.failures end,
    active_milliseconds = run.active_milliseconds
      + greatest(0, extract(epoch from given.now - coalesce(run.active_since, given.now)) * 1000),
    active_since = case when given."dueAt" is null and not given."isEnded" then given.now end,
    due_at = case when not given."isEnded" then coalesce(given."dueAt", run.due_at) end,
    lease = case when given."dueAt" is null and not given."isEnded" then run.lease end,
    state = coalesce(given.state, run.state), output = given.output, failure_reason = given."failureReason",
    failure_category = given."failureCategory", abandon_reason = given."abandonReason",
    completed_at = case when given."isEnded" then given.now end
  from locked join given on given.organization = locked.organization_id and given.id = locked.id
    and given.lease = locked.by_lease
  where run.organization_id = locked.organization_id and run.id = locked.id
  returning run.organization_id, run.id, run.agent_id, run.project_id, run.brain_handle, given.now,
    run.next_part - given.parts as first_part, run.state, given.status, run.output, run.failure_reason,
    run.failure_category, run.abandon_reason, case when given."isEnded" then run.metadata->>'goalId' end as goal, given."isEnded", given."changedIds", given."expiredIds",
    given.lease as by_lease`

const reported = sql`organization_id, run_id, id, type, name, status, attempt`
const reportedChanges = sql`mine.organization_id, mine.run_id, mine.id, mine.type, mine.name, mine.status, mine.attempt`

/** Sets the message that reports the results of calls on those that had ended before: the others are stored with it. */
const nameReports = (messages: string): RawBuilder<unknown> => sql`
  update run_operations as mine set produced_message_ids = array[message.id]
  from json_to_recordset(${messages}::json) as message (organization text, run text, lease text, id text, reports json)
    join held on held.organization_id = message.organization and held.id = message.run and held.by_lease = message.lease
    cross join lateral json_array_elements_text(message.reports) as reported (id)
  where mine.organization_id = held.organization_id and mine.run_id = held.id and mine.id = reported.id
    and not exists (select 1 from changed where changed.run_id = mine.run_id and changed.id = mine.id)`

/** The outcomes of operations, tasks and runs, for the webhooks that select them. */
const reportedOutcomes = (tasks: string): RawBuilder<unknown> => sql`
  select held.organization_id, 'operation.' || op.status as event, held.now as at, held.agent_id,
    held.brain_handle as brain, (${operationData})::jsonb as data
  from (select * from changed union all select * from begun) as op
    join held on held.organization_id = op.organization_id and held.id = op.run_id
  where op.status <> 'running'
  union all
  select held.organization_id, 'task.created', held.now, held.agent_id, held.brain_handle, (${taskData})::jsonb
  from (select organization, run, lease, id, 'open' as state, "expiresAt" as expires_at from
      json_to_recordset(${tasks}::json) as task (organization text, run text, lease text, id text, "expiresAt" timestamptz)) as task
    join held on held.organization_id = task.organization and held.id = task.run and held.by_lease = task.lease
  union all
  select held.organization_id, 'task.expired', held.now, held.agent_id, held.brain_handle, (${taskData})::jsonb
  from expired as task join held on held.organization_id = task.organization_id and held.id = task.run_id
  union all ${reportedEnd}`

/** A run whose outcome was stored. `goalId`: the goal that its end concerns. */
type Held = { lease: string; isReported: boolean; goalId: string | null }

type OutcomeValues = ReturnType<typeof toRows> & { runs: string }

const outcomes = defineStatement<OutcomeValues, Held & { id: string }>(
  ({ runs, begun, changed, messages, tasks, expired, parts }) => sql`
    with given as materialized (select * from json_to_recordset(${runs}::json) as given (organization text,
      id text, lease text, now timestamptz, "inputTokens" bigint, "outputTokens" bigint, "costNanodollars" bigint,
      "isCostKnown" boolean, steps integer, "nextSequence" integer, parts integer, "dueAt" timestamptz,
      "hasProgress" boolean, "isLocked" boolean, "isEnded" boolean, state text, status text, output json,
      "failureReason" text, "failureCategory" text, "abandonReason" text, "changedIds" text[], "expiredIds" text[])),
    locked as materialized (
      select run.organization_id, run.id, given.lease as by_lease from given join runs as run
        on run.organization_id = given.organization and run.id = given.id
      where run.completed_at is null and (given."isLocked" or run.lease = given.lease)
      order by run.organization_id, run.id for update of run),
    held as (${updateHeld}),
    begun as (${insertBegun(begun)} returning ${reported}),
    changed as (${updateChanged(changed)} returning ${reportedChanges}),
    said as (
      insert into run_messages (organization_id, run_id, id, position, role, parts, text, operation_id, created_at)
      select held.organization_id, held.id, message.id, message.position, message.role, message.parts, message.text,
        message."operationId", message."createdAt"
      from json_to_recordset(${messages}::json) as message (organization text, run text, lease text, id text,
          position integer, role text, parts json, text text, "operationId" text, "createdAt" timestamptz)
        join held on held.organization_id = message.organization and held.id = message.run
          and held.by_lease = message.lease returning 1),
    reporting as (${nameReports(messages)}),
    asked as (
      insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, options, created_at,
        expires_at, completed_at)
      select held.organization_id, task.id, held.id, held.agent_id, task."operationId",
        case when held."isEnded" then 'expired' else 'open' end, task.question, task.options, held.now,
        task."expiresAt", case when held."isEnded" then held.now end
      from json_to_recordset(${tasks}::json) as task (organization text, run text, lease text, id text, "operationId" text,
          question text, options json, "expiresAt" timestamptz)
        join held on held.organization_id = task.organization and held.id = task.run
          and held.by_lease = task.lease returning run_tasks.*),
    expired as (
      update run_tasks as task set state = 'expired', completed_at = held.now
      from json_to_recordset(${expired}::json) as late (organization text, run text, lease text, id text)
        join held on held.organization_id = late.organization and held.id = late.run and held.by_lease = late.lease
      where task.organization_id = held.organization_id and task.id = late.id and task.state = 'open' returning task.*),
    written as (
      insert into run_parts (organization_id, run_id, number, operation_id, part)
      select held.organization_id, held.id, held.first_part + piece.place, piece."operationId", piece.part
      from json_to_recordset(${parts}::json) as piece (organization text, run text, lease text, "operationId" text, part text,
          place integer)
        join held on held.organization_id = piece.organization and held.id = piece.run
          and held.by_lease = piece.lease returning 1),
    left_open as (${abandonLeft}),
    unanswered as (${expireLeft}),
    reported as (${addManyToOutbox(reportedOutcomes(tasks))} returning organization_id)
    select id, by_lease as lease, goal as "goalId", exists (select 1 from reported where reported.organization_id = held.organization_id) as "isReported"
    from held`,
)

/**
 * Stores the changes of runs, each completely or not at all: only while the run has its lease. Ends those that end, with their
 * open operations. Returns the runs that were stored, by their ids: under which lease, and whether webhooks are to be notified.
 */
export const storeRunOutcomes = async (db: Queryable, settlements: readonly Stored[]): Promise<Map<string, Held>> => {
  const held = await runStatement(db, outcomes({ runs: toRuns(settlements), ...toRows(settlements) }))
  return new Map(held.map(({ id, ...one }) => [id, one]))
}

/**
 * Lets a run wait for its open operations, and gives its lease back. It is due at once if all of them have ended meanwhile, else
 * when the first of its tasks expires. Undefined if the lease is lost.
 */
export const parkRun = async (
  tx: Tx,
  { organizationId, id, lease }: HeldRun,
  now: Date,
): Promise<{ isDue: boolean } | undefined> => {
  const { rows } = await sql`
    update runs set state = 'waiting', lease = null, due_at = null, active_since = null,
      active_milliseconds = active_milliseconds + greatest(0, extract(epoch from ${now} - active_since) * 1000)
    where organization_id = ${organizationId} and id = ${id} and lease = ${lease} returning id`.execute(tx)
  return rows.length === 0 ? undefined : wakeRun(tx, { organizationId, id }, now)
}

/** Sets when a waiting run whose row is locked is due: at once where nothing of it is open. */
export const wakeRun = async (tx: Tx, { organizationId, id }: RunKey, now: Date): Promise<{ isDue: boolean }> => {
  const { rows } = await sql<{ isDue: boolean | null }>`
    update runs as run set due_at = case
        when exists (select 1 from run_operations where organization_id = run.organization_id and run_id = run.id
          and status = 'running') then (select min(expires_at) from run_tasks
            where organization_id = run.organization_id and run_id = run.id and state = 'open')
        else ${now}::timestamptz end
    where organization_id = ${organizationId} and id = ${id} and state = 'waiting' and lease is null
    returning due_at <= ${now} as "isDue"`.execute(tx)
  return { isDue: rows[0]?.isDue === true }
}
