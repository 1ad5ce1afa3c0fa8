import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quantize, VectorIndex } from './vector-index.ts'
import { acceptedPassages } from './vectors.fixture.ts'

/** Pseudo-random numbers between -1 and 1, the same each time. */
const createNoise = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  }
}

const unit = (values: number[]): Float32Array => {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

const add = (index: VectorIndex, rows: { passage: number; vector: Float32Array }[]) =>
  index.add(
    rows.map(({ passage }) => passage),
    Int8Array.from(rows.flatMap(({ vector }) => [...quantize(vector)])),
  )

const all = acceptedPassages()

const cosine = (one: ArrayLike<number>, other: ArrayLike<number>) => {
  let [product, square] = [0, 0]
  for (let axis = 0; axis < one.length; axis++) {
    product += (one[axis] ?? 0) * (other[axis] ?? 0)
    square += (other[axis] ?? 0) ** 2
  }
  return product / Math.sqrt(square || 1)
}

test('the nearest are those with the greatest cosines, of the passages that are accepted', () => {
  const vector = (dimensions: number) =>
    fc.array(fc.integer({ min: -100, max: 100 }), { minLength: dimensions, maxLength: dimensions })
  const cases = fc.integer({ min: 1, max: 9 }).chain((dimensions) =>
    fc.record({
      query: vector(dimensions),
      rows: fc.array(
        fc.record({ step: fc.integer({ min: 1, max: 5 }), isAccepted: fc.boolean(), values: vector(dimensions) }),
        { maxLength: 700 },
      ),
      count: fc.integer({ min: 1, max: 30 }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ query, rows, count }) => {
      const index = new VectorIndex(query.length)
      let last = 0
      const kept = rows.map(({ step, isAccepted, values }) => {
        last += step
        return { passage: last, isAccepted, vector: unit(values) }
      })
      for (let at = 0; at < kept.length; at += 100) add(index, kept.slice(at, at + 100))
      const target = unit(query)
      const accepted = kept.filter(({ isAccepted }) => isAccepted)
      const expected = accepted
        .map(({ vector: stored }) => cosine(target, quantize(stored)))
        .sort((one, other) => other - one)
        .slice(0, count)
      const numbers = new Set(accepted.map(({ passage }) => passage))
      const found = index.findNearest(
        target,
        count,
        acceptedPassages((passage) => numbers.has(passage), 4_000),
      )
      // Of passages that are equally near any may come first.
      expect(found).toHaveLength(expected.length)
      for (const [index, { similarity }] of found.entries()) expect(similarity).toBeCloseTo(expected[index] ?? 9, 5)
      const passages = found.map(({ passage }) => passage)
      expect([...index.compare(target, passages)]).toEqual(found.map(({ similarity }) => similarity))
      expect(new Set(found.map(({ passage }) => passage)).size).toBe(found.length)
      expect(index.size).toBe(kept.length)
      expect(index.newest).toBe(last)
    }),
    { numRuns: 30 },
  )
})

test('a passage that is not there has no similarity', () => {
  const index = new VectorIndex(3)
  expect([...index.compare(unit([1, 0, 0]), [5])]).toEqual([Number.NaN])
  add(
    index,
    [4, 6].map((passage) => ({ passage, vector: unit([1, 1, 1]) })),
  )
  const none = Number.NaN
  const similarities = [...index.compare(unit([1, 0, 0]), [0, 3, 4, 5, 7])]
  expect(similarities).toEqual([none, none, expect.closeTo(Math.sqrt(1 / 3), 5), none, none])
  expect(index.findNearest(unit([1, 0, 0]), 9, all)).toHaveLength(2)
})

test('among many, nearly all of the nearest are found, though most are never compared in full', () => {
  const noise = createNoise(1)
  const dimensions = 384
  const topics = Array.from({ length: 200 }, () => Array.from({ length: dimensions }, noise))
  const about = (topic: number) => unit((topics[topic] ?? []).map((value) => value + 1.2 * noise()))
  const index = new VectorIndex(dimensions)
  const vectors = Array.from({ length: 20_000 }, (_, index) => about(index % 200))
  for (let at = 0; at < vectors.length; at += 1_000)
    add(
      index,
      vectors.slice(at, at + 1_000).map((vector, index) => ({ passage: at + index + 1, vector })),
    )
  let hits = 0
  for (let topic = 0; topic < 20; topic++) {
    const query = about(topic)
    const exact = vectors
      .map((vector, index) => ({ passage: index + 1, similarity: cosine(query, vector) }))
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, 10)
    const found = new Set(index.findNearest(query, 10, all).map(({ passage }) => passage))
    hits += exact.filter(({ passage }) => found.has(passage)).length
  }
  expect(hits / 200).toBeGreaterThan(0.95)
  // Those that few are of are found, too, however far they are.
  const rare = index.findNearest(
    about(0),
    10,
    acceptedPassages((passage) => passage % 4_000 === 150),
  )
  expect(rare.map(({ passage }) => passage).sort((one, other) => one - other)).toEqual([150, 4150, 8150, 12150, 16150])
})

test('a vector of 384 dimensions takes less than 700 bytes, and a small Brain little', () => {
  const index = new VectorIndex(384)
  const vector = unit(Array(384).fill(1))
  add(index, [{ passage: 1, vector }])
  expect(index.bytes).toBeLessThan(30_000)
  for (const size of [300, 1_000, 10_000]) {
    while (index.size < size) add(index, [{ passage: index.newest + 1, vector }])
    expect(index.bytes / size).toBeLessThan(700)
  }
})
