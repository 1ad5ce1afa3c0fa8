import { z } from 'zod'
import {
  actor,
  itemId,
  json,
  listQuery,
  maxSearched,
  pageResult,
  searchedText,
  timeRange,
  timestamp,
} from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { forModels } from './for-models.ts'
import { inputMessage, maxInputMessages, message } from './messages.ts'
import { runStates } from './run-states.ts'

/**
 * The state of a run. `queued`: a node will start it, or an earlier run of its conversation is active. `waiting`: for a
 * person, or for the run of another agent. The last three are final; `abandoned` means that it was cancelled.
 */
export const runState = z.enum(runStates)
export type RunState = z.infer<typeof runState>

/** The same state in the words of events and activity. */
export const runStatus = z.enum(['pending', 'running', 'succeeded', 'failed', 'abandoned'])
export type RunStatus = z.infer<typeof runStatus>

/**
 * Why a run failed: its `model` refused or was not there, a `tool` of its agent is gone, a `limit` of steps, cost or depth was
 * reached, its time was over (`timeout`), its output does not fit the agent's outputSchema (`validation`), or it could not be
 * worked on (`internal`).
 */
export const failureCategory = z.enum(['model', 'tool', 'limit', 'timeout', 'validation', 'internal'])
export type FailureCategory = z.infer<typeof failureCategory>

/** Maximum nesting of runs that agents start: a run at this depth starts no other. */
export const maxRunDepth = 3

/** Maximum seconds of `Prefer: wait`. */
export const maxWaitSeconds = 60

/** Maximum number of runs that a list is asked for by their ids. */
export const maxRunIds = 100

/** The most characters of JSON text that `metadata` of a run has. */
export const maxMetadataLength = 16_384

export const runInput = z
  .union([z.string().min(1), z.array(inputMessage).min(1).max(maxInputMessages)], {
    error: `input is text, or a list of 1 to ${maxInputMessages} messages.`,
  })
  .describe('The input of a run: text, or messages of which the last is the question.')
export type RunInput = z.infer<typeof runInput>

export const runUsage = z
  .object({
    inputTokens: z.int().min(0).describe('How many tokens the models read.'),
    outputTokens: z.int().min(0).describe('How many tokens the models wrote.'),
    costCents: z.int().min(0).optional().describe('The cost of the models, in US cents; absent if a price is unknown.'),
  })
  .describe(
    'The use of a run so far, including runs that it started. `costCents` is rounded, and left out if the price of a ' +
      'model is unknown.',
  )

export const run = z
  .object({
    runId: z.string().describe('The id of the run.'),
    agentId: z.string().describe('The id of the agent; `flow` if there is none.'),
    agentVersion: z.int().min(1).describe('The version of the agent. A run keeps the one that it started with.'),
    projectId: z.string().describe('The id of the project.'),
    conversationId: z.string().nullable().describe('The id of the conversation; null if there is none.'),
    state: runState.describe('The current state.'),
    status: runStatus.describe('The current state.'),
    input: json,
    metadata: z
      .record(z.string(), json)
      .optional()
      .describe('Your own values. They are kept and returned, and have no further meaning to the service.'),
    output: json.optional(),
    failureReason: z.string().optional().describe('Why the run failed.'),
    failureCategory: failureCategory.optional().describe('The category of the failure.'),
    abandonReason: z.string().optional().describe('Why the run was cancelled.'),
    usage: runUsage.describe('The usage of the run.'),
    startedBy: actor.describe('Who started the run.'),
    trigger: z
      .object({ id: itemId, cursor: z.string().describe('Where to continue. Opaque: send it back as `after`.') })
      .optional()
      .describe('The trigger.'),
    scheduleId: z.string().optional().describe('The id of the schedule that started the run.'),
    parentRunId: z.string().optional().describe('The id of the run that started this one.'),
    flow: z.string().optional().describe('The name of a run without an agent, whose steps are those of your own code.'),
    createdAt: timestamp,
    startedAt: timestamp.nullable().describe('When it started; null until then.'),
    completedAt: timestamp.nullable().describe('When it ended; null until then.'),
  })
  .describe(
    "A run of an agent. `output` is there where the agent has an outputSchema; otherwise read the run's messages.",
  )
export type Run = z.infer<typeof run>

const id = z.string().min(1).max(100)
const path = '/v1/runs' as const

export const startRun = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start a run of an agent',
  description:
    'Starts a run of an agent. With `Prefer: wait=<seconds>` the response waits for the end, at most 60 seconds: it ' +
    'is 200 with the ended run, or 202 with its present state. A repeat with the same Idempotency-Key returns the ' +
    'present state of the same run. A conversation has one open run at a time; the next is queued.',
  access: 'management',
  body: z.object({
    agentId: id.describe('The id of the agent.'),
    input: runInput.describe('The input of the run: a text, or messages.'),
    projectId: id.optional().describe('The id of the project; without it, the project of the agent.'),
    conversationId: id.optional().describe('The id of the conversation that the run belongs to.'),
    metadata: z
      .record(z.string().max(200), json)
      .refine((value) => JSON.stringify(value).length <= maxMetadataLength, {
        error: `metadata has at most ${maxMetadataLength} characters of JSON.`,
      })
      .optional()
      .describe('Your own values. They are kept and returned, and have no further meaning to the service.'),
  }),
  idempotencyKey: 'header',
  wait: true,
  errors: ['not_found', 'agent_archived', 'project_archived', 'run_ended', 'run_depth', 'run_cap'],
  status: [202, 200],
  result: z.object({ run: run.describe('The run.') }).describe('The run.'),
})

export const listRuns = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List runs, by what was asked, time, agent, state, conversation, project, trigger and schedule',
  description:
    "Lists the organization's runs by id, which is the order in which they were started. `text` searches what was " +
    `asked: one page looks at ${maxSearched.toLocaleString('en')} runs at most, so it may have fewer than \`limit\` ` +
    'runs, or none, while `hasMore` is true. The same holds for `projectId`.',
  access: 'management',
  query: z.object({
    agentId: id.optional().describe('Only those of this agent.'),
    state: runState.optional().describe('Only those in this state.'),
    conversationId: id.optional().describe('Only runs of this conversation.'),
    projectId: id.optional().describe('Only runs of this project.'),
    text: searchedText.describe('Only runs that were asked something with all of these words.'),
    ...timeRange,
    ids: z
      .string()
      .transform((text): string[] => text.split(',').map((part) => part.trim()))
      .pipe(z.array(id).max(maxRunIds, `ids names at most ${maxRunIds} runs.`))
      .optional()
      .describe('Only these runs: ids, separated by commas'),
    triggerId: id.optional().meta(forModels('Only runs that this trigger started')),
    scheduleId: id.optional().meta(forModels('Only runs that this schedule started')),
    ...listQuery,
  }),
  status: [200],
  list: 'runs',
  result: z.object({ runs: z.array(run).describe('The runs.'), ...pageResult }),
})

export const getRun = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a run',
  description: 'Reads a run.',
  access: 'management',
  status: [200],
  result: z.object({ run: run.describe('The run.') }),
})

export const cancelRun = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel a run',
  description:
    'Cancels a run, with the runs that it waits for: it is abandoned, and what it is doing stops. One that ended is ' +
    '409.',
  access: 'management',
  body: z.object({ reason: z.string().min(1).max(2000).optional().describe('Why, for people.') }),
  bodyOptional: true,
  errors: ['run_ended'],
  status: [200],
  result: z.object({ run: run.describe('The run.') }),
})

export const listRunMessages = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/messages`,
  summary: "List a run's messages",
  description: 'Lists the messages of a run, the first first. The last one of a completed run is its answer.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'messages',
  result: z.object({ messages: z.array(message).describe('The messages.'), ...pageResult }),
})
