import { z } from 'zod'
import { actor, json, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { inputMessage, maxInputMessages, message } from './messages.ts'
import { runStates } from './run-states.ts'

/**
 * Where a run stands. `queued`: a node will begin it, or the run before it in its conversation goes on. `waiting`: for a
 * person, or for the run of another agent. The last three are ends; `abandoned` means that it was cancelled.
 */
export const runState = z.enum(runStates)
export type RunState = z.infer<typeof runState>

/** The same, as events and activity tell it. */
export const runStatus = z.enum(['pending', 'running', 'succeeded', 'failed', 'abandoned'])
export type RunStatus = z.infer<typeof runStatus>

/**
 * Why a run failed: its `model` refused or was not there, a `tool` of its agent is gone, a `limit` of steps, cost or depth was
 * reached, its time was over (`timeout`), its output does not fit the agent's outputSchema (`validation`), or it could not be
 * worked on (`internal`).
 */
export const failureCategory = z.enum(['model', 'tool', 'limit', 'timeout', 'validation', 'internal'])
export type FailureCategory = z.infer<typeof failureCategory>

/** How deep runs that agents start may be nested: a run at this depth starts no other. */
export const maxRunDepth = 3

/** Maximum seconds of `Prefer: wait`. */
export const maxWaitSeconds = 60

/** The most characters of JSON text that `metadata` of a run has. */
export const maxMetadataLength = 16_384

/** What a run was asked: text, or messages of which the last is the question. */
export const runInput = z.union([z.string().min(1), z.array(inputMessage).min(1).max(maxInputMessages)], {
  error: `input is text, or a list of 1 to ${maxInputMessages} messages.`,
})
export type RunInput = z.infer<typeof runInput>

/**
 * What a run has used so far, runs that it started included. `costCents` is rounded; it is left out where the price of a
 * model is not known.
 */
export const runUsage = z.object({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costCents: z.int().min(0).optional(),
})

/** A run of an agent. `output` is there where the agent has an outputSchema; otherwise read the run's messages. */
export const run = z.object({
  runId: z.string(),
  agentId: z.string(),
  agentVersion: z.int().min(1),
  projectId: z.string(),
  conversationId: z.string().nullable(),
  state: runState,
  status: runStatus,
  input: json,
  metadata: z.record(z.string(), json).optional(),
  output: json.optional(),
  failureReason: z.string().optional(),
  failureCategory: failureCategory.optional(),
  abandonReason: z.string().optional(),
  usage: runUsage,
  startedBy: actor,
  trigger: z.object({ id: z.string(), cursor: z.string() }).optional(),
  scheduleId: z.string().optional(),
  parentRunId: z.string().optional(),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  completedAt: timestamp.nullable(),
})
export type Run = z.infer<typeof run>

const id = z.string().min(1).max(100)
const path = '/v1/runs' as const

/**
 * Starts a run of an agent. With `Prefer: wait=<seconds>` the response waits for the end, at most 60 seconds: it is 200 with
 * the run that ended, or 202 with the run as it stands. A repeat with the same Idempotency-Key returns the same run as it
 * stands now. In a conversation one run goes on at a time, and the next is queued.
 */
export const startRun = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start a run of an agent',
  access: 'management',
  body: z.object({
    agentId: id,
    input: runInput,
    projectId: id.optional(),
    conversationId: id.optional(),
    metadata: z
      .record(z.string().max(200), json)
      .refine((value) => JSON.stringify(value).length <= maxMetadataLength, {
        error: `metadata has at most ${maxMetadataLength} characters of JSON.`,
      })
      .optional(),
  }),
  idempotencyKey: 'header',
  wait: true,
  errors: ['not_found', 'agent_archived', 'project_archived', 'run_ended', 'run_depth', 'run_cap'],
  status: [202, 200],
  result: z.object({ run }),
})

/** Lists the organization's runs by id, which is the order in which they were started. */
export const listRuns = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List runs, by agent, state, conversation, trigger and schedule',
  access: 'management',
  query: z.object({
    agentId: id.optional(),
    state: runState.optional(),
    conversationId: id.optional(),
    triggerId: id.optional().meta({ description: 'Only runs that this trigger started' }),
    scheduleId: id.optional().meta({ description: 'Only runs that this schedule started' }),
    ...listQuery,
  }),
  status: [200],
  list: 'runs',
  result: z.object({ runs: z.array(run), ...pageResult }),
})

/** Reads a run. */
export const getRun = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a run',
  access: 'management',
  status: [200],
  result: z.object({ run }),
})

/** Cancels a run, with the runs that it waits for: it is abandoned, and what it is doing stops. One that ended is 409. */
export const cancelRun = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel a run',
  access: 'management',
  body: z.object({ reason: z.string().min(1).max(2000).optional() }),
  bodyOptional: true,
  errors: ['run_ended'],
  status: [200],
  result: z.object({ run }),
})

/** Lists the messages of a run, the first first. The last one of a completed run is its answer. */
export const listRunMessages = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/messages`,
  summary: "List a run's messages",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'messages',
  result: z.object({ messages: z.array(message), ...pageResult }),
})
