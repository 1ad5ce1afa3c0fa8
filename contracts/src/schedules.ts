import { z } from 'zod'
import { actor, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { runInput } from './runs.ts'

// Schedules start runs of an agent at set times.

const id = z.string().min(1).max(200)

/** Five fields (minute, hour, day of month, month, day of week), such as `0 9 * * 1-5`, or `@hourly`, `@daily` and so on. */
const cron = z.string().trim().min(1).max(200, 'A cron expression has at most 200 characters.')

/** A time zone by its IANA name, such as `Europe/Berlin`. */
const timezone = z.string().trim().min(1).max(100, 'A time zone has at most 100 characters.')

/** The most characters of JSON text that the input of a schedule has. */
export const maxScheduleInput = 32_000

const input = runInput.refine((value) => JSON.stringify(value).length <= maxScheduleInput, {
  error: `The input of a schedule has at most ${maxScheduleInput} characters of JSON.`,
})

/**
 * A schedule. `nextRunAt` is null while it starts nothing. `paused` says why, if that is not that it is not enabled: it goes
 * on by itself once a cap allows, otherwise when it is changed.
 */
export const schedule = z.object({
  id: z.string(),
  agentId: z.string(),
  cron: z.string(),
  timezone: z.string(),
  input: runInput,
  enabled: z.boolean(),
  nextRunAt: timestamp.nullable(),
  lastRunId: z.string().nullable(),
  lastFiredAt: timestamp.nullable(),
  paused: z.object({ reason: z.string() }).optional(),
  createdAt: timestamp,
  updatedAt: timestamp,
  createdBy: actor,
})
export type Schedule = z.infer<typeof schedule>

const path = '/v1/schedules' as const
const result = z.object({ schedule })

/**
 * Makes a schedule. A local time that a clock change skips runs at the next instant, and one that it repeats runs once; one
 * for every hour runs each hour that passes. After a downtime there is one run, however many were missed.
 */
export const createSchedule = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Start runs of an agent at set times',
  access: 'management',
  body: z.object({
    agentId: id,
    cron,
    timezone: timezone.default('UTC'),
    input,
    enabled: z.boolean().default(true),
  }),
  errors: ['not_found', 'too_many_schedules', 'agent_archived', 'project_archived'],
  status: [201],
  result,
})

/** Lists an organization's schedules, all or those of an agent, by id. */
export const listSchedules = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's schedules",
  access: 'management',
  query: z.object({ ...listQuery, agentId: id.optional() }),
  status: [200],
  list: 'schedules',
  result: z.object({ schedules: z.array(schedule), ...pageResult }),
})

/** Changes a schedule; what is left out stays. With other times, or enabled anew, it begins with the next of them. */
export const patchSchedule = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a schedule',
  access: 'management',
  body: z.object({
    agentId: id.optional(),
    cron: cron.optional(),
    timezone: timezone.optional(),
    input: input.optional(),
    enabled: z.boolean().optional(),
  }),
  errors: ['agent_archived', 'project_archived'],
  status: [200],
  result,
})

/** Deletes a schedule. The runs that it started go on. */
export const deleteSchedule = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a schedule',
  access: 'management',
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})
