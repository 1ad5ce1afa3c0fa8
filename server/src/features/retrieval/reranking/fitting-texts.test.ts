import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFittingTexts } from './fitting-texts.ts'

test('RNK-06 as many passages are reranked as the machine reads in 150 ms, from 8 to 30', () => {
  const after = (millisecondsEach: number, searches = 40): number => {
    const fitting = createFittingTexts(20)
    for (let n = 0; n < searches; n++) fitting.record(fitting.count(), fitting.count() * millisecondsEach)
    return fitting.count()
  }
  expect(createFittingTexts(20).count()).toBe(20)
  expect([after(7.5), after(1), after(10), after(60)]).toEqual([20, 30, 15, 8])
  // One late answer of a busy moment changes little, and is forgotten.
  const fitting = createFittingTexts(20)
  fitting.record(20, 400)
  expect(fitting.count()).toBeGreaterThanOrEqual(14)
  for (let n = 0; n < 20; n++) fitting.record(fitting.count(), fitting.count() * 7.5)
  expect(fitting.count()).toBe(19)
})

test('RNK-06 the number of passages stays within its bounds for all measurements', () => {
  const measured = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 60_000, noNaN: true }))
  fc.assert(
    fc.property(fc.array(measured, { maxLength: 50 }), (all) => {
      const fitting = createFittingTexts(20)
      for (const [texts, milliseconds] of all) fitting.record(texts, milliseconds)
      expect(fitting.count()).toBeGreaterThanOrEqual(8)
      expect(fitting.count()).toBeLessThanOrEqual(30)
    }),
  )
})
