/** The maximum number of names in a list. */
const maxListed = 20

/** Lists the names that exist, for a caller who used another name: `there is only a`, or `there are a, b`. */
export const listNames = (names: readonly string[]): string => {
  if (names.length === 0) return 'there is none'
  return names.length === 1 ? `there is only ${names[0]}` : `there are ${names.slice(0, maxListed).join(', ')}`
}
