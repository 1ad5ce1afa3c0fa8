import { z } from 'zod'
import { listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

/**
 * A reminder that is still to come: a date in a record's field, and when the stream will tell of it by `date.reached`. `value`
 * is the moment that the field holds (a date is the start of its day in UTC), `offset` the declared duration before it.
 */
export const comingDate = z.object({
  record: z.object({ id: z.string(), kind: z.string() }),
  field: z.string(),
  value: timestamp,
  offset: z.string().meta({ description: 'ISO 8601 duration, one of notifyBefore' }),
  dueAt: timestamp,
})
export type ComingDate = z.infer<typeof comingDate>

/** Lists the reminders of dates that are still to come, by `dueAt`. `from` is included, `to` is not. */
export const listDates = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/dates',
  summary: 'List the dates that the stream will tell of',
  access: { capabilities: ['read'] },
  query: z.object({ from: timeInput.optional(), to: timeInput.optional(), ...listQuery }),
  errors: ['stale_cursor'],
  status: [200],
  list: 'dates',
  result: z.object({ dates: z.array(comingDate), ...pageResult }),
})
