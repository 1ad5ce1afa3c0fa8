import { expect, test } from 'vitest'
import { findNext } from '../../server/src/features/agents/schedules/cron.ts'
import { readCron } from '../src/views/automations/cron.ts'
import { listNext } from '../src/views/automations/cron-times.ts'

// The console's preview of a schedule must match the service.

const expressions = [
  ...['0 9 * * 1-5', '*/15 * * * *', '30 2 * * *', '30 1,2,3 * * *', '15 * * * *', '0 0 1 * *', '0 0 13 * 5'],
  ...['@hourly', '@daily', '@weekly', '59 23 28-31 2 *', '0 */3 * * sat,sun', '*/7 22-23 * * *', '0 12 * jan,jul 1'],
  ...['5-59/20 * * * *', '0 0 * * 7', '10 0,12 1-7 * *'],
]

// In the weeks around clock changes, and across the end of a year.
const times = ['2026-03-28T22:17:31Z', '2026-10-24T20:59:59Z', '2026-12-31T23:30:00Z', '2027-03-13T10:00:00Z']
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']

test.each(expressions)('the next times of %s are those of the service, also where clocks change', (cron) => {
  const fields = readCron(cron)
  if (!fields) throw new Error(`${cron} is not read.`)
  for (const timezone of zones)
    for (const time of times) {
      const expected: Date[] = []
      for (let after = new Date(time); expected.length < 6; ) {
        const next = findNext(cron, timezone, after)
        if (!next) break
        expected.push(next)
        after = next
      }
      const found = listNext(fields, { timezone, after: new Date(time), count: 6 })
      expect({ timezone, time, found }).toEqual({ timezone, time, found: expected })
    }
})
