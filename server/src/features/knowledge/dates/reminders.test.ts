import { duration } from '@noema/contracts/schema-kinds.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { momentBefore } from './reminders.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('DAT-01 a duration before a moment is counted by the calendar: months first, then days, then the clock', () => {
  expect(momentBefore('2026-03-31T00:00:00.000Z', 'P1M')).toBe('2026-02-28T00:00:00.000Z')
  expect(momentBefore('2024-03-31T12:30:00.000Z', 'P1M')).toBe('2024-02-29T12:30:00.000Z')
  expect(momentBefore('2024-02-29T00:00:00.000Z', 'P1Y')).toBe('2023-02-28T00:00:00.000Z')
  expect(momentBefore('2026-03-31T00:00:00.000Z', 'P1M1D')).toBe('2026-02-27T00:00:00.000Z')
  expect(momentBefore('2026-01-01T00:00:00.001Z', 'PT1S')).toBe('2025-12-31T23:59:59.001Z')
  expect(momentBefore('2026-01-31T00:00:00.000Z', 'P0D')).toBe('2026-01-31T00:00:00.000Z')
  expect(momentBefore('0001-01-01T00:00:00.000Z', 'P99999Y99999M99999W99999D')).toMatch(/^-/)
})

const part = (unit: string) => fc.option(fc.nat(400)).map((count) => (count === null ? '' : `${count}${unit}`))
const parts = (units: string) => fc.tuple(...[...units].map(part)).map((all) => all.join(''))
const anyDuration = fc
  .tuple(parts('YMWD'), parts('HMS'))
  .map(([date, time]) => `P${date}${time === '' ? '' : `T${time}`}`)
  .filter((text) => duration.safeParse(text).success)

test('DAT-01 a duration before a moment is what PostgreSQL says it is', async () => {
  const cases = fc.sample(
    fc.tuple(fc.date({ min: new Date('1900-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), anyDuration),
    500,
  )
  const { rows } = await database.pool.query(
    `select to_char(moment::timestamp - before::interval, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as due
     from unnest($1::text[], $2::text[]) with ordinality as given (moment, before, place) order by place`,
    [cases.map(([moment]) => moment.toISOString().slice(0, -1)), cases.map(([, before]) => before)],
  )
  const mine = cases.map(([moment, before]) => momentBefore(moment.toISOString(), before))
  expect(mine).toEqual(rows.map(({ due }) => due))
})
