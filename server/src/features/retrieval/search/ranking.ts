import { type Candidates, type Feedback, neighbourSlots } from '../lexical-index/types.ts'

// The order of the passages that two ways of finding proposed. Pure: it works on scores and neighbours alone.

/**
 * The share of its neighbours' scores that a passage gets: the answer is often next to the words of the question, and after
 * them rather than before. First the nearest three before the passage, then the nearest three after it.
 */
const neighbourShares = [0.5, 0.25, 0.125, 0.35, 0.175, 0.0875]

/** The scores of one way of finding by candidate; NaN where it has none. */
export type Scores = ArrayLike<number>

/**
 * The proposals that scores are compared with at least. Those that are missing count as passages without anything in common with the
 * query, whose score is 0: of one or two proposals the mean and the deviation would say nothing.
 */
const minCompared = 30

/**
 * The scores of one way on a common scale: how many standard deviations each is above the mean of those proposed; NaN where there
 * is none. Sums of these (CombSUM, Fox & Shaw 1994) keep by how much one passage is better than another, which its rank alone does
 * not. A passage that was not proposed is at most one deviation below the minimum of those that were: where all proposals are
 * alike, a neighbour without a score would otherwise be endlessly far below them, and draw down the passages next to it.
 */
const standardize = (scores: Scores, proposed: number): Float64Array => {
  let [count, sum, squares, min] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for (let index = 0; index < proposed; index++) {
    const score = scores[index] ?? Number.NaN
    if (Number.isNaN(score)) continue
    count++
    sum += score
    if (score < min) min = score
  }
  const missing = count === 0 ? 0 : Math.max(0, minCompared - count)
  if (missing > 0) min = Math.min(0, min)
  const mean = sum / Math.max(1, count + missing)
  for (let index = 0; index < proposed; index++) {
    const score = scores[index] ?? Number.NaN
    if (!Number.isNaN(score)) squares += (score - mean) ** 2
  }
  squares += missing * mean ** 2
  const deviation = Math.sqrt(squares / Math.max(1, count + missing))
  const unit = deviation > 1e-9 * Math.abs(mean) ? deviation : Math.abs(mean) || 1
  const standard = new Float64Array(scores.length)
  for (let index = 0; index < scores.length; index++)
    standard[index] = (Math.max(scores[index] ?? Number.NaN, min - unit) - mean) / unit
  return standard
}

/**
 * The share of what was found by words that has a vector, each passage counted by how well its words match. While a Brain is being
 * embedded, passages found by meaning are the best of those that happen to have a vector, not the best of all.
 */
const findCoverage = (byWords: Float64Array, byMeaning: Float64Array, proposed: number): number => {
  let [covered, whole] = [0, 0]
  for (let index = 0; index < proposed; index++) {
    const matching = Math.max(0, byWords[index] ?? 0)
    whole += matching
    if (!Number.isNaN(byMeaning[index])) covered += matching
  }
  return whole === 0 ? 1 : covered / whole
}

/** The maximum of the scores that were proposed. */
const findMax = (scores: Float64Array, proposed: number): number => {
  let max = 0
  for (let index = 0; index < proposed; index++) {
    const score = scores[index] ?? Number.NaN
    if (score > max) max = score
  }
  return max
}

/** The slope of meaning on words (least squares through the mean): how far a passage's words predict its meaning. */
const findSlope = (byWords: Float64Array, byMeaning: Float64Array, proposed: number): number => {
  let [products, squares] = [0, 0]
  for (let index = 0; index < proposed; index++) {
    const words = byWords[index] ?? 0
    const meaning = byMeaning[index] ?? Number.NaN
    if (Number.isNaN(meaning)) continue
    products += words * meaning
    squares += words * words
  }
  return squares === 0 ? 0 : Math.max(0, products / squares)
}

/** The best match by words is about this many times as far above the average, in variance, as an equally good one by meaning. */
const wordsVariance = 7
/** With so many candidates or fewer both ways count half; from the second number on, they count by how far their best stands out. */
const [minToCompare, enoughToCompare] = [40, 120]

/**
 * The weight of meaning, next to words, if everything was compared. A way of finding that tells the answer apart puts its best
 * passage far above the average, and a way that does not puts all of them close together.
 */
const weighMeaning = (byWords: Float64Array, byMeaning: Float64Array, proposed: number): number => {
  const words = findMax(byWords, proposed) ** 2 / wordsVariance
  const meaning = findMax(byMeaning, proposed) ** 2
  const prominence = words + meaning === 0 ? 0.5 : meaning / (words + meaning)
  const trust = Math.min(1, Math.max(0, (proposed - minToCompare) / (enoughToCompare - minToCompare)))
  return 0.5 + (prominence - 0.5) * trust
}

/**
 * The own score of each candidate, without its neighbours; the first `proposed` were proposed. The average is 0. Meaning counts less
 * while it cannot compare all that was found by words. A passage without a vector gets the meaning that its words predict: by its
 * words alone it would come before equally good ones whose meaning is known, because words spread scores further.
 */
const fuseScores = ([first = [], second]: readonly Scores[], proposed: number): Float64Array => {
  const own = standardize(first, proposed)
  // A search by meaning alone compares all but what has no vector yet.
  if (!second) return own.map((score) => (Number.isNaN(score) ? 0 : score))
  const byMeaning = standardize(second, proposed)
  const part = weighMeaning(own, byMeaning, proposed) * findCoverage(own, byMeaning, proposed)
  const slope = findSlope(own, byMeaning, proposed)
  for (let index = 0; index < own.length; index++) {
    const words = own[index] ?? 0
    const meaning = byMeaning[index] ?? Number.NaN
    own[index] = (1 - part) * words + part * (Number.isNaN(meaning) ? slope * words : meaning)
  }
  return own
}

/** A passage with its score. */
export type Ranked = {
  passage: number
  score: number
  /** True if its neighbors counted for more than the passage itself. */
  isLifted: boolean
}

/** A passage's score with its neighbours'. */
const addNeighbours = ({ around }: Candidates, own: Float64Array, index: number): number => {
  let [sum, weight] = [own[index] ?? 0, 1]
  for (let slot = 0; slot < neighbourSlots; slot++) {
    const near = around[index * neighbourSlots + slot] ?? -1
    if (near < 0) continue
    const share = neighbourShares[slot] ?? 0
    sum += share * (own[near] ?? 0)
    weight += share
  }
  // Between the sum, which would favour passages with neighbours, and the mean, which would favour those without.
  return sum / Math.sqrt(weight)
}

/** Orders versions by their best passages, and keeps up to `passagesEach` of each version. */
export const rank = (candidates: Candidates, ways: readonly Scores[], passagesEach = 1): Ranked[] => {
  const own = fuseScores(ways, candidates.proposed)
  const taken = new Map<number, number>()
  return candidates.passages
    .map((passage, index) => {
      const score = addNeighbours(candidates, own, index)
      const version = candidates.versions[index] ?? passage
      return { passage, version, score, isLifted: score > 0 && score > 2 * (own[index] ?? 0) }
    })
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .filter(({ version }) => {
      const count = (taken.get(version) ?? 0) + 1
      taken.set(version, count)
      return count <= passagesEach
    })
}

/** The minimum of proposals for feedback: where few passages were found, the best have nothing to add. */
export const minForFeedback = 30

const maxFeedbackPassages = 5
/** The share of feedback in the second query. */
const feedbackShare = 0.3

/** The best of those proposed, without their neighbours: each counts half, a third and so on of the first. */
export const chooseFeedback = (proposed: readonly number[], ways: readonly Scores[]): Feedback => {
  const own = fuseScores(ways, proposed.length)
  const best = proposed
    .map((passage, index) => ({ passage, score: own[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .slice(0, maxFeedbackPassages)
  const whole = best.reduce((sum, _one, at) => sum + 1 / (at + 1), 0)
  return { share: feedbackShare, passages: best.map(({ passage }, at) => ({ passage, weight: 1 / (at + 1) / whole })) }
}
