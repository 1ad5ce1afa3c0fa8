/** Returns a function for how often a poll of once a second may have run since. */
export const startPolling = () => {
  const begun = performance.now()
  return { countPolls: () => 1 + Math.ceil((performance.now() - begun) / 1000) }
}
