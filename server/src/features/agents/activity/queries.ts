import {
  type knowledgeReadSubjects,
  type OperationStatus,
  type OperationType,
  operationStatuses,
  operationTypes,
} from '@noema/contracts/activity.ts'
import { maxPageBytes, maxSearched } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import { hidesRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { hasWords, maxSearchedBytes, toStart } from '../../platform/cursors/search-queries.ts'

/** An operation in the journal of its run. */
export type OperationRow = {
  id: string
  runId: string
  step: number
  taskId: string | null
  tenantId: string
  projectId: string
  status: OperationStatus
  name: string
  knowledgeReadSubject: (typeof knowledgeReadSubjects)[number] | null
  input: unknown
  output: unknown
  error: string | null
  attempt: number
  inputTokens: number | null
  outputTokens: number | null
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  reasoningTokens: number | null
  costNanodollars: number | null
  latencyMs: number | null
  sequence: number
  producedMessageIds: string[]
  consumedMessageIds: string[]
  createdAt: Date
  completedAt: Date | null
  type: OperationType
  model: string | null
  toolSourceKind: 'connector' | 'skill' | 'builtin' | null
  toolSourceId: string | null
  toolName: string | null
  toolSourceVersionId: string | null
  toolSchemaHash: string | null
}

const columns = sql`op.id, op.run_id as "runId", op.step, op.task_id as "taskId", op.organization_id as "tenantId",
  op.project_id as "projectId", op.status, op.name, op.knowledge_read_subject as "knowledgeReadSubject", op.error,
  op.attempt, op.input_tokens as "inputTokens", op.output_tokens as "outputTokens",
  op.cache_read_tokens as "cacheReadTokens", op.cache_write_tokens as "cacheWriteTokens",
  op.reasoning_tokens as "reasoningTokens", op.cost_nanodollars as "costNanodollars",
  op.latency_milliseconds as "latencyMs", op.sequence, op.produced_message_ids as "producedMessageIds",
  op.consumed_message_ids as "consumedMessageIds", op.created_at as "createdAt", op.completed_at as "completedAt",
  op.type, op.model, op.tool_source_kind as "toolSourceKind", op.tool_source_id as "toolSourceId",
  op.tool_name as "toolName", op.tool_source_version_id as "toolSourceVersionId", op.tool_schema_hash as "toolSchemaHash"`

export type ActivityFilter = {
  type?: OperationType | undefined
  status?: OperationStatus | undefined
  since?: string | undefined
  until?: string | undefined
  text?: string | undefined
  limit: number
  viewer?: Viewer
}

const newest = sql`order by created_at desc, id desc`

/**
 * The newest operations of a filter. Each of its types and statuses is read along the index on both, so that a rare one is found
 * without reading the others.
 */
const selectNewest = (
  organizationId: string,
  { type, status, since, until, limit, viewer }: ActivityFilter,
): RawBuilder<unknown> => {
  const inTime = sql`${since === undefined ? sql`true` : sql`created_at >= ${since}::timestamptz`}
    and ${until === undefined ? sql`true` : sql`created_at < ${until}::timestamptz`}`
  const hides = (userId: string) => hidesRun(sql`run_operations.organization_id`, sql`run_operations.run_id`, userId)
  const isShown = isVisible(viewer, hides)
  const found = sql`select run_id, id, created_at from run_operations where organization_id = ${organizationId} and ${inTime}
    and ${isShown}`
  if (type === undefined && status === undefined) return sql`${found} ${newest} limit ${limit}`
  const pairs = (type ? [type] : operationTypes).flatMap((one) =>
    (status ? [status] : operationStatuses).map((other) => ({ type: one, status: other })),
  )
  return sql`select following.* from json_to_recordset(${JSON.stringify(pairs)}::json) as requested (type text, status text)
    cross join lateral (${found} and run_operations.type = requested.type and run_operations.status = requested.status
      ${newest} limit ${limit}) as following
    ${newest} limit ${limit}`
}

/** The newest operations that a filter leaves. Their texts are searched from the newest on, a bounded number of them. */
const selectChosen = (organizationId: string, filter: ActivityFilter): RawBuilder<unknown> =>
  filter.text === undefined
    ? selectNewest(organizationId, filter)
    : sql`select run_id, id, created_at from (
        select op.run_id, op.id, op.created_at, op.name, op.input,
          sum(coalesce(pg_column_size(op.input), 0)) over (order by op.created_at desc, op.id desc) as searched
        from (${selectNewest(organizationId, { ...filter, limit: maxSearched })}) as newest
        join run_operations as op
          on op.organization_id = ${organizationId} and op.run_id = newest.run_id and op.id = newest.id) as read
      where searched <= ${sql.lit(maxSearchedBytes)}
        and ${hasWords(sql`name || ' ' || coalesce(${toStart(sql`input::text`)}, '')`, filter.text)}
      ${newest} limit ${filter.limit}`

/** The contents of one answer take at most this much as they are stored, which needs no decompression to sum. */
const maxStoredBytes = 2 * 1024 * 1024

const shown = (content: RawBuilder<unknown>) => sql`case when total <= ${sql.lit(maxPageBytes / 2)} then ${content} end`

/**
 * The newest operations of an organization. Contents are given from the newest on for as long as they fit into one answer, and
 * left out after that.
 */
export const selectActivity = async (
  db: Queryable,
  organizationId: string,
  filter: ActivityFilter,
): Promise<OperationRow[]> => {
  const { rows } = await sql<OperationRow>`
    with chosen as materialized (${selectChosen(organizationId, filter)}),
    sized as (
      select op.*, sum(coalesce(pg_column_size(op.input), 0) + coalesce(pg_column_size(op.output), 0))
        over (order by op.created_at desc, op.id desc) as stored
      from chosen join run_operations as op
        on op.organization_id = ${organizationId} and op.run_id = chosen.run_id and op.id = chosen.id),
    op as (
      select sized.*, sum(case when stored <= ${sql.lit(maxStoredBytes)}
          then coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
          else ${sql.lit(maxPageBytes)} end) over (order by created_at desc, id desc) as total from sized)
    select ${columns}, ${shown(sql`op.input`)} as input, ${shown(sql`op.output`)} as output from op ${newest}`.execute(
    db,
  )
  return rows
}

type ListedRow = OperationRow & { place: number; found: number }

/** A page of a run's operations in their order, and how many were found for it. */
export const selectOperations = async (
  db: Queryable,
  { organizationId, id }: { organizationId: string; id: string },
  page: PageRequest<number>,
): Promise<{ rows: ListedRow[]; found: number }> => {
  const rows = sql`select op.sequence as place, ${columns}, op.input, op.output from run_operations as op
    where op.organization_id = ${organizationId} and op.run_id = ${id} and ${isAfter(sql`op.sequence`, page)}
    ${inOrder(sql`op.sequence`, page)} limit ${page.limit + 1}`
  const size = sql`coalesce(pg_column_size(input), 0) + coalesce(pg_column_size(output), 0)`
  const length = sql`coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)`
  const cut = cutByLength({ rows, size, length }, { ...page, maxBytes: maxPageBytes / 2 })
  const read = await sql<ListedRow>`select * from (${cut}) as fitting ${inOrder(sql`place`, page)}`.execute(db)
  return { rows: read.rows, found: read.rows[0]?.found ?? 0 }
}
