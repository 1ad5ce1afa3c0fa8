import { z } from 'zod'
import { limit, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const operationTypes = ['tool_call', 'llm_call', 'system_action'] as const
export type OperationType = (typeof operationTypes)[number]

export const operationStatuses = ['running', 'succeeded', 'failed', 'abandoned'] as const
export type OperationStatus = (typeof operationStatuses)[number]

/** What a call of a tool read: documents, records and statements, or passages. */
export const knowledgeReadSubjects = ['corpus', 'knowledge_graph', 'artifact', 'chunk'] as const

const id = z.string().min(1)
const amount = z.int().min(0)
const content = z.record(z.string(), z.unknown())

/** What operations of every type have. `runTurnId` is the step of the run, `costCents` is left out where no price is known. */
const common = {
  id,
  runId: id,
  runTurnId: id.optional(),
  taskId: id.optional(),
  tenantId: id,
  projectId: id.optional(),
  skillVersionId: id.optional(),
  status: z.enum(operationStatuses),
  name: z.string(),
  knowledgeReadSubject: z.enum(knowledgeReadSubjects).optional(),
  input: content.optional(),
  output: content.optional(),
  error: z.string().optional(),
  attemptNumber: z.int().optional(),
  idempotencyKey: z.string().optional(),
  inputTokens: amount.optional(),
  outputTokens: amount.optional(),
  cacheReadTokens: amount.optional(),
  cacheWriteTokens: amount.optional(),
  reasoningTokens: amount.optional(),
  costCents: amount.optional(),
  latencyMs: amount.optional(),
  sequence: z.int().min(1),
  sequenceNumber: z.int().min(1).optional(),
  producedMessageIds: z.array(id),
  consumedMessageIds: z.array(id),
  createdAt: timestamp,
  completedAt: timestamp.optional(),
}

/** A call of a tool: one of the service's own, of a connector, or of a skill. */
const toolCall = z.strictObject({
  ...common,
  type: z.literal('tool_call'),
  toolSourceKind: z.enum(['connector', 'skill', 'builtin']),
  toolSourceId: z.string(),
  toolName: z.string(),
  toolSourceVersionId: z.string().optional(),
  toolSchemaHash: z.string().optional(),
  toolInputSchemaSnapshot: z.unknown().optional(),
  toolOutputSchemaSnapshot: z.unknown().optional(),
})

const llmCall = z.strictObject({ ...common, type: z.literal('llm_call'), model: id.optional() })
const systemAction = z.strictObject({ ...common, type: z.literal('system_action') })

/**
 * One thing that a run did: a call of a model, a call of a tool, or an action of the service. It is written when it starts
 * and again when it ends. `input` and `output` are objects; anything else stands as `{ value }`.
 */
export const operation = z.union([toolCall, llmCall, systemAction])
export type Operation = z.infer<typeof operation>

/** UTC, ending in Z: an offset would leave open which of two times was meant in a listing of UTC times. */
const sinceRule = 'since is a UTC date-time ending in Z, such as 2026-03-01T12:00:00Z.'
// PostgreSQL knows no year 0.
const since = z.iso.datetime({ error: sinceRule }).refine((text) => !text.startsWith('0000'), sinceRule)

/**
 * Lists what the runs of an organization did, newest first. `since` compares `createdAt`. From the newest on, contents (`input`
 * and `output`) are given as long as all of them have no more than 8 MiB; after that they are left out.
 */
export const listActivity = defineEndpoint({
  method: 'GET',
  path: '/v1/activity',
  summary: 'List what the runs of the organization did, newest first',
  access: 'management',
  query: z.object({
    type: z.enum(operationTypes, { error: `type is ${operationTypes.join(', ')}.` }).optional(),
    status: z.enum(operationStatuses, { error: `status is ${operationStatuses.join(', ')}.` }).optional(),
    since: since.optional(),
    limit,
  }),
  status: [200],
  result: z.object({ operations: z.array(operation) }),
})

/** Lists the operations of a run, the first first. */
export const listRunOperations = defineEndpoint({
  method: 'GET',
  path: '/v1/runs/{id}/operations',
  summary: 'List what a run did',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'operations',
  result: z.object({ operations: z.array(operation), ...pageResult }),
})
