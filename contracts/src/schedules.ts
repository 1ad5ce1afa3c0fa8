import { z } from 'zod'
import { actor, deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { scheduledDistillation } from './distillations.ts'
import { defineEndpoint } from './endpoint.ts'
import { maxTrials } from './eval-runs.ts'
import { runInput } from './runs.ts'
import { cron, timezone } from './schedule-times.ts'

// Schedules start runs of an agent, runs of an eval, or distillations at set times.

const id = z.string().min(1).max(200)

/** The most characters of JSON text that the input of a schedule has. */
export const maxScheduleInput = 32_000

const input = runInput
  .refine((value) => JSON.stringify(value).length <= maxScheduleInput, {
    error: `The input of a schedule has at most ${maxScheduleInput} characters of JSON.`,
  })
  .register(z.globalRegistry, { description: 'The input of the run: a text, or messages.' })

const trials = z.int().min(1).max(maxTrials).describe('How often each case of an eval of an agent is run.')

/** The target of a schedule: an agent with an input, an eval, or a distillation. */
const target = {
  agentId: id.optional().describe('The id of the agent to run, with `input`.'),
  input: input.optional(),
  evalId: id.optional().describe('The id of the eval to run.'),
  trials: trials.optional(),
  distillation: scheduledDistillation.optional(),
}

export const schedule = z
  .object({
    id: itemId,
    agentId: z.string().optional().describe('The id of the agent that it runs.'),
    input: runInput.optional().describe('The input of the run of the agent: a text, or messages.'),
    evalId: z.string().optional().describe('The id of the eval that it runs.'),
    trials: trials.optional(),
    distillation: scheduledDistillation.optional(),
    actsFor: actor
      .optional()
      .describe('Who changed it last, whose access the eval or the distillation has. A run of an agent has its own.'),
    cron: z.string().describe('When to run, as five fields: minute, hour, day, month, weekday.'),
    timezone: z.string().describe('The time zone, such as Europe/Berlin.'),
    enabled: z.boolean().describe('True if it is active.'),
    nextRunAt: timestamp.nullable().describe('When it runs next; null if it does not.'),
    lastRunId: z
      .string()
      .nullable()
      .describe('The id of what it started last: a run, a run of an eval, or a distillation.'),
    lastFiredAt: timestamp.nullable().describe('When it last started a run; null if never.'),
    paused: z
      .object({ reason: z.string().describe('Why, for people.') })
      .optional()
      .describe('Why it does not run at present.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    createdBy: actor.describe('Who created it.'),
  })
  .describe(
    'A schedule of an agent, an eval or a distillation. `nextRunAt` is null while it starts nothing. `paused` says why, if that is not that it is not ' +
      'enabled: it goes on by itself once a cap allows, otherwise when it is changed.',
  )
export type Schedule = z.infer<typeof schedule>

const path = '/v1/schedules' as const
const result = z.object({ schedule: schedule.describe('The schedule.') }).describe('The schedule.')

export const createSchedule = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start an agent, an eval or a distillation at set times',
  description:
    'Makes a schedule of an agent (`agentId` and `input`), of an eval (`evalId`) or of a distillation. A local time that a clock change skips runs at the next instant, and one that it repeats runs ' +
    'once; one for every hour runs each hour that passes. After a downtime there is one run, however many were ' +
    'missed. Evals and distillations have the access of the person or key that changed the schedule last, and stop with it.',
  access: 'management',
  body: z.object({
    ...target,
    cron,
    timezone: timezone.default('UTC').describe('The time zone, such as Europe/Berlin.'),
    enabled: z.boolean().default(true).describe('True if it is active.'),
  }),
  errors: ['not_found', 'too_many_schedules', 'agent_archived', 'eval_archived', 'project_archived'],
  status: [201],
  result,
})

export const listSchedules = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's schedules",
  description: "Lists an organization's schedules, all or those of an agent or an eval, by id.",
  access: 'management',
  query: z.object({
    ...listQuery,
    agentId: id.optional().describe('Only those of this agent.'),
    evalId: id.optional().describe('Only those of this eval.'),
  }),
  status: [200],
  list: 'schedules',
  result: z.object({ schedules: z.array(schedule).describe('The schedules.'), ...pageResult }),
})

export const getSchedule = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a schedule',
  description: 'Reads a schedule.',
  access: 'management',
  status: [200],
  result,
})

export const patchSchedule = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a schedule',
  description:
    'Changes a schedule; omitted properties stay. With other times, or enabled again, it begins with the next one. ' +
    'Naming an eval or a distillation replaces an agent, and the other way round.',
  access: 'management',
  body: z.object({
    ...target,
    cron: cron.optional(),
    timezone: timezone.optional(),
    enabled: z.boolean().optional().describe('True if it is active.'),
  }),
  errors: ['agent_archived', 'eval_archived', 'project_archived'],
  status: [200],
  result,
})

export const deleteSchedule = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a schedule',
  description: 'Deletes a schedule. What it started goes on.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

/** The endpoints about schedules, by their names in the table of the API. */
export const scheduleEndpoints = {
  create: createSchedule,
  list: listSchedules,
  get: getSchedule,
  patch: patchSchedule,
  delete: deleteSchedule,
} as const
