/** Returns a function for how often a poll of once a second may have run since. */
export const beginLooking = () => {
  const begun = performance.now()
  return { countLooks: () => 1 + Math.ceil((performance.now() - begun) / 1000) }
}
