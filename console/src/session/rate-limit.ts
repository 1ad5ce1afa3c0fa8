// The service refused a call because there were too many, and the SDK repeats it when the time is over. The pages say so meanwhile.

let until: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

const change = (next: string | undefined) => {
  until = next
  for (const listener of listeners) listener()
}

export const subscribeToLimit = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** When calls may be repeated, as an ISO time; undefined while none waits. */
export const readLimit = (): string | undefined => until

/** The SDK waits no longer than this; calls that would have to fail at once, and the page shows their error. */
const maxWaitSeconds = 60

/** A call was refused; `retryAfter` is the header of the answer, in seconds. */
export const noteLimit = (retryAfter: string | null): void => {
  const seconds = Number(retryAfter ?? 1)
  if (!(seconds > 0 && seconds <= maxWaitSeconds)) return
  const end = Date.now() + seconds * 1000
  if (until !== undefined && Date.parse(until) >= end) return
  clearTimeout(timer)
  timer = setTimeout(() => change(undefined), seconds * 1000)
  change(new Date(end).toISOString())
}
