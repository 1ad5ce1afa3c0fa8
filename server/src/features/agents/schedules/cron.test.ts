import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readWorked } from '../../../test/worked.ts'
import { findNext, isCron } from './cron.ts'
import { toInstant, toLocal } from './local-time.ts'

const listNext = (cron: string, timezone: string, from: string, count: number): string[] => {
  const found = []
  let after = new Date(from)
  while (found.length < count) {
    const next = findNext(cron, timezone, after)
    if (!next) break
    found.push(next.toISOString().slice(5, 16))
    after = next
  }
  return found
}

test.each([
  [
    'a skipped time runs at the next instant',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T00:00:00Z',
    ['03-28T01:30', '03-29T01:00', '03-30T00:30'],
  ],
  ['a repeated time runs once', '30 2 * * *', 'Europe/Berlin', '2026-10-24T02:00:00Z', ['10-25T00:30', '10-26T01:30']],
  [
    'many skipped times are one run',
    '*/15 2 * * *',
    'Europe/Berlin',
    '2026-03-28T20:00:00Z',
    ['03-29T01:00', '03-30T00:00'],
  ],
  [
    'many repeated times run once each',
    '*/20 2 * * *',
    'Europe/Berlin',
    '2026-10-24T20:00:00Z',
    ['10-25T00:00', '10-25T00:20', '10-25T00:40', '10-26T01:00'],
  ],
  [
    'every hour goes by the hours that pass',
    '0 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:30:00Z',
    ['10-25T00:00', '10-25T01:00', '10-25T02:00'],
  ],
  ['midnight may be skipped', '0 0 * * *', 'America/Havana', '2026-03-07T06:00:00Z', ['03-08T05:00', '03-09T04:00']],
  [
    'a whole day may be skipped',
    '0 12 * * *',
    'Pacific/Apia',
    '2011-12-29T00:00:00Z',
    ['12-29T22:00', '12-30T10:00', '12-30T22:00'],
  ],
  [
    'a clock may change by half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-02T20:00:00Z',
    ['10-03T15:30', '10-04T15:15'],
  ],
  [
    'a year begins with the local day',
    '0 0 1 1 *',
    'Pacific/Kiritimati',
    '2026-12-30T20:00:00Z',
    ['12-31T10:00', '12-31T10:00'],
  ],
])('D-79 %s', (_case, cron, timezone, from, expected) => {
  expect(listNext(cron, timezone, from, expected.length)).toEqual(expected)
})

test('D-79 an expression that never comes is recognized quickly', () => {
  const begin = readWorked()
  for (const cron of ['0 0 30 2 *', '* * 31 2,4,6,9,11 *', '0 0 31 2 *'])
    expect(findNext(cron, 'UTC', new Date('2026-01-01'))).toBeUndefined()
  expect(readWorked() - begin).toBeLessThan(500)
})

test('D-79 an expression has five fields or a name', () => {
  const known = ['0 9 * * 1-5', '*/5 * * * *', '@daily', '@hourly', '0 0 L * *', '0 0 1 JAN *']
  const unknown = ['', 'a', '* * * *', '* * * * * *', '61 * * * *', '0 25 * * *', '@never', '0 0 32 * *']
  expect([...known, ...unknown].filter(isCron)).toEqual(known)
})

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Havana', 'UTC']

test('D-79 the next time is later, shows what was asked on the wall or ends a gap, and none before it does', () => {
  const minute = fc.integer({ min: 0, max: 59 })
  const hour = fc.integer({ min: 0, max: 23 })
  const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(minute, hour, fc.constantFrom(...zones), start, (atMinute, atHour, zone, after) => {
      const next = findNext(`${atMinute} ${atHour} * * *`, zone, after)
      if (!next) throw new Error('A daily time never came.')
      expect(next.getTime()).toBeGreaterThan(after.getTime())
      expect(next.getTime() - after.getTime()).toBeLessThanOrEqual(26 * 3_600_000)
      const local = toLocal(next, zone)
      const isOnTime = local.getUTCHours() === atHour && local.getUTCMinutes() === atMinute
      const before = toLocal(new Date(next.getTime() - 1), zone)
      const isAfterGap = local.getTime() - before.getTime() > 1
      expect(isOnTime || isAfterGap).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('D-79 a local time is put into its zone and read from it again', () => {
  const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...zones), start, (zone, instant) => {
      const local = toLocal(instant, zone)
      const first = toInstant(local, zone)
      expect(toLocal(first, zone)).toEqual(local)
      expect(first.getTime()).toBeLessThanOrEqual(instant.getTime())
    }),
    { numRuns: 300 },
  )
})
