// A query is short, and what answers it says the same in other words. The best passages of a first look lend it theirs, for
// a second look at the same candidates (pseudo-relevance feedback: Rocchio 1971; Lavrenko & Croft 2001). Pure.

/** How much of the second query is what the exemplars lent it. */
const lent = 0.3
/** Terms that are looked up for it. */
const mostTerms = 26
/** Terms that more of the passages hold than this part say nothing of what was asked. */
const mostHolders = 0.25

/** The terms of an exemplar, how often each stands in it, and what part of all exemplars it counts. */
export type ExemplarTerms = { share: number; counts: ReadonlyMap<string, number> }

/** The terms that stand most in the exemplars, each with how much it does: from 0 to 1, the highest first. */
export const termsOfExemplars = (
  exemplars: readonly ExemplarTerms[],
  isStopTerm: (term: string) => boolean,
): Map<string, number> => {
  const presence = new Map<string, number>()
  for (const { share, counts } of exemplars)
    for (const [term, count] of counts)
      if (!isStopTerm(term)) presence.set(term, (presence.get(term) ?? 0) + (share * count) / (count + 1))
  const most = [...presence].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, mostTerms)
  return new Map(most)
}

/** What is known of the passages that terms are counted in. */
export type TermStatistics = { passages: number; holders(term: string): number }

const scaled = (weights: ReadonlyMap<string, number>, whole: number): [string, number][] => {
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0)
  return [...weights].map(([term, weight]) => [term, sum === 0 ? 0 : (whole * weight) / sum])
}

/** The weights of the second query's terms, which come to 1: the asker's, and those lent, the rarer the more. */
export const enrichTerms = (
  asked: ReadonlyMap<string, number>,
  presence: ReadonlyMap<string, number>,
  { passages, holders }: TermStatistics,
): Map<string, number> => {
  const rare = new Map<string, number>()
  for (const [term, present] of presence) {
    const held = holders(term)
    const isTelling = held > 0 && held <= Math.max(1, passages * mostHolders)
    if (isTelling) rare.set(term, present * Math.log(1 + (passages - held + 0.5) / (held + 0.5)))
  }
  const enriched = new Map(scaled(asked, rare.size === 0 ? 1 : 1 - lent))
  for (const [term, weight] of scaled(rare, lent)) enriched.set(term, (enriched.get(term) ?? 0) + weight)
  return enriched
}

/** Moves a query's vector towards those exemplars whose vectors are known. All have length 1, as has what is given. */
export const enrichVector = (
  asked: Float32Array,
  exemplars: readonly { share: number; vector: Float32Array | undefined }[],
): Float32Array => {
  const known = exemplars.flatMap(({ share, vector }) => (vector ? { share, vector } : []))
  const whole = known.reduce((sum, { share }) => sum + share, 0)
  if (whole === 0) return asked
  const moved = asked.map((value, axis) =>
    known.reduce((sum, { share, vector }) => sum + (lent * share * (vector[axis] ?? 0)) / whole, (1 - lent) * value),
  )
  const length = Math.hypot(...moved)
  return length === 0 ? asked : moved.map((value) => value / length)
}
