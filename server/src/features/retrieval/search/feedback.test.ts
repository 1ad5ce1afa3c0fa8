import { expect, test } from 'vitest'
import { enrichTerms, enrichVector, termsOfExemplars } from './feedback.ts'

const counts = (entries: Record<string, number>) => new Map(Object.entries(entries))
const sum = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((total, weight) => total + weight, 0)

test('the terms of exemplars are those that stand in most of them, without stop terms', () => {
  const terms = termsOfExemplars(
    [
      { share: 0.6, counts: counts({ wing: 2, flutter: 1, the: 9 }) },
      { share: 0.4, counts: counts({ flutter: 1, panel: 1 }) },
    ],
    (term) => term === 'the',
  )
  expect([...terms.keys()]).toEqual(['flutter', 'wing', 'panel'])
})

test('no more terms are looked up than a query may have', () => {
  const many = new Map([...Array(500).keys()].map((at) => [`t${at}`, 1]))
  expect(termsOfExemplars([{ share: 1, counts: many }], () => false).size).toBe(26)
})

test('most of an enriched query is what was asked; rare terms are lent more, common and unknown ones nothing', () => {
  const holders = counts({ wing: 50, flutter: 2, panel: 20, flow: 900 })
  const enriched = enrichTerms(
    counts({ wing: 1, model: 1 }),
    counts({ flutter: 0.5, panel: 0.5, flow: 0.5, wing: 0.5, unheard: 0.5 }),
    { passages: 1000, holders: (term) => holders.get(term) ?? 0 },
  )
  expect(sum(enriched)).toBeCloseTo(1)
  expect(enriched.get('model')).toBeCloseTo(0.35)
  expect(enriched.get('wing')).toBeGreaterThan(0.35)
  expect(enriched.get('flutter')).toBeGreaterThan(enriched.get('panel') ?? 0)
  expect([...enriched.keys()].sort()).toEqual(['flutter', 'model', 'panel', 'wing'])
})

test('a query that nothing can be lent to stays what it is', () => {
  const nothing = { passages: 10, holders: () => 0 }
  expect(enrichTerms(counts({ a: 1, b: 3 }), new Map(), nothing)).toEqual(counts({ a: 0.25, b: 0.75 }))
  const asked = Float32Array.of(1, 0)
  expect(enrichVector(asked, [])).toBe(asked)
})

test('a vector moves towards the exemplars and keeps its length', () => {
  const moved = enrichVector(Float32Array.of(1, 0), [
    { share: 0.5, vector: Float32Array.of(0, 1) },
    { share: 0.5, vector: undefined },
  ])
  expect(Math.hypot(...moved)).toBeCloseTo(1)
  expect(moved[0]).toBeGreaterThan(moved[1] ?? 1)
  expect(moved[1]).toBeGreaterThan(0.3)
})
