import type { AgentAccess, AgentDefinition } from '@noema/contracts/agents.ts'
import { sql } from 'kysely'
import { hidesRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { limitDefinition } from '../agents/reach.ts'
import type { Operation, RunKey, RunRow, StoredMessage } from './types.ts'

/** The columns of a run, of a row that is called `run`. */
export const runColumns = sql`
  run.organization_id as "organizationId", run.id, run.agent_id as "agentId", run.agent_version as "agentVersion",
  run.project_id as "projectId", run.conversation_id as "conversationId", run.state, run.input, run.metadata, run.output,
  run.failure_reason as "failureReason", run.failure_category as "failureCategory",
  run.abandon_reason as "abandonReason", run.input_tokens as "inputTokens", run.output_tokens as "outputTokens",
  run.cost_nanodollars as "costNanodollars", run.is_cost_known as "isCostKnown", run.started_by as "startedBy",
  run.trigger_id as "triggerId", run.trigger_cursor as "triggerCursor", run.schedule_id as "scheduleId",
  run.parent_run_id as "parentRunId", run.flow, run.created_at as "createdAt", run.started_at as "startedAt",
  run.completed_at as "completedAt"`

/** A run of an organization. */
export const selectRun = async (db: Queryable, { organizationId, id }: RunKey): Promise<RunRow | undefined> => {
  const { rows } = await sql<RunRow>`select ${runColumns} from runs as run
    where run.organization_id = ${organizationId} and run.id = ${id}`.execute(db)
  return rows[0]
}

const runsAt = defineStatement<{ requested: string }, RunRow>(
  ({ requested }) => sql`
    select ${runColumns} from json_to_recordset(${requested}::json) as requested ("organizationId" text, id text)
      join runs as run on run.organization_id = requested."organizationId" and run.id = requested.id`,
)

/** Runs, in the order of their places. */
export const selectRunsAt = async (db: Queryable, places: readonly RunKey[]): Promise<(RunRow | undefined)[]> => {
  const requested = JSON.stringify(places.map(({ organizationId, id }) => ({ organizationId, id })))
  const rows = await runStatement(db, runsAt({ requested }))
  return places.map((place) =>
    rows.find(({ organizationId, id }) => organizationId === place.organizationId && id === place.id),
  )
}

/** The journal of a run, and what a node needs to continue it. */
export type Journal = {
  id: string
  definition: AgentDefinition | null
  isArchived: boolean
  operations: Operation[]
  messages: StoredMessage[]
  /** The last messages of the earlier runs in its conversation. */
  earlier: Pick<StoredMessage, 'role' | 'parts'>[]
  /** Tasks whose time is over. */
  lateTasks: { id: string; operationId: string }[]
}

const operationJson = sql`json_build_object('id', id, 'sequence', sequence, 'step', step, 'type', type, 'name', name,
  'status', status, 'attempt', attempt, 'taskId', task_id, 'childRunId', child_run_id, 'callId', call_id, 'input', input,
  'output', case when status = 'running' or step >= requested.steps then output end, 'error', error, 'model', model, 'toolSourceKind', tool_source_kind, 'toolSourceId', tool_source_id,
  'toolName', tool_name, 'toolSourceVersionId', tool_source_version_id, 'toolSchemaHash', tool_schema_hash,
  'knowledgeReadSubject', knowledge_read_subject, 'brainHandle', brain_handle, 'receipt', receipt, 'change', change,
  'inputTokens', input_tokens, 'outputTokens', output_tokens, 'cacheReadTokens', cache_read_tokens,
  'cacheWriteTokens', cache_write_tokens, 'reasoningTokens', reasoning_tokens, 'costNanodollars', cost_nanodollars,
  'latencyMilliseconds', latency_milliseconds, 'producedMessageIds', produced_message_ids,
  'consumedMessageIds', consumed_message_ids, 'refusals', refusals, 'createdAt', created_at, 'completedAt', completed_at)`

const messageJson = sql`json_build_object('id', id, 'position', position, 'role', role, 'parts', parts, 'text', text,
  'operationId', operation_id, 'createdAt', created_at)`

/** A run of a conversation sees at most this many earlier messages, the newest, and this many bytes. */
const maxEarlierMessages = 200
const maxEarlierBytes = 1024 * 1024

type Requested = RunKey & {
  steps: number
  agentId: string
  agentVersion: number
  conversationId: string | null
  now: Date
}

const journals = defineStatement<{ requested: string }, Journal & { maxAccess: AgentAccess | null }>(
  ({ requested }) => sql`
    select requested.id,
      (select definition from agent_versions as version where version.organization_id = requested."organizationId"
        and version.agent_id = requested."agentId" and version.version = requested."agentVersion") as definition,
      (select max_access from runs where organization_id = requested."organizationId" and id = requested.id) as "maxAccess",
      coalesce((select archived_at is not null from agents where organization_id = requested."organizationId"
        and id = requested."agentId"), true) as "isArchived",
      (select coalesce(json_agg(${operationJson} order by sequence), '[]') from run_operations
        where organization_id = requested."organizationId" and run_id = requested.id) as operations,
      (select coalesce(json_agg(${messageJson} order by position), '[]') from run_messages
        where organization_id = requested."organizationId" and run_id = requested.id) as messages,
      (select coalesce(json_agg(json_build_object('role', role, 'parts', parts) order by run_id, position), '[]') from (
          select newest.*, sum(octet_length(parts::text)) over (order by run_id desc, position desc
              rows unbounded preceding) as size from (
            select message.* from runs as before join run_messages as message
              on message.organization_id = before.organization_id and message.run_id = before.id
            where requested."conversationId" is not null and before.organization_id = requested."organizationId"
              and before.conversation_id = requested."conversationId"
              and before.id < requested.id
            order by message.run_id desc, message.position desc limit ${sql.lit(maxEarlierMessages)}) as newest) as said
        where size <= ${sql.lit(maxEarlierBytes)}) as earlier,
      (select coalesce(json_agg(json_build_object('id', id, 'operationId', operation_id)), '[]') from run_tasks
        where organization_id = requested."organizationId" and run_id = requested.id and state = 'open'
          and expires_at <= requested.now) as "lateTasks"
    from json_to_recordset(${requested}::json) as requested ("organizationId" text, id text, "agentId" text,
      "agentVersion" integer, "conversationId" text, steps integer, now timestamptz)`,
)

/** Reads the journals of runs, in their order. */
export const selectJournals = async (db: Queryable, requested: readonly Requested[]): Promise<Journal[]> => {
  const rows = await runStatement(db, journals({ requested: JSON.stringify(requested) }))
  const found = new Map(
    rows.map(({ maxAccess, definition, ...row }) => [
      row.id,
      { ...row, definition: definition && limitDefinition(definition, maxAccess) },
    ]),
  )
  return requested.map(({ id }) => {
    const journal = found.get(id)
    if (!journal) throw new Error(`The journal of ${id} was not read.`)
    return journal
  })
}

/** The triggers that led to runs, the first first. */
export const selectLineages = async (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; lineage: string[] }[]> => {
  const { rows } = await sql<{ id: string; lineage: string[] }>`select id, lineage from runs
    where organization_id = ${organizationId} and id = any(${[...ids]})`.execute(db)
  return rows
}

/** The number of open runs of a trigger. */
export const countOpenRuns = async (db: Queryable, organizationId: string, triggerId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from runs
    where organization_id = ${organizationId} and trigger_id = ${triggerId} and completed_at is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** The runs of an agent that go on, some at once. */
export const selectRunsOfAgent = async (
  db: Queryable,
  organizationId: string,
  agentId: string,
  limit: number,
): Promise<RunKey[]> => {
  const { rows } = await sql<RunKey>`select organization_id as "organizationId", id from runs
    where organization_id = ${organizationId} and agent_id = ${agentId} and completed_at is null
    order by id limit ${limit}`.execute(db)
  return rows
}

/** The names of the agents of runs, by the ids of the runs. */
export const selectAgentNames = async (
  db: Queryable,
  organizationId: string,
  runIds: readonly string[],
): Promise<Map<string, string>> => {
  if (runIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string | null }>`
    select run.id, agent.definition->>'name' as name from runs as run join agent_versions as agent
      on agent.organization_id = run.organization_id and agent.agent_id = run.agent_id and agent.version = run.agent_version
    where run.organization_id = ${organizationId} and run.id = any(${[...runIds]})`.execute(db)
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name]])))
}

/** The agents of runs. An id that is no run of the organization has none. */
export const selectAgentsOfRuns = async (
  db: Queryable,
  organizationId: string,
  runIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ agentId: string }>`select distinct agent_id as "agentId" from runs
    where organization_id = ${organizationId} and id = any(${[...runIds]}::text[])`.execute(db)
  return rows.map(({ agentId }) => agentId)
}

/** The number of open runs of an organization that a viewer may see. */
export const countRunsUnderWay = async (db: Queryable, organizationId: string, viewer?: Viewer): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from runs as open
    where organization_id = ${organizationId} and state in ('queued', 'running', 'waiting')
      and ${isVisible(viewer, (userId) => hidesRun(sql`open.organization_id`, sql`open.id`, userId))}`.execute(db)
  return rows[0]?.count ?? 0
}
