/** The maximum number of names in a list. */
const maxTold = 20

/** Lists the names that exist, for a caller who used another name: `there is only a`, or `there are a, b`. */
export const tellNames = (names: readonly string[]): string => {
  if (names.length === 0) return 'there is none'
  return names.length === 1 ? `there is only ${names[0]}` : `there are ${names.slice(0, maxTold).join(', ')}`
}
