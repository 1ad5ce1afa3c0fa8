import { z } from 'zod'
import { itemId, listQuery, pageResult, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

export const comingDate = z
  .object({
    record: z.object({ id: itemId, kind: z.string().describe('The kind.') }).describe('The record.'),
    field: z.string().describe('The name of the field.'),
    value: timestamp,
    offset: z.string().describe('ISO 8601 duration, one of notifyBefore'),
    dueAt: timestamp,
  })
  .describe(
    "A future reminder: a date in a record's field, and the time of its `date.reached` event in the stream. " +
      ' `value` is the moment that the field holds (a date is the start of its day in UTC), `offset` ' +
      'the declared duration before it.',
  )
export type ComingDate = z.infer<typeof comingDate>

export const listDates = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/dates',
  summary: 'List upcoming reminders',
  description: 'Lists the future reminders of dates, by `dueAt`. `from` is included, `to` is not.',
  access: { capabilities: ['read'] },
  query: z.object({
    from: timeInput.optional().describe('Only those due at or after this time.'),
    to: timeInput.optional().describe('Only those due before this time.'),
    ...listQuery,
  }),
  errors: ['stale_cursor'],
  status: [200],
  list: 'dates',
  result: z.object({ dates: z.array(comingDate).describe('Dates, in the order in which they come.'), ...pageResult }),
})
