import fc from 'fast-check'
import { expect, test } from 'vitest'
import { neighbourSlots } from '../lexical-index/types.ts'
import { chooseFeedback, rank, type Scores } from './ranking.ts'

/** A passage with its scores by both methods, and its neighbors by distance: 1 is the next, -1 the previous one. */
type Candidate = {
  passage: number
  version: number
  lexical?: number | undefined
  semantic?: number | undefined
  isProposed: boolean
  neighbours: { passage: number; distance: number }[]
}

const candidate = (passage: number, parts: Partial<Candidate> = {}): Candidate => ({
  passage,
  version: passage,
  isProposed: true,
  neighbours: [],
  ...parts,
})

const around = (...neighbours: (readonly [passage: number, distance: number])[]) => ({
  neighbours: neighbours.map(([passage, distance]) => ({ passage, distance })),
})

const toWays = (candidates: readonly Candidate[]): Scores[] =>
  (['lexical', 'semantic'] as const)
    .filter((way) => candidates.some((one) => one[way] !== undefined))
    .map((way) => candidates.map((one) => one[way] ?? Number.NaN))

/** Slots are -1, -2, -3, 1, 2, 3. */
const toSlot = (distance: number): number => (distance < 0 ? -distance - 1 : distance + 2)

const rankAll = (given: readonly Candidate[]) => {
  const candidates = [...given.filter(({ isProposed }) => isProposed), ...given.filter(({ isProposed }) => !isProposed)]
  const passages = candidates.map(({ passage }) => passage)
  const places = new Int32Array(candidates.length * neighbourSlots).fill(-1)
  for (const [place, { neighbours }] of candidates.entries())
    for (const { passage, distance } of neighbours)
      places[place * neighbourSlots + toSlot(distance)] = passages.includes(passage)
        ? passages.indexOf(passage)
        : passages.length
  const proposed = given.filter(({ isProposed }) => isProposed).length
  const versions = candidates.map(({ version }) => version)
  const scores = Float32Array.from(candidates, ({ lexical }) => lexical ?? 0)
  return rank({ passages, proposed, around: places, versions, scores }, toWays(candidates))
}

const order = (candidates: readonly Candidate[]) => rankAll(candidates).map(({ passage }) => passage)

const scores = (candidates: readonly Candidate[]) =>
  new Map(rankAll(candidates).map(({ passage, score }) => [passage, score]))

test('a passage that both ways find good comes before those that one of them finds best', () => {
  const candidates = [
    candidate(1, { lexical: 9, semantic: 0.1 }),
    candidate(2, { lexical: 8, semantic: 0.8 }),
    candidate(3, { lexical: 0, semantic: 0.9 }),
    candidate(4, { lexical: 0, semantic: 0.1 }),
  ]
  expect(order(candidates)[0]).toBe(2)
})

test('an order depends neither on the units of scores nor on the order in which they come', () => {
  const given: [number, number][] = [
    [3, 0.2],
    [1, 0.9],
    [2, 0.5],
    [0, 0.1],
  ]
  const candidates = given.map(([lexical, semantic], at) => candidate(at, { lexical, semantic }))
  const inOtherUnits = given.map(([lexical, semantic], at) => candidate(at, { lexical: lexical * 40 + 7, semantic }))
  expect(order(inOtherUnits.reverse())).toEqual(order(candidates))
})

test('the turn after the question comes before an isolated one with the same score', () => {
  const candidates = [
    candidate(1, { lexical: 3 }),
    candidate(2, { lexical: 9, ...around([3, 1]) }),
    candidate(3, { lexical: 3, ...around([2, -1]) }),
    candidate(4, { lexical: 0 }),
  ]
  expect(order(candidates)).toEqual([2, 3, 1, 4])
})

test('earlier neighbours count more than later ones, and near ones more than far ones', () => {
  const lifted = scores([
    candidate(1, { lexical: 9 }),
    candidate(2, { lexical: 1, ...around([1, -1]) }),
    candidate(3, { lexical: 1, ...around([1, -2]) }),
    candidate(4, { lexical: 1, ...around([1, 1]) }),
    candidate(5, { lexical: 1, ...around([1, 3]) }),
  ])
  const score = (passage: number) => lifted.get(passage) ?? 0
  expect(score(2)).toBeGreaterThan(score(4))
  expect(score(4)).toBeGreaterThan(score(3))
  expect(score(3)).toBeGreaterThan(score(5))
})

test('neighbours that nothing proposed do not move the scale, and may be answered', () => {
  const proposed = [candidate(1, { lexical: 4, ...around([3, 1]) }), candidate(2, { lexical: 2 })]
  const fetched = candidate(3, { lexical: 0, isProposed: false, ...around([1, -1]) })
  expect(scores([...proposed, fetched]).get(2)).toBe(scores(proposed).get(2))
  expect(order([...proposed, fetched])).toContain(3)
})

test('if all proposals are alike, or almost, one next to a silent neighbour is not put far below the others', () => {
  for (const [first, second, third] of [
    [1.1, 1.1, 1.1],
    [1.1, 1.1 + 1e-15, 1.1],
    [1.1, 1.11, 1.12],
  ]) {
    const candidates = [
      candidate(4, { lexical: first, ...around([1, 1]) }),
      candidate(2, { lexical: second }),
      candidate(3, { lexical: third }),
      candidate(1, { lexical: 0, isProposed: false, ...around([4, -1]) }),
    ]
    expect(scores(candidates).get(4)).toBeGreaterThan(-2)
    expect(order(candidates).at(-1)).toBe(1)
  }
})

test('a version is shown once, by its best passage', () => {
  const candidates = [
    candidate(1, { version: 1, lexical: 1, ...around([2, 1]) }),
    candidate(2, { version: 1, lexical: 5, ...around([1, -1]) }),
    candidate(3, { version: 3, lexical: 2 }),
  ]
  expect(order(candidates)).toEqual([2, 3])
})

test('a passage whose meaning is not known yet counts as one of the meaning that its words predict', () => {
  const candidates = [
    candidate(1, { lexical: 2, semantic: 0.1 }),
    candidate(2, { lexical: 2 }),
    candidate(3, { lexical: 2, semantic: 0.9 }),
  ]
  expect(order(candidates)).toEqual([3, 2, 1])
})

test('while few have a vector, the best of those does not come before what words find', () => {
  const candidates = [
    candidate(1, { lexical: 9 }),
    candidate(2, { lexical: 8 }),
    candidate(3, { lexical: 7 }),
    candidate(4, { lexical: 6, semantic: 0.9 }),
    candidate(5, { lexical: 1, semantic: 0.1 }),
  ]
  expect(order(candidates)).toEqual([1, 2, 3, 4, 5])
})

/** So many candidates that both ways score alike, except one each that is the best by words or by meaning. */
const withBest = (count: number, best: { lexical: number; semantic: number }) => [
  ...Array.from({ length: count }, (_, at) => candidate(at + 3, { lexical: at % 5, semantic: (at % 5) / 10 })),
  candidate(1, { lexical: best.lexical, semantic: 0.2 }),
  candidate(2, { lexical: 2, semantic: best.semantic }),
]

test('among many candidates the way whose best stands out more decides', () => {
  const best = { lexical: 9, semantic: 0.77 }
  expect(order(withBest(30, best))[0]).toBe(1)
  expect(order(withBest(150, best))[0]).toBe(2)
  expect(order(withBest(150, { ...best, semantic: 0.5 }))[0]).toBe(1)
})

test('a passage without a vector does not come before one that matches as well by words and well by meaning', () => {
  const others = Array.from({ length: 150 }, (_, at) =>
    candidate(at + 3, { lexical: at % 5, semantic: ((at * 7) % 11) / 20 }),
  )
  const known = candidate(1, { lexical: 20, semantic: 0.9 })
  const unknown = candidate(2, { lexical: 20 })
  expect(order([...others, unknown, known]).slice(0, 2)).toEqual([1, 2])
})

const hundredths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 100)
const given = fc.array(fc.record({ lexical: hundredths(0, 2_000), semantic: hundredths(-100, 100) }), {
  minLength: 1,
  maxLength: 40,
})

test('without any vector the order is that of words, and with all of a few it is by the mean of both', () => {
  const standardize = (values: readonly number[]) => {
    // Fewer than 30 are compared with passages that have nothing in common with the query.
    const compared = [...values, ...Array<number>(Math.max(0, 30 - values.length)).fill(0)]
    const mean = compared.reduce((sum, value) => sum + value, 0) / compared.length
    const deviation = Math.sqrt(compared.reduce((sum, value) => sum + (value - mean) ** 2, 0) / compared.length)
    const unit = deviation > 1e-9 * Math.abs(mean) ? deviation : Math.abs(mean) || 1
    return values.map((value) => (value - mean) / unit)
  }
  fc.assert(
    fc.property(given, (all) => {
      const [byWords, byMeaning] = [all.map(({ lexical }) => lexical), all.map(({ semantic }) => semantic)]
      const none = byWords.map(() => Number.NaN)
      const passages = [...all.keys()]
      const toScores = (ways: readonly Scores[]) => {
        const around = new Int32Array(all.length * neighbourSlots).fill(-1)
        const candidates = { passages, proposed: all.length, around, versions: passages, scores: new Float32Array() }
        const ranked = rank(candidates, ways)
        return passages.map((passage) => ranked.find((one) => one.passage === passage)?.score ?? Number.NaN)
      }
      expect(toScores([byWords, none])).toEqual(toScores([byWords]))
      const [words, meaning] = [standardize(byWords), standardize(byMeaning)]
      for (const [index, score] of toScores([byWords, byMeaning]).entries())
        expect(score).toBeCloseTo(((words[index] ?? 0) + (meaning[index] ?? 0)) / 2, 9)
    }),
  )
})

test('QRY-09 the scores of one result and of two are above 0, and say by how much one is better', () => {
  const scores = (...lexical: number[]) => {
    const passages = [...lexical.keys()]
    const around = new Int32Array(lexical.length * neighbourSlots).fill(-1)
    const candidates = { passages, proposed: lexical.length, around, versions: passages, scores: new Float32Array() }
    return rank(candidates, [lexical]).map(({ score }) => score)
  }
  const [only = 0] = scores(3)
  expect(only).toBeGreaterThan(1)
  const [first = 0, second = 0] = scores(3, 3)
  expect(first).toBe(second)
  expect(second).toBeGreaterThan(1)
  const [best = 0, worse = 0] = scores(4, 3)
  expect(best).toBeGreaterThan(worse)
  expect(worse).toBeGreaterThan(1)
  expect(scores(4, 0.5)[1]).toBeLessThan(1)
})

test('equal candidates keep the order of their numbers', () => {
  expect(order([candidate(2, { lexical: 1 }), candidate(1, { lexical: 1 })])).toEqual([1, 2])
  expect(order([candidate(7, { semantic: 0.4 })])).toEqual([7])
  expect(order([])).toEqual([])
})

test('feedback is of the best by themselves that were proposed, at most five, and counts 1 together', () => {
  const proposed = [...Array(7).keys()]
  const { passages } = chooseFeedback(proposed, [proposed])
  expect(passages.map(({ passage }) => passage)).toEqual([6, 5, 4, 3, 2])
  expect(passages.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1)
  expect(passages[0]?.weight).toBeCloseTo(2 * (passages[1]?.weight ?? 0))
  expect(chooseFeedback([], []).passages).toEqual([])
})
