/** Tells how often something that looks once a second may have looked since. */
export const beginLooking = () => {
  const begun = performance.now()
  return { countLooks: () => 1 + Math.ceil((performance.now() - begun) / 1000) }
}
