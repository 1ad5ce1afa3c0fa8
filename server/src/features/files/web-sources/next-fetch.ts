// When a page is fetched next. Pages of a source are fetched at the same times, so that a refresh is one change.

const hourMilliseconds = 3_600_000

/** The delays before a page is asked for again that failed for a reason that may pass: 15 minutes, one hour, four hours. */
const retryMilliseconds = [0.25, 1, 4].map((hours) => hours * hourMilliseconds)

/** The rhythm of a source: its refreshes are whole intervals after it was made. */
export type Rhythm = { createdAt: Date; refreshHours: number | null }

/** The next refresh of a source, at least half an interval ahead; null if it has none. */
export const findNextRefresh = ({ createdAt, refreshHours }: Rhythm, now: Date): Date | null => {
  if (refreshHours === null) return null
  const interval = refreshHours * hourMilliseconds
  const since = now.getTime() - createdAt.getTime()
  const next = (Math.floor(since / interval) + 1) * interval
  return new Date(createdAt.getTime() + (next - since < interval / 2 ? next + interval : next))
}

type Failure = { isPassing: boolean; failures: number; retryAt?: Date | undefined }

/** The next fetch of a page that failed so many times in a row. Never before the time for which its site asked. */
export const findNextTry = (rhythm: Rhythm, { isPassing, failures, retryAt }: Failure, now: Date): Date | null => {
  const regular = findNextRefresh(rhythm, now)
  const delay = isPassing ? retryMilliseconds[failures - 1] : undefined
  const soon = delay === undefined ? null : new Date(now.getTime() + delay)
  const times = [regular, soon].filter((time) => time !== null)
  const next = times.length > 0 ? new Date(Math.min(...times.map((time) => time.getTime()))) : null
  return retryAt && (next === null || retryAt > next) ? retryAt : next
}
