import { z } from 'zod'
import { actor, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { grade } from './graders.ts'

// Runs of evals: each case is answered and graded, and the whole is compared with an earlier run.

/** The most times that each case of an agent is run. */
export const maxTrials = 5

/** `failed`: it could not go on; what was graded stays. */
export const evalRunState = z.enum(['queued', 'running', 'completed', 'failed', 'canceled'])
export type EvalRunState = z.infer<typeof evalRunState>

const ofGrader = z
  .object({
    grader: z.string().describe('The name of the grader.'),
    graded: z.int().describe('How many answers it graded.'),
    passed: z.int().describe('How many passed.'),
    score: z.number().describe('The mean of its scores.'),
  })
  .describe('The results of a grader.')

export const evalSummary = z
  .object({
    cases: z.int().describe('How many cases there are.'),
    passed: z.int().describe('How many passed, in every trial.'),
    score: z.number().describe('The mean of the scores of the cases, from 0 to 1.'),
    byGrader: z.array(ofGrader).describe('The results of each grader.'),
    costCents: z.number().describe('What the runs and judges cost, in US cents.'),
    p50Ms: z.int().nullable().describe('The median time of an answer, in ms.'),
  })
  .describe('The result of a whole run.')
export type EvalSummary = z.infer<typeof evalSummary>

/** So many ids of flipped cases are in an answer; the list of cases has all. */
export const maxFlipped = 100

export const evalRun = z
  .object({
    id: itemId,
    evalId: z.string().describe('The id of the eval.'),
    evalVersion: z.int().describe('The version of the eval.'),
    state: evalRunState.describe('The state.'),
    cases: z.int().describe('How many cases there are.'),
    trials: z.int().describe('How often each case is run.'),
    done: z.int().describe('How many answers are graded, of cases × trials.'),
    passed: z.int().describe('How many of them passed.'),
    agentVersion: z.int().optional().describe('The version of the agent.'),
    pinned: z
      .array(
        z.object({
          brain: z.string().nullable().describe('The handle of the Brain; null where there is none that you can read.'),
          stateVersion: z.int().describe('The state that is read.'),
        }),
      )
      .describe('The states at which Brains are read; later writes do not count.'),
    change: z.string().optional().describe('The pending change with which it reads.'),
    waiting: z.string().optional().describe('Why it does not go on at present, for people.'),
    failureReason: z.string().optional().describe('Why it failed, for people.'),
    summary: evalSummary.optional(),
    baseline: z
      .object({
        id: itemId,
        delta: z.number().nullable().describe('The score minus that of the baseline; null until both are there.'),
        flipped: z.array(z.string()).describe(`Cases that pass in only one of the two, at most ${maxFlipped}.`),
        flippedCases: z.int().describe('How many they are.'),
      })
      .optional()
      .describe('The run that this one is compared with.'),
    startedBy: actor.describe('Who started it.'),
    createdAt: timestamp,
    completedAt: timestamp.nullable().describe('When it ended; null before.'),
  })
  .describe('A run of an eval.')
export type EvalRun = z.infer<typeof evalRun>

export const evalResult = z
  .object({
    caseId: z.string().describe('The id of the case.'),
    trial: z.int().describe('The number of the trial, from 1.'),
    state: z.enum(['running', 'judging', 'done']).describe('Whether it is answered and graded.'),
    input: z.string().optional().describe('The input of the case.'),
    passed: z.boolean().nullable().describe('True if it passed; null until it is graded.'),
    score: z.number().nullable().describe('From 0 to 1; null until it is graded.'),
    output: z.string().optional().describe('The answer, of a long one the beginning.'),
    error: z.string().optional().describe('Why there is no answer.'),
    grades: z.array(grade).describe('What each grader decided.'),
    runId: z.string().optional().describe('The run of the agent.'),
    receipts: z.array(z.string()).optional().describe('The receipts of the read.'),
    costCents: z.number().describe('What it cost, in US cents.'),
    milliseconds: z.int().nullable().describe('How long the answer took.'),
    baseline: z.enum(['passed', 'failed']).optional().describe('What the case did in the baseline.'),
    flipped: z.boolean().describe('True if the case passes in only one of the two.'),
  })
  .describe('The result of a case in one trial.')
export type EvalResult = z.infer<typeof evalResult>

const result = z.object({ run: evalRun.describe('The run.') }).describe('The run.')

export const startEvalRun = defineEndpoint({
  method: 'POST',
  path: '/v1/evals/{id}/runs',
  summary: 'Run an eval',
  description:
    'Starts a run in the background, which reads only what you may read. Each case of an agent is a run of it, and ' +
    'counts as one; every started hundred of reads counts as one run of the day.',
  access: 'management',
  body: z.object({
    asOf: z.int().min(0).optional().describe('The stateVersion at which a Brain is read; its newest without it.'),
    change: z.string().min(1).max(100).optional().describe('A pending change, with which the Brain or corpus is read.'),
    agentVersion: z.int().min(1).optional().describe('The version of the agent; its newest without it.'),
    trials: z.int().min(1).max(maxTrials).default(1).describe('How often each case of an agent is run.'),
    baseline: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The run to compare with; without it, the last completed one.'),
  }),
  errors: ['eval_archived', 'agent_archived', 'too_many_eval_runs', 'run_cap', 'already_decided', 'stale_version'],
  status: [201],
  result,
})

export const listEvalRuns = defineEndpoint({
  method: 'GET',
  path: '/v1/evals/{id}/runs',
  summary: 'List the runs of an eval',
  description: 'Lists the runs of an eval by id, which is the order of their start.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'runs',
  result: z.object({ runs: z.array(evalRun).describe('The runs of this page.'), ...pageResult }),
})

export const getEvalRun = defineEndpoint({
  method: 'GET',
  path: '/v1/eval-runs/{id}',
  summary: 'Read a run of an eval',
  description: 'Reads how far a run of an eval is, and its result.',
  access: 'management',
  status: [200],
  result,
})

export const listEvalResults = defineEndpoint({
  method: 'GET',
  path: '/v1/eval-runs/{id}/cases',
  summary: 'List the results of the cases',
  description: 'Lists the results by case and trial: all, those that failed, or those of flipped cases.',
  access: 'management',
  query: z.object({
    ...listQuery,
    filter: z.enum(['failed', 'flipped']).optional().describe('Only these.'),
  }),
  status: [200],
  list: 'cases',
  result: z.object({ cases: z.array(evalResult).describe('The results of this page.'), ...pageResult }),
})

export const cancelEvalRun = defineEndpoint({
  method: 'POST',
  path: '/v1/eval-runs/{id}/cancel',
  summary: 'Cancel a run of an eval',
  description:
    'Cancels a run, and the runs of agents that it waits for. What was graded stays. One that has ended stays as it is.',
  access: 'management',
  status: [200],
  result,
})

/** The endpoints about runs of evals, by their names in the table of the API. */
export const evalRunEndpoints = {
  run: startEvalRun,
  runs: listEvalRuns,
} as const

/** The endpoints about single runs of evals, by their names in the table of the API. */
export const singleEvalRunEndpoints = {
  get: getEvalRun,
  cases: listEvalResults,
  cancel: cancelEvalRun,
} as const
