import { z } from 'zod'
import { displayName, limit, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const operationTypes = ['tool_call', 'llm_call', 'system_action'] as const
export type OperationType = (typeof operationTypes)[number]

export const operationStatuses = ['running', 'succeeded', 'failed', 'abandoned'] as const
export type OperationStatus = (typeof operationStatuses)[number]

/** The kind of knowledge that a tool call read: documents, records and statements, or passages. */
export const knowledgeReadSubjects = ['corpus', 'knowledge_graph', 'artifact', 'chunk'] as const

const id = z.string().min(1)
const amount = z.int().min(0)
const content = z.record(z.string(), z.unknown())

/** The properties of every operation. `runTurnId` is the step of the run; `costCents` is absent if no price is known. */
const common = {
  id: id.describe('The id. It never changes.'),
  runId: id.describe('The id of the run.'),
  runTurnId: id.optional().describe('The id of the step that the operation belongs to.'),
  taskId: id.optional().describe('The id of the task.'),
  tenantId: id.describe('The id of the organization.'),
  projectId: id.optional().describe('The id of the project.'),
  skillVersionId: id.optional().describe('The id of the version of the skill.'),
  status: z.enum(operationStatuses).describe('The current state.'),
  name: displayName,
  knowledgeReadSubject: z.enum(knowledgeReadSubjects).optional().describe('The part of the knowledge that was read.'),
  input: content.optional().describe('The input of the operation.'),
  output: content.optional().describe('The result.'),
  error: z.string().optional().describe('The error.'),
  attemptNumber: z.int().optional().describe('Which attempt it is, counted from 1.'),
  idempotencyKey: z
    .string()
    .optional()
    .describe('The key under which the call was made: each attempt has the same, so that it is done once.'),
  inputTokens: amount.optional().describe('How many tokens the models read.'),
  outputTokens: amount.optional().describe('How many tokens the models wrote.'),
  cacheReadTokens: amount.optional().describe('How many input tokens came from the cache of the provider.'),
  cacheWriteTokens: amount.optional().describe('How many input tokens were written to the cache of the provider.'),
  reasoningTokens: amount.optional().describe('How many tokens the models used for reasoning.'),
  costCents: amount.optional().describe('The cost of the models, in US cents; absent if a price is unknown.'),
  latencyMs: amount.optional().describe('How long it took, in milliseconds.'),
  sequence: z.int().min(1).describe('The place of the operation in its run.'),
  sequenceNumber: z.int().min(1).optional().describe('The place of the operation in its run.'),
  producedMessageIds: z.array(id).describe('The ids of the messages that it wrote.'),
  consumedMessageIds: z.array(id).describe('The ids of the messages that it read.'),
  createdAt: timestamp,
  completedAt: timestamp.optional(),
}

/** A call of a tool: one of the service's own, of a connector, or of a skill. */
const toolCall = z.strictObject({
  ...common,
  type: z.literal('tool_call').describe('The type.'),
  toolSourceKind: z.enum(['connector', 'skill', 'builtin']).describe('Where the tool comes from.'),
  toolSourceId: z.string().describe('The id of the connector or skill that offers the tool.'),
  toolName: z.string().describe('The own name of the tool. `name` is the one that the model was given for it.'),
  toolSourceVersionId: z
    .string()
    .optional()
    .describe(
      "The version of the source at the call: the service's, the agent's, or the one that an MCP server gives.",
    ),
  toolSchemaHash: z
    .string()
    .optional()
    .describe('The hash of the schemas that the tool had at the call: `sha256:` and 64 hex digits.'),
  toolInputSchemaSnapshot: z
    .unknown()
    .optional()
    .describe(
      'The JSON Schema of the arguments, as it was at the call; with the first operation of a page that has the hash.',
    ),
  toolOutputSchemaSnapshot: z
    .unknown()
    .optional()
    .describe(
      'The JSON Schema of the result, as it was at the call, if the tool declares one; given as that of the arguments is.',
    ),
})

const llmCall = z.strictObject({
  ...common,
  type: z.literal('llm_call').describe('The type.'),
  model: id.optional().describe('The model, as `provider/model`, or `noema/extractive`, which needs no provider.'),
})
const systemAction = z.strictObject({ ...common, type: z.literal('system_action').describe('The type.') })

export const operation = z
  .union([toolCall, llmCall, systemAction])
  .describe(
    'One operation of a run: a call of a model, a call of a tool, or an action of the service. It is written when it ' +
      'starts and again when it ends. `input` and `output` are objects; any other value is `{ value }`.',
  )
export type Operation = z.infer<typeof operation>

/** UTC, ending in Z: an offset would leave open which of two times was meant in a listing of UTC times. */
const sinceRule = 'since is a UTC date-time ending in Z, such as 2026-03-01T12:00:00Z.'
// PostgreSQL knows no year 0.
const since = z.iso.datetime({ error: sinceRule }).refine((text) => !text.startsWith('0000'), sinceRule)

export const listActivity = defineEndpoint({
  method: 'GET',
  path: '/v1/activity',
  summary: 'List the operations of the runs of the organization, newest first',
  description:
    'Lists the operations of the runs of an organization, newest first. `since` compares `createdAt`. A page has up to ' +
    '8 MiB of contents (`input` and `output`), those of the newest first; beyond that they are left out.',
  access: 'management',
  query: z.object({
    type: z
      .enum(operationTypes, { error: `type is ${operationTypes.join(', ')}.` })
      .optional()
      .describe('Only operations of this type.'),
    status: z
      .enum(operationStatuses, { error: `status is ${operationStatuses.join(', ')}.` })
      .optional()
      .describe('Only those with this status.'),
    since: since.optional().describe('Only items that were created at or after this time.'),
    limit,
  }),
  status: [200],
  result: z.object({ operations: z.array(operation).describe('The operations, in their order.') }),
})

export const listRunOperations = defineEndpoint({
  method: 'GET',
  path: '/v1/runs/{id}/operations',
  summary: 'List the operations of a run',
  description: 'Lists the operations of a run, the first first.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'operations',
  result: z.object({ operations: z.array(operation).describe('The operations, in their order.'), ...pageResult }),
})
