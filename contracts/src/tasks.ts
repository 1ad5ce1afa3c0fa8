import { z } from 'zod'
import { actor, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/** `open` waits for an answer. It is `expired` past its time, or when its run ended without it. */
export const taskState = z.enum(['open', 'completed', 'expired'])
export type TaskState = z.infer<typeof taskState>

/** Maximum characters of an answer. */
export const maxAnswerLength = 20_000

/** A question of a run to a person. `options` are answers that it proposes; others are taken too. */
export const task = z.object({
  taskId: z.string(),
  runId: z.string(),
  agentId: z.string(),
  state: taskState,
  question: z.string(),
  options: z.array(z.string()).nullable(),
  answer: z.string().optional(),
  answeredBy: actor.optional(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
})
export type Task = z.infer<typeof task>

const path = '/v1/tasks' as const
const id = z.string().min(1).max(100)

/** Lists the tasks of the organization's runs by id. */
export const listTasks = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List what runs ask people',
  access: 'management',
  query: z.object({ state: taskState.optional(), runId: id.optional(), ...listQuery }),
  status: [200],
  list: 'tasks',
  result: z.object({ tasks: z.array(task), ...pageResult }),
})

/** Reads a task. */
export const getTask = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a task',
  access: 'management',
  status: [200],
  result: z.object({ task }),
})

/** Answers a task; its run goes on with the answer. One that is not open is 409. */
export const completeTask = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/complete`,
  summary: 'Answer what a run asks',
  access: 'management',
  body: z.object({ answer: z.string().min(1).max(maxAnswerLength) }),
  errors: ['task_not_open'],
  status: [200],
  result: z.object({ task }),
})
