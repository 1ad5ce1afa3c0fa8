import { z } from 'zod'
import { defineEndpoint } from './endpoint.ts'

/** Maximum number of days in one answer. */
export const maxActivityDays = 92

const dayRule = 'A day is written YYYY-MM-DD, such as 2026-03-01.'
const day = z.iso.date({ error: dayRule }).refine((text) => !text.startsWith('0000'), dayRule)
const amount = z.int().min(0)

export const activityDay = z
  .object({
    day: z.string().describe('The day, as YYYY-MM-DD.'),
    runs: z
      .object({
        completed: amount.describe('How many were completed.'),
        failed: amount.describe('How many failed.'),
        abandoned: amount.describe('How many were cancelled.'),
      })
      .describe('The runs.'),
    operations: amount.describe('How many operations there were.'),
    inputTokens: amount.describe('How many tokens the models read.'),
    outputTokens: amount.describe('How many tokens the models wrote.'),
    costCents: amount.describe('The cost of the models, in US cents; absent if a price is unknown.'),
    writes: amount.describe('How many writes there were.'),
  })
  .describe(
    'The activity of a day. Runs, and with them their operations, tokens and cost, count on the day on which they ' +
      'ended; writes on the day on which they were sent, once they are applied, and at most 5,000 of a day. ' +
      '`costCents` leaves out what has no known price.',
  )
export type ActivityDay = z.infer<typeof activityDay>

export const readActivityDays = defineEndpoint({
  method: 'GET',
  path: '/v1/activity/days',
  summary: 'Count runs, operations, tokens, cost and writes by day',
  description:
    'Reads the activity of each day, for charts: both days are included. Without `to` it is today, without `from` ' +
    'the 30 days up to then. Days are those of `timezone`. Runs of the last minutes count; days are kept for 400 days.',
  access: 'management',
  query: z.object({
    from: day.optional().describe('The first day, as YYYY-MM-DD.'),
    to: day.optional().describe('The last day, as YYYY-MM-DD.'),
    timezone: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .default('UTC')
      .describe('A time zone by its IANA name, such as Europe/Berlin'),
  }),
  status: [200],
  result: z.object({
    timezone: z.string().describe('The time zone, such as Europe/Berlin.'),
    days: z.array(activityDay).describe('One entry for each day.'),
  }),
})
