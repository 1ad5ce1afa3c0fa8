/** A duration in a short form. */
export const toDuration = (milliseconds: number): string => {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((milliseconds % 60_000) / 1_000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The known cost. */
export const toCost = (cents: number | undefined): string =>
  cents === undefined ? 'not known' : `$${(cents / 100).toFixed(2)}`
