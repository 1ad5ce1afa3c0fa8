import { z } from 'zod'
import { actor, listQuery, maxSearched, pageResult, searchedText, timeRange, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** `open` waits for an answer. It is `expired` past its time, or when its run ended without it. */
export const taskState = z.enum(['open', 'completed', 'expired'])
export type TaskState = z.infer<typeof taskState>

/** Maximum characters of an answer. */
export const maxAnswerLength = 20_000

export const task = z
  .object({
    taskId: z.string().describe('The id of the task.'),
    runId: z.string().nullable().describe('The id of the run; null for an eval.'),
    agentId: z.string().nullable().describe('The id of the agent; null for an eval.'),
    goalId: z.string().optional().describe('The goal that is blocked, if it is one that asks.'),
    evalId: z.string().optional().describe('The eval with a case to grade.'),
    evalRunId: z.string().optional().describe('The run of the eval.'),
    state: taskState.describe('The current state.'),
    question: z.string().describe('The question.'),
    options: z.array(z.string()).nullable().describe('The answers to choose from; null if any text will do.'),
    answer: z.string().optional().describe('The answer, once there is one.'),
    answeredBy: actor.optional().describe('Who answered.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable().describe('When it expires; null if never.'),
  })
  .describe('A question to a person. `options` are answers that it proposes; others are taken too, but for evals.')
export type Task = z.infer<typeof task>

const path = '/v1/tasks' as const
const id = z.string().min(1).max(100)

export const listTasks = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List the questions of runs to people',
  description:
    "Lists the tasks of the organization's runs by id, which is the order of their creation. `text` searches " +
    `the questions: one page reads at most ${maxSearched.toLocaleString('en')} tasks, so it may have fewer than ` +
    '`limit` tasks, or none, while `hasMore` is true.',
  access: 'management',
  query: z.object({
    state: taskState.optional().describe('Only those in this state.'),
    runId: id.optional().describe('Only those of this run.'),
    text: searchedText.describe('Only tasks whose question has all of these words.'),
    ...timeRange,
    ...listQuery,
  }),
  status: [200],
  list: 'tasks',
  result: z.object({ tasks: z.array(task).describe('The tasks of this page.'), ...pageResult }),
})

export const getTask = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a task',
  description: 'Reads a task.',
  access: 'management',
  status: [200],
  result: z.object({ task: task.describe('The task.') }),
})

export const completeTask = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/complete`,
  summary: 'Answer what a run asks',
  description:
    'Answers a task; its run goes on with the answer. One that is not open is 409. A case of an eval is graded by ' +
    '`pass` or `fail`, and a reason.',
  access: 'management',
  body: z.object({ answer: z.string().min(1).max(maxAnswerLength).describe('The answer. The run goes on with it.') }),
  errors: ['task_not_open'],
  status: [200],
  result: z.object({ task: task.describe('The task.') }),
})
