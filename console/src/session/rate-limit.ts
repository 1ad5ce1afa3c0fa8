import { createObservable } from '../observable.ts'

// The service refused a call because there were too many, and the SDK repeats it when the time is over. The pages say so meanwhile.

/** When calls may be repeated, as an ISO time; undefined while none waits. */
export const limitedUntil = createObservable<string | undefined>(undefined)

let timer: ReturnType<typeof setTimeout> | undefined

/** The SDK waits no longer than this; calls that would have to fail at once, and the page shows their error. */
const maxWaitSeconds = 60

/** A call was refused; `retryAfter` is the header of the answer, in seconds. */
export const noteLimit = (retryAfter: string | null): void => {
  const seconds = Number(retryAfter ?? 1)
  if (!(seconds > 0 && seconds <= maxWaitSeconds)) return
  const end = Date.now() + seconds * 1000
  const until = limitedUntil.read()
  if (until !== undefined && Date.parse(until) >= end) return
  clearTimeout(timer)
  timer = setTimeout(() => limitedUntil.set(undefined), seconds * 1000)
  limitedUntil.set(new Date(end).toISOString())
}
