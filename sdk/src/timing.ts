/** The clock, the dice and the timers of a client: replaced in tests, so that no test waits. */
export type Timing = {
  /** Milliseconds since 1970. */
  now: () => number
  /** From 0 up to but not including 1. */
  random: () => number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when that aborts first. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Calls `onElapsed` after `ms` milliseconds, unless the returned function was called before. */
  startTimer: (ms: number, onElapsed: () => void) => () => void
}

const startTimer: Timing['startTimer'] = (ms, onElapsed) => {
  const timer = setTimeout(onElapsed, ms)
  return () => clearTimeout(timer)
}

const sleep: Timing['sleep'] = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = startTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    const onAbort = () => {
      stop()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
  })

/** The machine's own clock and timers. */
export const systemTiming: Timing = { now: () => Date.now(), random: () => Math.random(), sleep, startTimer }
