import { z } from 'zod'
import { actor, itemId, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { grade, grader, maxGraders } from './graders.ts'

// Goals: an agent tries to reach an objective in attempts, which are runs of one conversation. Graders decide after each whether it is
// met, and the next attempt learns what failed.

/** The most attempts of a goal. */
export const maxAttempts = 100

/** The most characters of an objective, and of what a person says to a goal that goes on. */
export const maxObjective = 20_000

/** After so many attempts in a row that are no better than those before, a person is asked. */
export const maxStaleAttempts = 3

/**
 * `active`: an attempt runs or is about to. `waiting`: it waits for a person. `blocked`: the last three attempts made no progress, and
 * a task asks a person. `exhausted`: the budget is used up.
 */
export const goalState = z.enum(['active', 'waiting', 'paused', 'met', 'blocked', 'exhausted', 'abandoned'])
export type GoalState = z.infer<typeof goalState>

const id = z.string().min(1).max(200)

export const goalBudget = z
  .object({
    runs: z.int().describe('The most attempts.'),
    costCents: z.number().optional().describe('No attempt begins once all of them cost so much, in US cents.'),
    until: timestamp.optional().describe('No attempt begins after this time.'),
  })
  .describe('When a goal gives up.')
export type GoalBudget = z.infer<typeof goalBudget>

export const goal = z
  .object({
    id: itemId,
    agentId: z.string().describe('The id of the agent.'),
    objective: z.string().describe('What the agent is asked to reach.'),
    criteria: z.array(grader).describe('The goal is met by an attempt that passes all of them.'),
    budget: goalBudget,
    state: goalState.describe('The current state.'),
    reason: z.string().optional().describe('Why it does not go on, for people.'),
    conversationId: z.string().describe('The conversation of its attempts.'),
    attempts: z.int().describe('How many attempts were begun.'),
    bestScore: z.number().describe('The best score of an attempt, from 0 to 1.'),
    costCents: z
      .number()
      .describe('What graded attempts and their judges cost, in US cents, as far as prices are known.'),
    runId: z.string().optional().describe('The run of the last attempt.'),
    taskId: z.string().optional().describe('The task that asks a person how to go on.'),
    createdBy: actor.describe('Who created it.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    completedAt: timestamp.nullable().describe('When it ended; null before.'),
  })
  .describe('A goal of an agent.')
export type Goal = z.infer<typeof goal>

export const goalAttempt = z
  .object({
    number: z.int().describe('The number of the attempt, from 1.'),
    runId: z.string().describe('The id of the run.'),
    state: z.enum(['running', 'judging', 'done']).describe('Whether it has ended and is graded.'),
    passed: z.boolean().nullable().describe('True if it met the goal; null until it is graded.'),
    score: z.number().nullable().describe('From 0 to 1; null until it is graded.'),
    grades: z.array(grade).describe('What each grader decided.'),
    error: z.string().optional().describe('Why there was no answer.'),
    costCents: z.number().describe('What it cost, in US cents.'),
    milliseconds: z.int().nullable().describe('How long the run took.'),
    createdAt: timestamp,
    completedAt: timestamp.nullable().describe('When it was graded; null before.'),
  })
  .describe('An attempt to reach a goal.')
export type GoalAttempt = z.infer<typeof goalAttempt>

const runs = z.int().min(1).max(maxAttempts, `A goal has at most ${maxAttempts} attempts.`)
const costCents = z.number().positive().max(1_000_000_000)

const path = '/v1/goals' as const
const result = z.object({ goal: goal.describe('The goal.') }).describe('The goal.')

export const createGoal = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Give an agent a goal',
  description:
    'Makes a goal, whose first attempt begins at once. Each attempt is a run of the agent, and counts as one. ' +
    'A grader takes its value from itself: one without a value, and `evidence`, is 400.',
  access: 'management',
  body: z.object({
    agentId: id.describe('The id of the agent.'),
    objective: z.string().trim().min(1).max(maxObjective).describe('What the agent is asked to reach.'),
    criteria: z
      .array(grader)
      .min(1, 'A goal has at least one criterion.')
      .max(maxGraders, `A goal has at most ${maxGraders} criteria.`)
      .describe('The graders that decide whether an attempt meets the goal. The agent does not know them in advance.'),
    budget: z
      .strictObject({
        runs: runs.default(10).describe('The most attempts.'),
        costCents: costCents.optional().describe('No attempt begins once all of them cost so much, in US cents.'),
        until: timeInput.optional().describe('No attempt begins after this time.'),
      })
      .default({ runs: 10 })
      .describe('When to give up.'),
  }),
  errors: ['not_found', 'too_many_goals', 'too_many_conversations', 'agent_archived'],
  status: [201],
  result,
})

export const listGoals = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's goals",
  description: "Lists an organization's goals by id, all or those of a state or an agent.",
  access: 'management',
  query: z.object({
    ...listQuery,
    state: goalState.optional().describe('Only those in this state.'),
    agentId: id.optional().describe('Only those of this agent.'),
  }),
  status: [200],
  list: 'goals',
  result: z.object({ goals: z.array(goal).describe('The goals of this page.'), ...pageResult }),
})

export const getGoal = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a goal',
  description: 'Reads a goal.',
  access: 'management',
  status: [200],
  result,
})

export const patchGoal = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change the budget of a goal',
  description:
    'Changes what is given; null removes a limit. An exhausted goal goes on if its budget now allows another attempt. ' +
    'One that was met or abandoned is 409, and so is one more goal than an organization may have.',
  access: 'management',
  body: z.object({
    budget: z
      .strictObject({
        runs: runs.optional().describe('The most attempts.'),
        costCents: costCents.nullable().optional().describe('In US cents.'),
        until: timeInput.nullable().optional().describe('No attempt begins after this time.'),
      })
      .describe('What changes.'),
  }),
  errors: ['goal_ended', 'too_many_goals'],
  status: [200],
  result,
})

export const pauseGoal = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/pause`,
  summary: 'Pause a goal',
  description: 'Begins no further attempt. A run that goes on ends by itself, and is graded when the goal is resumed.',
  access: 'management',
  errors: ['goal_ended'],
  status: [200],
  result,
})

export const resumeGoal = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/resume`,
  summary: 'Resume a goal that is paused or blocked',
  description: 'Goes on with the next attempt. One that is exhausted needs a larger budget: 409.',
  access: 'management',
  body: z.object({
    advice: z.string().trim().min(1).max(maxObjective).optional().describe('Advice to the next attempt.'),
  }),
  bodyOptional: true,
  errors: ['goal_ended'],
  status: [200],
  result,
})

export const abandonGoal = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/abandon`,
  summary: 'Abandon a goal',
  description: 'Ends a goal for good, and cancels its run. One that has ended stays as it is.',
  access: 'management',
  status: [200],
  result,
})

export const listGoalAttempts = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/attempts`,
  summary: 'List the attempts of a goal',
  description: 'Lists the attempts of a goal by their numbers.',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'attempts',
  result: z.object({ attempts: z.array(goalAttempt).describe('The attempts of this page.'), ...pageResult }),
})

/** The endpoints about goals, by their names in the table of the API. */
export const goalEndpoints = {
  create: createGoal,
  list: listGoals,
  get: getGoal,
  patch: patchGoal,
  pause: pauseGoal,
  resume: resumeGoal,
  abandon: abandonGoal,
  attempts: listGoalAttempts,
} as const
