// A query is short, and its answers use other words. Terms of the best passages are added to it, to score the same candidates a
// second time (pseudo-relevance feedback: RM3, Lavrenko & Croft 2001). Pure.

/** The maximum of feedback terms that are looked up. */
const maxFeedbackTerms = 26
/** Terms that a larger share of the passages has are too common to help. */
const maxHolderShare = 0.25

/** The terms of a passage with their counts, and its weight among all feedback passages. */
export type PassageTerms = { weight: number; counts: ReadonlyMap<string, number> }

/** The most frequent terms of the passages, each with its presence from 0 to 1, the highest first. */
export const chooseFeedbackTerms = (passages: readonly PassageTerms[]): Map<string, number> => {
  const presence = new Map<string, number>()
  for (const { weight, counts } of passages)
    for (const [term, count] of counts) presence.set(term, (presence.get(term) ?? 0) + (weight * count) / (count + 1))
  const chosen = [...presence].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, maxFeedbackTerms)
  return new Map(chosen)
}

/** The share of feedback in the new query, the number of passages, and the number that have each term. */
export type FeedbackStatistics = { share: number; passages: number; holders: ReadonlyMap<string, number> }

const scaled = (weights: ReadonlyMap<string, number>, whole: number): [string, number][] => {
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0)
  return [...weights].map(([term, weight]) => [term, sum === 0 ? 0 : (whole * weight) / sum])
}

/** The weights of the second query's terms, which sum to 1: its own terms, and those of feedback, where rare ones weigh more. */
export const addFeedbackTerms = (
  query: ReadonlyMap<string, number>,
  presence: ReadonlyMap<string, number>,
  { share, passages, holders }: FeedbackStatistics,
): Map<string, number> => {
  const rare = new Map<string, number>()
  for (const [term, present] of presence) {
    const held = holders.get(term) ?? 0
    const isRareEnough = held > 0 && held <= Math.max(1, passages * maxHolderShare)
    if (isRareEnough) rare.set(term, present * Math.log(1 + (passages - held + 0.5) / (held + 0.5)))
  }
  const weights = new Map(scaled(query, rare.size === 0 ? 1 : 1 - share))
  for (const [term, weight] of scaled(rare, share)) weights.set(term, (weights.get(term) ?? 0) + weight)
  return weights
}
