import { expect, test } from 'vitest'
import { readCron } from './cron.ts'
import { listNext } from './cron-times.ts'
import { describeCron } from './cron-words.ts'

test.each([
  ['0 9 * * 1-5', 'At 09:00 on weekdays'],
  ['30 8,17 * * *', 'At 08:30 and 17:30 every day'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['* * * * *', 'Every minute'],
  ['5 * * * *', 'Every hour at :05'],
  ['@hourly', 'Every hour at :00'],
  ['@weekly', 'At 00:00 on Sunday'],
  ['0 6 1 * *', 'At 06:00 on day 1 of the month'],
  ['0 6 1 1,7 *', 'At 06:00 on day 1 of the month in January and July'],
  ['0 0 * * sat,sun', 'At 00:00 on weekends'],
  ['*/10 9-17 * * mon-fri', 'Every 10 minutes, hours 9 to 17 on weekdays'],
  ['0 */2 * * *', 'Every 2 hours'],
  ['0 0 13 * 5', 'At 00:00 on day 13 of the month or on Friday'],
])('%s is %s', (cron, words) => {
  const fields = readCron(cron)
  expect(fields && describeCron(fields)).toBe(words)
})

test.each([
  '',
  '9',
  '60 * * * *',
  '* * * * mo',
  '0 9 * * 1-',
  '0 9 L * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '5/20 * * * *',
  '0 0 9 * * 1',
])('%j is not read', (cron) => {
  expect(readCron(cron)).toBeUndefined()
})

test('an expression that never matches has no next time', () => {
  const fields = readCron('0 0 31 2 *')
  expect(fields && listNext(fields, { timezone: 'UTC', after: new Date(0), count: 3 })).toEqual([])
})
