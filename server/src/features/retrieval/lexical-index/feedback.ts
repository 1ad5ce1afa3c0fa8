// A query is short, and what answers it says the same in other words. Terms of the best passages of a first look are added
// to it, for a second look at the same candidates (pseudo-relevance feedback: RM3, Lavrenko & Croft 2001). Pure.

/** Terms of feedback that are looked up. */
const maxFeedbackTerms = 26
/** Terms that more of the passages hold than this part say nothing of what was asked. */
const maxHolderShare = 0.25

/** The terms of a passage, how often each stands in it, and what part of all feedback passages it counts. */
export type PassageTerms = { weight: number; counts: ReadonlyMap<string, number> }

/** The terms that stand most in the passages, each with how much it does: from 0 to 1, the highest first. */
export const chooseFeedbackTerms = (passages: readonly PassageTerms[]): Map<string, number> => {
  const presence = new Map<string, number>()
  for (const { weight, counts } of passages)
    for (const [term, count] of counts) presence.set(term, (presence.get(term) ?? 0) + (weight * count) / (count + 1))
  const chosen = [...presence].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, maxFeedbackTerms)
  return new Map(chosen)
}

/** What part of the new query is feedback, how many passages there are, and how many hold each term. */
export type FeedbackStatistics = { share: number; passages: number; holders: ReadonlyMap<string, number> }

const scaled = (weights: ReadonlyMap<string, number>, whole: number): [string, number][] => {
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0)
  return [...weights].map(([term, weight]) => [term, sum === 0 ? 0 : (whole * weight) / sum])
}

/** The weights of the second query's terms, which come to 1: those asked for, and those of feedback, the rarer the more. */
export const addFeedbackTerms = (
  asked: ReadonlyMap<string, number>,
  presence: ReadonlyMap<string, number>,
  { share, passages, holders }: FeedbackStatistics,
): Map<string, number> => {
  const rare = new Map<string, number>()
  for (const [term, present] of presence) {
    const held = holders.get(term) ?? 0
    const isTelling = held > 0 && held <= Math.max(1, passages * maxHolderShare)
    if (isTelling) rare.set(term, present * Math.log(1 + (passages - held + 0.5) / (held + 0.5)))
  }
  const weights = new Map(scaled(asked, rare.size === 0 ? 1 : 1 - share))
  for (const [term, weight] of scaled(rare, share)) weights.set(term, (weights.get(term) ?? 0) + weight)
  return weights
}
