import type { Operation } from '@noema/contracts/activity.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { OperationRow } from './queries.ts'

/** A content as an object, wrapped in one if it is none. */
const toObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { value }

type Present<Row> = { [Name in keyof Row]?: NonNullable<Row[Name]> }

/** A row without its unknown columns. */
const omitMissing = <Row extends object>(row: Row): Present<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined)) as Present<Row>

const toCommon = (row: OperationRow) => ({
  id: row.id,
  runId: row.runId,
  runTurnId: `${row.runId}:${row.step}`,
  tenantId: row.tenantId,
  projectId: row.projectId,
  status: row.status,
  name: row.name,
  attemptNumber: row.attempt,
  sequence: row.sequence,
  sequenceNumber: row.sequence,
  producedMessageIds: row.producedMessageIds,
  consumedMessageIds: row.consumedMessageIds,
  createdAt: row.createdAt.toISOString(),
  ...omitMissing({
    taskId: row.taskId,
    knowledgeReadSubject: row.knowledgeReadSubject,
    input: row.input === null ? null : toObject(row.input),
    output: row.output === null ? null : toObject(row.output),
    error: row.error,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cacheReadTokens: row.cacheReadTokens,
    cacheWriteTokens: row.cacheWriteTokens,
    reasoningTokens: row.reasoningTokens,
    // Rounded here and nowhere else.
    costCents: row.costNanodollars === null ? null : Math.round(row.costNanodollars / nanodollarsPerCent),
    latencyMs: row.latencyMs,
    completedAt: row.completedAt?.toISOString(),
  }),
})

/** Schemas of tools by their hashes. */
export type SchemasByHash = ReadonlyMap<string, { inputSchema: unknown; outputSchema: unknown }>

/** An operation as activity shows it, with the schemas of its tool if they are given. */
const operationView = (row: OperationRow, schemas: SchemasByHash): Operation => {
  const common = toCommon(row)
  if (row.type === 'system_action') return { ...common, type: row.type }
  if (row.type === 'llm_call') return { ...common, type: row.type, ...omitMissing({ model: row.model }) }
  const schema = row.toolSchemaHash === null ? undefined : schemas.get(row.toolSchemaHash)
  return {
    ...common,
    type: row.type,
    // The server of the tool sees a repeated attempt as the same call.
    idempotencyKey: row.id,
    toolSourceKind: row.toolSourceKind ?? 'builtin',
    toolSourceId: row.toolSourceId ?? row.name,
    toolName: row.toolName ?? row.name,
    ...omitMissing({
      skillVersionId: row.toolSourceKind === 'skill' ? row.toolSourceVersionId : null,
      toolSourceVersionId: row.toolSourceVersionId,
      toolSchemaHash: row.toolSchemaHash,
      toolInputSchemaSnapshot: schema?.inputSchema,
      toolOutputSchemaSnapshot: schema?.outputSchema,
    }),
  }
}

/** The operations of a page. The schemas of a tool are given with the first that was called with them. */
export const operationViews = (rows: readonly OperationRow[], schemas: SchemasByHash): Operation[] => {
  const left = new Map(schemas)
  return rows.map((row) => {
    const shown = operationView(row, left)
    if (row.toolSchemaHash !== null) left.delete(row.toolSchemaHash)
    return shown
  })
}
