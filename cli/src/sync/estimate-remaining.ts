/** Progress of work of unknown speed, in items. `secondsLeft` is undefined until some of it is done. */
export type Progress = { done: number; total: number; left: number; secondsLeft: number | undefined }

/**
 * Estimates the rest of the work from what was done since most of it was left: documents become passages on the way, and
 * others may write meanwhile, so the total grows.
 */
export const createEstimate = () => {
  let begun = { left: 0, at: 0 }
  return (left: number, now: number): Progress => {
    if (left >= begun.left) begun = { left, at: now }
    const done = begun.left - left
    const secondsLeft = done === 0 ? undefined : Math.ceil(((now - begun.at) / 1000 / done) * left)
    return { done, total: begun.left, left, secondsLeft }
  }
}

/** A length of time for people, such as "about 2 min". */
export const describeSeconds = (seconds: number): string => {
  if (seconds < 90) return `about ${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`
}
