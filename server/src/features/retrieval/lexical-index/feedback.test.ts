import { expect, test } from 'vitest'
import { addFeedbackTerms, chooseFeedbackTerms } from './feedback.ts'

const counts = (entries: Record<string, number>) => new Map(Object.entries(entries))
const sum = (weights: ReadonlyMap<string, number>) => [...weights.values()].reduce((total, weight) => total + weight, 0)

test('the terms of feedback are those in most of its passages', () => {
  const terms = chooseFeedbackTerms([
    { weight: 0.6, counts: counts({ wing: 2, flutter: 1 }) },
    { weight: 0.4, counts: counts({ flutter: 1, panel: 1 }) },
  ])
  expect([...terms.keys()]).toEqual(['flutter', 'wing', 'panel'])
})

test('no more terms are looked up than a query may have', () => {
  const many = new Map([...Array(500).keys()].map((at) => [`t${at}`, 1]))
  expect(chooseFeedbackTerms([{ weight: 1, counts: many }]).size).toBe(26)
})

test('most of the new query is the original; rare terms get more weight, common and unknown ones none', () => {
  const weights = addFeedbackTerms(
    counts({ wing: 1, model: 1 }),
    counts({ flutter: 0.5, panel: 0.5, flow: 0.5, wing: 0.5, unheard: 0.5 }),
    { share: 0.3, passages: 1000, holders: counts({ wing: 50, flutter: 2, panel: 20, flow: 900 }) },
  )
  expect(sum(weights)).toBeCloseTo(1)
  expect(weights.get('model')).toBeCloseTo(0.35)
  expect(weights.get('wing')).toBeGreaterThan(0.35)
  expect(weights.get('flutter')).toBeGreaterThan(weights.get('panel') ?? 0)
  expect([...weights.keys()].sort()).toEqual(['flutter', 'model', 'panel', 'wing'])
})

test('a query without additional terms stays unchanged', () => {
  const nothing = { share: 0.3, passages: 10, holders: new Map() }
  expect(addFeedbackTerms(counts({ a: 1, b: 3 }), new Map(), nothing)).toEqual(counts({ a: 0.25, b: 0.75 }))
})
