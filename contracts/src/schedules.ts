import { z } from 'zod'
import { actor, deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { runInput } from './runs.ts'

// Schedules start runs of an agent at set times.

const id = z.string().min(1).max(200)

/** Five fields (minute, hour, day of month, month, day of week), such as `0 9 * * 1-5`, or `@hourly`, `@daily` and so on. */
const cron = z
  .string()
  .trim()
  .min(1)
  .max(200, 'A cron expression has at most 200 characters.')
  .describe('When to run, as five fields: minute, hour, day, month, weekday.')

/** A time zone by its IANA name, such as `Europe/Berlin`. */
const timezone = z.string().trim().min(1).max(100, 'A time zone has at most 100 characters.')

/** The most characters of JSON text that the input of a schedule has. */
export const maxScheduleInput = 32_000

const input = runInput
  .refine((value) => JSON.stringify(value).length <= maxScheduleInput, {
    error: `The input of a schedule has at most ${maxScheduleInput} characters of JSON.`,
  })
  .register(z.globalRegistry, { description: 'The input of the run: a text, or messages.' })

export const schedule = z
  .object({
    id: itemId,
    agentId: z.string().describe('The id of the agent.'),
    cron: z.string().describe('When to run, as five fields: minute, hour, day, month, weekday.'),
    timezone: z.string().describe('The time zone, such as Europe/Berlin.'),
    input: runInput.describe('The input of the run: a text, or messages.'),
    enabled: z.boolean().describe('True if it is active.'),
    nextRunAt: timestamp.nullable().describe('When it runs next; null if it does not.'),
    lastRunId: z.string().nullable().describe('The id of the run that it started last.'),
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
    'A schedule. `nextRunAt` is null while it starts nothing. `paused` says why, if that is not that it is not ' +
      'enabled: it goes on by itself once a cap allows, otherwise when it is changed.',
  )
export type Schedule = z.infer<typeof schedule>

const path = '/v1/schedules' as const
const result = z.object({ schedule: schedule.describe('The schedule.') }).describe('The schedule.')

export const createSchedule = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start runs of an agent at set times',
  description:
    'Makes a schedule. A local time that a clock change skips runs at the next instant, and one that it repeats runs ' +
    'once; one for every hour runs each hour that passes. After a downtime there is one run, however many were ' +
    'missed.',
  access: 'management',
  body: z.object({
    agentId: id.describe('The id of the agent.'),
    cron,
    timezone: timezone.default('UTC').describe('The time zone, such as Europe/Berlin.'),
    input,
    enabled: z.boolean().default(true).describe('True if it is active.'),
  }),
  errors: ['not_found', 'too_many_schedules', 'agent_archived', 'project_archived'],
  status: [201],
  result,
})

export const listSchedules = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's schedules",
  description: "Lists an organization's schedules, all or those of an agent, by id.",
  access: 'management',
  query: z.object({ ...listQuery, agentId: id.optional().describe('Only those of this agent.') }),
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
    'Changes a schedule; omitted properties stay. With other times, or enabled again, it begins with the next one.',
  access: 'management',
  body: z.object({
    agentId: id.optional().describe('The id of the agent.'),
    cron: cron.optional(),
    timezone: timezone.optional().describe('The time zone, such as Europe/Berlin.'),
    input: input.optional(),
    enabled: z.boolean().optional().describe('True if it is active.'),
  }),
  errors: ['agent_archived', 'project_archived'],
  status: [200],
  result,
})

export const deleteSchedule = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a schedule',
  description: 'Deletes a schedule. The runs that it started go on.',
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
