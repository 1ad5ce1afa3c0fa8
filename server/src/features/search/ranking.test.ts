import { expect, test } from 'vitest'
import { type Candidate, exemplarsOf, rank } from './ranking.ts'

const candidate = (passage: number, parts: Partial<Candidate> = {}): Candidate => ({
  passage,
  version: passage,
  isProposed: true,
  before: [],
  after: [],
  ...parts,
})

const order = (candidates: readonly Candidate[]) => rank(candidates).map(({ passage }) => passage)

test('a passage that both ways find good comes before those that one of them finds best', () => {
  const candidates = [
    candidate(1, { lexical: 9, semantic: 0.1 }),
    candidate(2, { lexical: 8, semantic: 0.8 }),
    candidate(3, { lexical: 0, semantic: 0.9 }),
    candidate(4, { lexical: 0, semantic: 0.1 }),
  ]
  expect(order(candidates)[0]).toBe(2)
})

test('an order does not depend on the units of scores nor on the order in which they come', () => {
  const scores = [
    [3, 0.2],
    [1, 0.9],
    [2, 0.5],
    [0, 0.1],
  ]
  const candidates = scores.map(([lexical, semantic], at) => candidate(at, { lexical, semantic }))
  const scaled = scores.map(([lexical = 0, semantic], at) => candidate(at, { lexical: lexical * 40 + 7, semantic }))
  expect(order(scaled.reverse())).toEqual(order(candidates))
})

test('the turn after the question is lifted above one that stands alone with the same score', () => {
  const [question, answer, lone, other] = [
    candidate(1, { lexical: 9, after: [2] }),
    candidate(2, { lexical: 3, before: [1] }),
    candidate(3, { lexical: 3 }),
    candidate(4, { lexical: 0 }),
  ]
  const ranked = rank([lone, answer, question, other])
  expect(ranked.map(({ passage }) => passage)).toEqual([1, 2, 3, 4])
  expect(ranked[1]?.lift).toBeGreaterThan(0)
  expect(ranked[2]?.lift).toBe(0)
})

test('what stands before counts for more than what comes after, and the near for more than the far', () => {
  const ranked = rank([
    candidate(1, { lexical: 9, before: [4, 5], after: [2, 3] }),
    candidate(2, { lexical: 1, before: [1] }),
    candidate(3, { lexical: 1, before: [2, 1] }),
    candidate(4, { lexical: 1, after: [1] }),
    candidate(5, { lexical: 1, after: [4, 1] }),
  ])
  const lift = new Map(ranked.map((one) => [one.passage, one.lift]))
  expect(lift.get(2)).toBeGreaterThan(lift.get(4) ?? 0)
  expect(lift.get(2)).toBeGreaterThan(lift.get(3) ?? 0)
})

test('neighbours that nothing proposed do not move the scale, and may be answered', () => {
  const proposed = [candidate(1, { lexical: 4, after: [3] }), candidate(2, { lexical: 2 })]
  const fetched = candidate(3, { lexical: 0, isProposed: false, before: [1] })
  const own = (candidates: readonly Candidate[], passage: number) =>
    rank(candidates).find((one) => one.passage === passage)?.own
  expect(own([...proposed, fetched], 2)).toBe(own(proposed, 2))
  expect(order([...proposed, fetched])).toContain(3)
})

test('a version is told once, by its best passage', () => {
  const ranked = rank([
    candidate(1, { version: 1, lexical: 1, after: [2] }),
    candidate(2, { version: 1, lexical: 5, before: [1] }),
    candidate(3, { version: 3, lexical: 2 }),
  ])
  expect(ranked.map(({ passage }) => passage)).toEqual([2, 3])
})

test('a passage whose meaning is not known yet counts as average by meaning', () => {
  const ranked = rank([
    candidate(1, { lexical: 2, semantic: 0.9 }),
    candidate(2, { lexical: 2 }),
    candidate(3, { lexical: 2, semantic: 0.1 }),
  ])
  expect(ranked.map(({ passage, semantic }) => [passage, semantic])).toEqual([
    [1, 1],
    [2, 0],
    [3, -1],
  ])
})

test('candidates that cannot be told apart keep the order of their numbers', () => {
  expect(order([candidate(2, { lexical: 1 }), candidate(1, { lexical: 1 })])).toEqual([1, 2])
  expect(rank([])).toEqual([])
  expect(rank([candidate(7, { semantic: 0.4 })])).toMatchObject([{ passage: 7, score: 0 }])
})

test('exemplars are the best by themselves, proposed, at most five, and count 1 together', () => {
  const candidates = [...Array(8).keys()].map((passage) =>
    candidate(passage, { lexical: passage, isProposed: passage < 7 }),
  )
  const exemplars = exemplarsOf(candidates)
  expect(exemplars.map(({ passage }) => passage)).toEqual([6, 5, 4, 3, 2])
  expect(exemplars.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  expect(exemplars[0]?.share).toBeCloseTo(2 * (exemplars[1]?.share ?? 0))
  expect(exemplarsOf([])).toEqual([])
})
