import { type ActivityDay, maxActivityDays } from '@noema/contracts/activity-days.ts'
import type { Clock } from '../../../shared/clock.ts'
import { refuseAt } from '../../../shared/errors.ts'
import { firstIdAt } from '../../../shared/ids.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { countAppliedChanges } from '../../writing/commit/organization-changes-queries.ts'
import { isTimezone, toInstant, toLocal } from '../schedules/local-time.ts'
import { type DayRange, deleteQuarters, selectDays, sumNextHour } from './days-queries.ts'

// The activity of each day, for charts. A chart of three months must not read every run: ended runs are summed by quarters of an
// hour once those are over, and a read counts only later ones.

type Deps = { db: Db; clock: Clock }

const millisecondsPerDay = 86_400_000
const defaultDays = 30
const maxWrites = 5_000

/** A transaction that ends a run a moment before its quarter is over may commit a moment after it. */
const settledAfter = 5 * 60_000
const keptDays = 400
const hoursAtOnce = 200

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * millisecondsPerDay).toISOString().slice(0, 10)

type Asked = { from?: string | undefined; to?: string | undefined; timezone: string; viewer?: Viewer }

/** The days that are asked for, each with where it begins and ends. */
const listDays = ({ from, to, timezone }: Asked, now: Date): DayRange[] => {
  if (!isTimezone(timezone))
    throw refuseAt(['timezone'], `There is no time zone ${JSON.stringify(timezone)}. Name one such as Europe/Berlin.`)
  const last = to ?? toLocal(now, timezone).toISOString().slice(0, 10)
  const first = from ?? addDays(last, 1 - defaultDays)
  const count = (Date.parse(last) - Date.parse(first)) / millisecondsPerDay + 1
  if (count < 1) throw refuseAt(['from'], 'from is a day after to. Swap them.')
  if (count > maxActivityDays)
    throw refuseAt(['from'], `These are ${count} days; one answer has at most ${maxActivityDays}. Ask for fewer.`)
  const begin = (day: string): Date => toInstant(new Date(day), timezone)
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(first, index)
    const [start, end] = [begin(day), begin(addDays(day, 1))]
    return {
      ...{ day, from: start.toISOString(), to: end.toISOString() },
      ...{ fromId: firstIdAt('chg', start), toId: firstIdAt('chg', end) },
    }
  })
}

/** The activity of an organization on each day. */
export const readActivityDays = async (
  { db, clock }: Deps,
  organizationId: string,
  asked: Asked,
): Promise<ActivityDay[]> => {
  const ranges = listDays(asked, clock.now())
  const [days, writes] = await Promise.all([
    selectDays(db, organizationId, ranges),
    countAppliedChanges(db, organizationId, { ranges, max: maxWrites, viewer: asked.viewer }),
  ])
  return days.map(({ day, completed, failed, abandoned, costNanodollars, ...amounts }, index) => ({
    ...{ day, runs: { completed, failed, abandoned }, ...amounts },
    costCents: Math.round(costNanodollars / nanodollarsPerCent),
    writes: writes[index] ?? 0,
  }))
}

/** Sums the runs of past quarters of an hour, and deletes old sums. */
export const sumUpRuns = async ({ db, clock }: Deps): Promise<void> => {
  const now = clock.now().getTime()
  for (let hour = 0; hour < hoursAtOnce; hour++) if (!(await sumNextHour(db, new Date(now - settledAfter)))) break
  await deleteQuarters(db, new Date(now - keptDays * millisecondsPerDay))
}
