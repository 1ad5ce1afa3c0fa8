// The order of what two ways of finding proposed. Pure: it is given scores and what stands next to what.

/** A passage with what each way of finding makes of it; a way that was not asked has no score. */
export type Candidate = {
  passage: number
  /** The version that it is of: passages of one version share this. */
  version: number
  lexical?: number | undefined
  semantic?: number | undefined
  /** The passages next to it in its conversation or document. */
  neighbours: readonly number[]
}

/** A version by its best passage. */
export type Ranked = { passage: number; score: number; candidate: Candidate; isLifted: boolean }

/** What a passage gets of each neighbour's score: the answer often stands next to the words of the question. */
const neighbourShare = 0.35

type Scores = Map<number, number>

/**
 * Puts scores of different sorts on one scale: how many standard deviations each lies above the least. Sums of these (as in
 * CombSUM, Fox & Shaw 1994) keep by how much one passage is better than another, which its rank alone does not.
 */
const standardize = (candidates: readonly Candidate[], leg: 'lexical' | 'semantic'): Scores => {
  const scores = candidates.map((candidate) => candidate[leg] ?? 0)
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length)
  const least = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  return new Map(
    candidates.map(({ passage }, at) => [passage, deviation === 0 ? 1 : ((scores[at] ?? 0) - least) / deviation]),
  )
}

const sumOf = (candidates: readonly Candidate[]): Scores => {
  const legs = (['lexical', 'semantic'] as const).filter((leg) => candidates.some((one) => one[leg] !== undefined))
  const [only] = legs
  if (legs.length === 1 && only) return new Map(candidates.map((one) => [one.passage, one[only] ?? 0]))
  const standards = legs.map((leg) => standardize(candidates, leg))
  return new Map(
    candidates.map(({ passage }) => [passage, standards.reduce((sum, scores) => sum + (scores.get(passage) ?? 0), 0)]),
  )
}

/** Orders versions by their best passages, of each as many as are wanted. */
export const rank = (candidates: readonly Candidate[], passagesEach = 1): Ranked[] => {
  const own = sumOf(candidates)
  const ranked = candidates.map((candidate): Ranked => {
    const { passage, neighbours } = candidate
    const lift = neighbours.reduce((sum, neighbour) => sum + neighbourShare * (own.get(neighbour) ?? 0), 0)
    const base = own.get(passage) ?? 0
    return { passage, score: base + lift, candidate, isLifted: lift > base }
  })
  ranked.sort((a, b) => b.score - a.score || a.passage - b.passage)
  const taken = new Map<number, number>()
  return ranked.filter(({ candidate: { version } }) => {
    const count = taken.get(version) ?? 0
    taken.set(version, count + 1)
    return count < passagesEach
  })
}
