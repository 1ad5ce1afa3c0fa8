import { z } from 'zod'
import { handle } from './brains.ts'
import { json, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { maxMetadataLength, run } from './runs.ts'

// Durable steps of the caller's own code: a run without an agent, in which each step is stored once under a key. Code that is started
// again finds the steps that it has done.

/** The `agentId` of runs without an agent. */
export const flowAgentId = 'flow'

/** The most steps of a flow, the characters of JSON of one input or output, and of all of them together. */
export const maxFlowSteps = 1_000
export const maxStepLength = 256 * 1024
export const maxFlowLength = 4 * 1024 * 1024

/** The seconds after which a flow ends that no one continues: a week by default, 90 days at most. */
const defaultExpiry = 7 * 86_400
const maxExpiry = 90 * 86_400

const yearSeconds = 31_536_000

export const stepKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, 'The key of a step has 1 to 128 of A-Z, a-z, 0-9, ., _, : and -.')

const fits = (value: unknown): boolean => JSON.stringify(value).length <= maxStepLength
const stepJson = json.refine(fits, `A step stores at most ${maxStepLength} characters of JSON in one value.`)

export const step = z
  .object({
    key: z.string().describe('The key.'),
    operationId: z.string().describe('The id of its operation in the run.'),
    state: z
      .enum(['running', 'succeeded', 'failed', 'abandoned'])
      .describe('`running`: it sleeps, or waits for a person.'),
    input: json.optional().describe('What it was given.'),
    output: json.optional().describe('The result; of a question, `{ answer }`, or `{ expired: true }`.'),
    error: z.string().optional().describe('Why it failed for good.'),
    taskId: z.string().optional().describe('The task of a question.'),
    createdAt: timestamp,
    completedAt: timestamp.nullable().describe('When it ended; null before.'),
  })
  .describe('A step of a run without an agent.')
export type Step = z.infer<typeof step>

const runResult = z.object({ run: run.describe('The run.') }).describe('The run.')

export const startFlow = defineEndpoint({
  method: 'POST',
  path: '/v1/flows',
  summary: 'Start a run of your own code',
  description:
    'Starts a run without an agent, whose steps you store. A repeat with the same name and Idempotency-Key returns the ' +
    'same run, so code that is started again goes on where it stopped. It counts as a run of the day.',
  access: 'management',
  body: z.object({
    name: z.string().trim().min(1).max(200).describe('The name, for people.'),
    input: json.refine(fits, `The input has at most ${maxStepLength} characters of JSON.`).optional(),
    brains: z
      .array(handle)
      .max(50)
      .default([])
      .describe('Brains whose content its steps may have: it is as hidden as they are, and erased with them.'),
    metadata: z
      .record(z.string().max(200), json)
      .refine((value) => JSON.stringify(value).length <= maxMetadataLength, {
        error: `metadata has at most ${maxMetadataLength} characters of JSON.`,
      })
      .optional()
      .describe('Your own values.'),
    expiresInSeconds: z
      .int()
      .min(60)
      .max(maxExpiry)
      .default(defaultExpiry)
      .describe('After so long without a step it is abandoned. Sleeping and waiting for people do not count.'),
  }),
  idempotencyKey: 'header',
  errors: ['not_found', 'run_cap'],
  status: [201],
  result: runResult,
})

export const getStep = defineEndpoint({
  method: 'GET',
  path: '/v1/runs/{id}/steps/{key}',
  summary: 'Read a step of a run of your own code',
  description: 'Reads a step by its key. One that was not stored yet is 404.',
  access: 'management',
  errors: ['not_a_flow'],
  status: [200],
  result: z.object({ step: step.describe('The step.') }),
})

export const putStep = defineEndpoint({
  method: 'PUT',
  path: '/v1/runs/{id}/steps/{key}',
  summary: 'Store a step of a run of your own code',
  description:
    'Stores the result of a step, asks a person, or sleeps: exactly one of `output`, `error`, `ask` and `sleepUntil`. ' +
    'The first write of a key wins: each later one returns that step and stores nothing.',
  access: 'management',
  body: z
    .object({
      input: stepJson.optional().describe('What the step was given, for people.'),
      output: stepJson.optional().describe('The result of a step that is done.'),
      error: z.string().min(1).max(20_000).optional().describe('Why it failed for good.'),
      startedAt: timeInput.optional().describe('When it began, by your clock.'),
      ask: z
        .strictObject({
          question: z.string().trim().min(1).max(20_000).describe('The question, as the person reads it.'),
          options: z.array(z.string().min(1).max(1_000)).min(1).max(50).optional().describe('Answers to choose from.'),
          expiresInSeconds: z.int().min(1).max(yearSeconds).optional().describe('Give up waiting after so long.'),
        })
        .optional()
        .describe('Makes a task for a person; the step ends with the answer.'),
      sleepUntil: timeInput.optional().describe('The step ends at this time, at most a year from now.'),
    })
    .refine(
      ({ output, error, ask, sleepUntil }) =>
        [output, error, ask, sleepUntil].filter((value) => value !== undefined).length === 1,
      'Give exactly one of output, error, ask and sleepUntil.',
    ),
  errors: ['not_a_flow', 'run_ended', 'too_many_steps'],
  status: [200],
  result: z.object({
    step: step.describe('The step.'),
    stored: z.boolean().describe('True if this call stored it; false if an earlier one did.'),
  }),
})

export const finishFlow = defineEndpoint({
  method: 'POST',
  path: '/v1/runs/{id}/finish',
  summary: 'Finish a run of your own code',
  description: 'Completes the run with its output, or fails it with `error`. A repeat returns the ended run.',
  access: 'management',
  body: z
    .object({
      output: stepJson.optional().describe('The result.'),
      error: z.string().min(1).max(20_000).optional().describe('Why it failed.'),
    })
    .refine(({ output, error }) => output === undefined || error === undefined, 'Give output or error, not both.'),
  bodyOptional: true,
  errors: ['not_a_flow', 'run_ended'],
  status: [200],
  result: runResult,
})

/** The endpoints about runs of the caller's own code, by their names in the table of the API. */
export const flowEndpoints = { start: startFlow, step: getStep, putStep, finish: finishFlow } as const
