import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

/** The most days that one answer has. */
export const maxActivityDays = 92

const dayRule = 'A day is written YYYY-MM-DD, such as 2026-03-01.'
const day = z.iso.date({ error: dayRule }).refine((text) => !text.startsWith('0000'), dayRule)
const amount = z.int().min(0)

/**
 * What happened on a day. Runs, and with them their operations, tokens and cost, count on the day on which they ended; writes
 * on the day on which they were sent, once they are applied, and at most 5,000 of a day. `costCents` leaves out what has no
 * known price.
 */
export const activityDay = z.object({
  day: z.string(),
  runs: z.object({ completed: amount, failed: amount, abandoned: amount }),
  operations: amount,
  inputTokens: amount,
  outputTokens: amount,
  costCents: amount,
  writes: amount,
})
export type ActivityDay = z.infer<typeof activityDay>

/**
 * Reads what happened on each day, for charts: both days are included. Without `to` it is today, without `from` the 30 days up
 * to then. Days are those of `timezone`. What ended in the last minutes is counted; what is older than 400 days is not kept.
 */
export const readActivityDays = defineEndpoint({
  method: 'GET',
  path: '/v1/activity/days',
  summary: 'Count runs, operations, tokens, cost and writes by day',
  access: 'management',
  query: z.object({
    from: day.optional(),
    to: day.optional(),
    timezone: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .default('UTC')
      .meta({ description: 'A time zone by its IANA name, such as Europe/Berlin' }),
  }),
  status: [200],
  result: z.object({ timezone: z.string(), days: z.array(activityDay) }),
})
