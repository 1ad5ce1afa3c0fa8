const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const
const pattern = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** An ISO 8601 duration in words, `P1M7D` as `1 month 7 days`; undefined for an empty duration. */
const toWords = (duration: string): string | undefined => {
  const found = pattern.exec(duration)
  if (!found) return duration
  const parts = units.flatMap((unit, index) => {
    const count = Number(found[index + 1] ?? 0)
    return count === 0 ? [] : `${count} ${unit}${count === 1 ? '' : 's'}`
  })
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** The time of a notification before a date, `P7D` as `7 days before`. */
export const toBefore = (duration: string): string => {
  const words = toWords(duration)
  return words === undefined ? 'when it comes' : `${words} before`
}
