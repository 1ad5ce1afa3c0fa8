/** How many names are told of what there is. */
const maxTold = 20

/** What there is, for who named something else: `there is only a`, or `there are a, b`. */
export const tellNames = (names: readonly string[]): string => {
  if (names.length === 0) return 'there is none'
  return names.length === 1 ? `there is only ${names[0]}` : `there are ${names.slice(0, maxTold).join(', ')}`
}
