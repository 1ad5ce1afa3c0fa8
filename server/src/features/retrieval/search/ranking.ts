// The order of what two ways of finding proposed. Pure: it is given scores and what stands around what.

/**
 * What a passage gets of its neighbours' scores: the answer often stands next to the words of the question, and after them
 * rather than before. The nearest three before it, then the nearest three after it.
 */
const shares = [0.5, 0.25, 0.125, 0.35, 0.175, 0.0875]

/** How many places around a passage count. */
export const slots = shares.length

/** Passages that may be answered. */
export type Candidates = {
  /** Those that were proposed, and then those that only stand around them. */
  passages: readonly number[]
  /** How many were proposed. */
  proposed: number
  /**
   * By candidate and slot the place of the one that stands there: -1 where nothing does, and one beyond the last where it is
   * no candidate.
   */
  around: Int32Array
}

/** The scores of one way of finding by candidate; NaN where it cannot tell. */
export type Leg = ArrayLike<number>

/**
 * Adds scores of one sort on the scale of all: how many standard deviations each lies above the mean of those proposed. Sums
 * of these (CombSUM, Fox & Shaw 1994) keep by how much one passage is better than another, which its rank alone does not.
 * What was not proposed lies at most one deviation below the least that was: where all proposals are alike, a neighbour that
 * says nothing would else be endlessly far below them, and draw down what it stands beside.
 */
const addStandard = (leg: Leg, proposed: number, part: number, own: Float64Array): void => {
  let [count, sum, squares, least] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for (let place = 0; place < proposed; place++) {
    const score = leg[place] ?? Number.NaN
    if (Number.isNaN(score)) continue
    count++
    sum += score
    if (score < least) least = score
  }
  const mean = sum / Math.max(1, count)
  for (let place = 0; place < proposed; place++) {
    const score = leg[place] ?? Number.NaN
    if (!Number.isNaN(score)) squares += (score - mean) ** 2
  }
  const deviation = Math.sqrt(squares / Math.max(1, count))
  const unit = deviation > 1e-9 * Math.abs(mean) ? deviation : Math.abs(mean) || 1
  for (let place = 0; place < leg.length; place++) {
    const score = leg[place] ?? Number.NaN
    const known = Number.isNaN(score) ? mean : score
    own[place] = (own[place] ?? 0) + (part * (Math.max(known, least - unit) - mean)) / unit
  }
}

/** The score of each candidate by itself, of which the first so many were proposed; 0 is that of an average one. */
const ownScores = (legs: readonly Leg[], proposed: number): Float64Array => {
  const telling = legs.filter((leg) => Array.prototype.some.call(leg, (score) => !Number.isNaN(score)))
  const own = new Float64Array(legs[0]?.length ?? 0)
  for (const leg of telling) addStandard(leg, proposed, 1 / telling.length, own)
  return own
}

/** A passage in its place in the order. */
export type Ranked = {
  passage: number
  score: number
  /** Whether what stands next to it counted for more than it does itself. */
  isLifted: boolean
}

/** A passage's score with its neighbours'. */
const scoreAmong = ({ around }: Candidates, own: Float64Array, place: number): number => {
  let [sum, weight] = [own[place] ?? 0, 1]
  for (let slot = 0; slot < slots; slot++) {
    const near = around[place * slots + slot] ?? -1
    if (near < 0) continue
    const share = shares[slot] ?? 0
    sum += share * (own[near] ?? 0)
    weight += share
  }
  // Between the sum, which would favour what has neighbours, and the mean, which would favour what has none.
  return sum / Math.sqrt(weight)
}

/** Orders versions by their best passages, of each as many as are wanted. `versionOf` tells which are of one version. */
export const rank = (
  candidates: Candidates,
  legs: readonly Leg[],
  { versionOf, passagesEach = 1 }: { versionOf: (passage: number) => number; passagesEach?: number | undefined },
): Ranked[] => {
  const own = ownScores(legs, candidates.proposed)
  const taken = new Map<number, number>()
  return candidates.passages
    .map((passage, place): Ranked => {
      const score = scoreAmong(candidates, own, place)
      return { passage, score, isLifted: score > 0 && score > 2 * (own[place] ?? 0) }
    })
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .filter(({ passage }) => {
      const version = versionOf(passage)
      const count = (taken.get(version) ?? 0) + 1
      taken.set(version, count)
      return count <= passagesEach
    })
}

/** A passage that lends its words to the query, and how much it counts; all together count 1. */
export type Exemplar = { passage: number; share: number }

const mostExemplars = 5

/** The best of those proposed by themselves: each counts half, a third and so on of the first. */
export const exemplarsOf = (proposed: readonly number[], legs: readonly Leg[]): Exemplar[] => {
  const own = ownScores(legs, proposed.length)
  const best = proposed
    .map((passage, place) => ({ passage, score: own[place] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .slice(0, mostExemplars)
  const whole = best.reduce((sum, _one, at) => sum + 1 / (at + 1), 0)
  return best.map(({ passage }, at) => ({ passage, share: 1 / (at + 1) / whole }))
}
