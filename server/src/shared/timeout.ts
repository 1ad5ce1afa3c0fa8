/** Waits for a promise up to a limit and then returns `otherwise`; a later result is ignored. */
export const withTimeout = async <Result, Otherwise = undefined>(
  something: Promise<Result>,
  milliseconds: number,
  otherwise?: Otherwise,
): Promise<Result | Otherwise> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => resolve(otherwise as Otherwise), milliseconds)
  return Promise.race([something, tooLate]).finally(() => clearTimeout(timer))
}

/** Waits for a promise, or rejects with the signal's reason as soon as it aborts. */
export const orAbort = <Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> => {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
