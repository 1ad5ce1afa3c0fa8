// The order of what two ways of finding proposed. Pure: it is given scores and what stands next to what. How each number
// here was chosen is measured in docs/decisions/0018-ranking.md.

/** A passage with what each way of finding makes of it. */
export type Candidate = {
  passage: number
  /** The version that it is of: passages of one version share this. */
  version: number
  /** BM25; undefined where words were not asked. */
  lexical?: number | undefined
  /** Cosine; undefined where meaning was not asked, or is not known of this passage yet. */
  semantic?: number | undefined
  /** Whether a way of finding proposed it. The others are here because they stand next to one that was. */
  isProposed: boolean
  /** The passages before it and after it in its conversation or document, the nearest first. */
  before: readonly number[]
  after: readonly number[]
}

/** A version by its best passage. Scores are told in standard deviations above the average proposal of this search. */
export type Ranked = {
  passage: number
  score: number
  /** What the passage is worth by itself, and by each way of finding: 0 where that one was not asked. */
  own: number
  lexical: number
  semantic: number
  /** What its neighbours make of that: more than 0 where they speak for it. */
  lift: number
  candidate: Candidate
}

/**
 * What a passage takes from the neighbours at distance 1, 2 and 3. More from those before it: the answer follows the
 * question, and the words of the question stand there.
 */
const sharesBefore = [0.5, 0.25, 0.125]
const sharesAfter = [0.35, 0.175, 0.0875]

/** How far to either side neighbours count. */
export const reach = sharesBefore.length

type Leg = 'lexical' | 'semantic'

/**
 * Puts scores of different sorts on one scale, on which 0 is the average proposal and 1 a standard deviation. Sums of these
 * (Fox & Shaw 1994; Lee 1997) keep by how much one passage is better than another, which its rank alone does not. What was
 * only fetched as a neighbour is measured but does not move the scale. A score that is not known counts as average.
 */
const scaleOf = (candidates: readonly Candidate[], leg: Leg): ((candidate: Candidate) => number) => {
  const scores = candidates.flatMap((one) => (one.isProposed ? (one[leg] ?? []) : []))
  const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length)
  const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / Math.max(1, scores.length))
  if (deviation < Number.EPSILON) return () => 0
  return ({ [leg]: score }) => (score === undefined ? 0 : (score - mean) / deviation)
}

type Own = Pick<Ranked, 'own' | 'lexical' | 'semantic'> & { candidate: Candidate }

const ownScores = (candidates: readonly Candidate[]): Map<number, Own> => {
  const isAsked = (leg: Leg) => candidates.some((one) => one[leg] !== undefined)
  const legs = Math.max(1, Number(isAsked('lexical')) + Number(isAsked('semantic')))
  const [byWords, byMeaning] = [scaleOf(candidates, 'lexical'), scaleOf(candidates, 'semantic')]
  const scored = candidates.map((candidate): Own => {
    const [lexical, semantic] = [byWords(candidate), byMeaning(candidate)]
    return { candidate, lexical, semantic, own: (lexical + semantic) / legs }
  })
  return new Map(scored.map((one) => [one.candidate.passage, one]))
}

/**
 * A passage among its neighbours. Divided by the root of the shares, sums vary as much as lone scores do, so that neither
 * the turns of a conversation nor things that stand alone come first for being what they are.
 */
const smooth = (scores: ReadonlyMap<number, Own>, { own, candidate }: Own): number => {
  let [sum, shares] = [own, 1]
  const add = (neighbours: readonly number[], sharesByDistance: readonly number[]) => {
    for (const [at, share] of sharesByDistance.entries()) {
      const neighbour = neighbours[at] === undefined ? undefined : scores.get(neighbours[at])
      if (!neighbour) continue
      sum += share * neighbour.own
      shares += share
    }
  }
  add(candidate.before, sharesBefore)
  add(candidate.after, sharesAfter)
  return sum / Math.sqrt(shares)
}

/** Orders versions by their best passage, the best first. */
export const rank = (candidates: readonly Candidate[]): Ranked[] => {
  const scores = ownScores(candidates)
  const best = new Map<number, Ranked>()
  for (const one of scores.values()) {
    const score = smooth(scores, one)
    const { passage, version } = one.candidate
    const before = best.get(version)
    if (!before || before.score < score) best.set(version, { ...one, passage, score, lift: score - one.own })
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.passage - b.passage)
}

/** A passage that the query is to be enriched by, and how much it counts; all together count 1. */
export type Exemplar = { passage: number; share: number }

const mostExemplars = 5

/** The best passages by themselves, each counting half, a third ... of the first. */
export const exemplarsOf = (candidates: readonly Candidate[]): Exemplar[] => {
  const best = [...ownScores(candidates).values()]
    .filter(({ candidate }) => candidate.isProposed)
    .sort((a, b) => b.own - a.own || a.candidate.passage - b.candidate.passage)
    .slice(0, mostExemplars)
  const whole = best.reduce((sum, _one, at) => sum + 1 / (at + 1), 0)
  return best.map(({ candidate }, at) => ({ passage: candidate.passage, share: 1 / (at + 1) / whole }))
}
