import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { Operation, RunRow, RunsNews } from './types.ts'

/** The fields of a run, and of its ended operations, that a trace contains. A run without an agent has the name of its `flow`, and no model. */
export type TracedRun = Pick<
  RunRow,
  | 'id'
  | 'agentId'
  | 'conversationId'
  | 'state'
  | 'failureCategory'
  | 'inputTokens'
  | 'outputTokens'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
> & { agentName: string | null; model: string | null; flow: string | null; traceparent: string | null }

export type TracedOperation = Pick<
  Operation,
  | 'id'
  | 'type'
  | 'name'
  | 'status'
  | 'attempt'
  | 'model'
  | 'toolSourceKind'
  | 'toolName'
  | 'input'
  | 'output'
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'reasoningTokens'
> & { createdAt: Date; completedAt: Date | null }

/** The run of which something ended; undefined where it is gone. */
export const selectTracedRun = async (
  db: Queryable,
  { organizationId, runId }: RunsNews,
): Promise<TracedRun | undefined> => {
  const { rows } = await sql<TracedRun>`
    select run.id, run.agent_id as "agentId", run.conversation_id as "conversationId", run.state,
      run.failure_category as "failureCategory", run.input_tokens as "inputTokens", run.output_tokens as "outputTokens",
      run.created_at as "createdAt", run.started_at as "startedAt", run.completed_at as "completedAt", run.traceparent, run.flow,
      version.definition ->> 'name' as "agentName", version.definition ->> 'model' as model
    from runs as run left join agent_versions as version on version.organization_id = run.organization_id
      and version.agent_id = run.agent_id and version.version = run.agent_version
    where run.organization_id = ${organizationId} and run.id = ${runId}`.execute(db)
  return rows[0]
}

/**
 * The ended operations, in their order. An operation that someone else ends (a person who answers, another run, the end of this
 * one) is traced with the run's own end. Content is read only for traces that include it.
 */
export const selectTracedOperations = async (
  db: Queryable,
  { organizationId, runId, operationIds, isRunOver }: RunsNews,
  { hasContent }: { hasContent: boolean },
): Promise<TracedOperation[]> => {
  const content = hasContent ? sql`input, output` : sql`null as input, null as output`
  const byOthers = isRunOver ? sql`or status = 'abandoned' or task_id is not null or child_run_id is not null` : sql``
  const { rows } = await sql<TracedOperation>`
    select id, type, name, status, attempt, model, tool_source_kind as "toolSourceKind", tool_name as "toolName",
      ${content},
      input_tokens as "inputTokens", output_tokens as "outputTokens", cache_read_tokens as "cacheReadTokens",
      cache_write_tokens as "cacheWriteTokens", reasoning_tokens as "reasoningTokens", created_at as "createdAt",
      completed_at as "completedAt"
    from run_operations
    where organization_id = ${organizationId} and run_id = ${runId} and (id = any(${operationIds}) ${byOthers})
    order by sequence limit 10000`.execute(db)
  return rows
}

/** The trace that a run was started in; undefined where the run is gone. */
export const selectTraceparent = async (
  db: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ id: string; traceparent: string | null } | undefined> => {
  const { rows } = await sql<{ id: string; traceparent: string | null }>`select id, traceparent from runs
    where organization_id = ${organizationId} and id = ${id}`.execute(db)
  return rows[0]
}
