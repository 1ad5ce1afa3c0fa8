import { type Candidates, type Feedback, neighbourSlots } from '../lexical-index/types.ts'

// The order of what two ways of finding proposed. Pure: it is given scores and what stands around what.

/**
 * What a passage gets of its neighbours' scores: the answer often stands next to the words of the question, and after them
 * rather than before. The nearest three before it, then the nearest three after it.
 */
const neighbourShares = [0.5, 0.25, 0.125, 0.35, 0.175, 0.0875]

/** The scores of one way of finding by candidate; NaN where it cannot tell. */
export type Scores = ArrayLike<number>

/**
 * Adds scores of one sort on the scale of all: how many standard deviations each lies above the mean of those proposed. Sums
 * of these (CombSUM, Fox & Shaw 1994) keep by how much one passage is better than another, which its rank alone does not.
 * What was not proposed lies at most one deviation below the minimum of what was: where all proposals are alike, a neighbour
 * that says nothing would else be endlessly far below them, and draw down what it stands beside.
 */
const addStandard = (scores: Scores, proposed: number, part: number, own: Float64Array): void => {
  let [count, sum, squares, min] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for (let index = 0; index < proposed; index++) {
    const score = scores[index] ?? Number.NaN
    if (Number.isNaN(score)) continue
    count++
    sum += score
    if (score < min) min = score
  }
  const mean = sum / Math.max(1, count)
  for (let index = 0; index < proposed; index++) {
    const score = scores[index] ?? Number.NaN
    if (!Number.isNaN(score)) squares += (score - mean) ** 2
  }
  const deviation = Math.sqrt(squares / Math.max(1, count))
  const unit = deviation > 1e-9 * Math.abs(mean) ? deviation : Math.abs(mean) || 1
  for (let index = 0; index < scores.length; index++) {
    const score = scores[index] ?? Number.NaN
    const known = Number.isNaN(score) ? mean : score
    own[index] = (own[index] ?? 0) + (part * (Math.max(known, min - unit) - mean)) / unit
  }
}

/** The score of each candidate by itself, of which the first so many were proposed; 0 is that of an average one. */
const fuseScores = (ways: readonly Scores[], proposed: number): Float64Array => {
  const telling = ways.filter((scores) => Array.prototype.some.call(scores, (score) => !Number.isNaN(score)))
  const own = new Float64Array(ways[0]?.length ?? 0)
  for (const scores of telling) addStandard(scores, proposed, 1 / telling.length, own)
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
const addNeighbours = ({ around }: Candidates, own: Float64Array, index: number): number => {
  let [sum, weight] = [own[index] ?? 0, 1]
  for (let slot = 0; slot < neighbourSlots; slot++) {
    const near = around[index * neighbourSlots + slot] ?? -1
    if (near < 0) continue
    const share = neighbourShares[slot] ?? 0
    sum += share * (own[near] ?? 0)
    weight += share
  }
  // Between the sum, which would favour what has neighbours, and the mean, which would favour what has none.
  return sum / Math.sqrt(weight)
}

/** Orders versions by their best passages, of each as many as are wanted. */
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

/** Proposals from which on there is a second look: where little was found, the best has nothing to add. */
export const minForSecondLook = 30

const maxFeedbackPassages = 5
/** How much of the second query is feedback. */
const feedbackShare = 0.3

/** The best of those proposed by themselves: each counts half, a third and so on of the first. */
export const chooseFeedback = (proposed: readonly number[], ways: readonly Scores[]): Feedback => {
  const own = fuseScores(ways, proposed.length)
  const best = proposed
    .map((passage, index) => ({ passage, score: own[index] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.passage - b.passage)
    .slice(0, maxFeedbackPassages)
  const whole = best.reduce((sum, _one, at) => sum + 1 / (at + 1), 0)
  return { share: feedbackShare, passages: best.map(({ passage }, at) => ({ passage, weight: 1 / (at + 1) / whole })) }
}
