// The order of what two ways of finding proposed. Pure: it is given scores and what stands around what.

/** A passage with what each way of finding makes of it; a way that was not asked, or cannot tell, has no score. */
export type Candidate = {
  passage: number
  /** The version that it is of: passages of one version share this. */
  version: number
  lexical?: number | undefined
  semantic?: number | undefined
  /** Whether it was proposed itself, not only for what stands around it. */
  isProposed: boolean
  /** The passages around it in its conversation or document: 1 is the next, -1 the one before. */
  neighbours: readonly { passage: number; distance: number }[]
}

/** A version by its best passage. */
export type Ranked<One> = { candidate: One; score: number; isLifted: boolean }

/**
 * What a passage gets of its neighbours' scores: the answer often stands next to the words of the question, and after them
 * rather than before.
 */
const shares: Record<string, number> = { '-1': 0.5, '-2': 0.25, '-3': 0.125, '1': 0.35, '2': 0.175, '3': 0.0875 }

type Leg = 'lexical' | 'semantic'

/**
 * Puts scores of different sorts on one scale: how many standard deviations each lies above the mean of those proposed. Sums
 * of these (CombSUM, Fox & Shaw 1994) keep by how much one passage is better than another, which its rank alone does not.
 * What was not proposed lies at most one deviation below the least that was: where all proposals are alike, a neighbour that
 * says nothing would else be endlessly far below them, and draw down what it stands beside.
 */
const standard = (candidates: readonly Candidate[], leg: Leg): ((candidate: Candidate) => number) => {
  const scores = candidates.filter(({ isProposed }) => isProposed).flatMap((candidate) => candidate[leg] ?? [])
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length)
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / Math.max(1, scores.length))
  const unit = deviation > 1e-9 * Math.abs(mean) ? deviation : Math.abs(mean) || 1
  const least = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return (candidate) => (Math.max(candidate[leg] ?? mean, least - unit) - mean) / unit
}

/** The score of each passage by itself; 0 is that of an average one. */
const ownScores = (candidates: readonly Candidate[]): Map<number, number> => {
  const legs = (['lexical', 'semantic'] as const).filter((leg) => candidates.some((one) => one[leg] !== undefined))
  const standards = legs.map((leg) => standard(candidates, leg))
  return new Map(
    candidates.map((candidate) => [
      candidate.passage,
      standards.reduce((sum, score) => sum + score(candidate), 0) / Math.max(1, legs.length),
    ]),
  )
}

/** Orders versions by their best passages, of each as many as are wanted. */
export const rank = <One extends Candidate>(candidates: readonly One[], passagesEach = 1): Ranked<One>[] => {
  const own = ownScores(candidates)
  const scored = candidates.map((candidate): Ranked<One> => {
    let [sum, weight] = [own.get(candidate.passage) ?? 0, 1]
    for (const { passage, distance } of candidate.neighbours) {
      const share = shares[distance] ?? 0
      sum += share * (own.get(passage) ?? 0)
      weight += share
    }
    // Between the sum, which would favour what has neighbours, and the mean, which would favour what has none.
    const score = sum / Math.sqrt(weight)
    return { candidate, score, isLifted: score > 0 && score > 2 * (own.get(candidate.passage) ?? 0) }
  })
  const taken = new Map<number, number>()
  return scored
    .sort((a, b) => b.score - a.score || a.candidate.passage - b.candidate.passage)
    .filter(({ candidate: { version } }) => {
      const count = (taken.get(version) ?? 0) + 1
      taken.set(version, count)
      return count <= passagesEach
    })
}

/** A passage that lends its words to the query, and how much it counts; all together count 1. */
export type Exemplar = { passage: number; share: number }

const mostExemplars = 5

/** The best passages by themselves: each counts half, a third and so on of the first. */
export const exemplarsOf = (candidates: readonly Candidate[]): Exemplar[] => {
  const own = ownScores(candidates)
  const scoreOf = ({ passage }: Candidate) => own.get(passage) ?? 0
  const best = candidates
    .filter(({ isProposed }) => isProposed)
    .sort((a, b) => scoreOf(b) - scoreOf(a) || a.passage - b.passage)
    .slice(0, mostExemplars)
  const whole = best.reduce((sum, _one, at) => sum + 1 / (at + 1), 0)
  return best.map(({ passage }, at) => ({ passage, share: 1 / (at + 1) / whole }))
}
