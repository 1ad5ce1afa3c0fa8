import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../../test/clock.ts'
import { createPgvectorDatabase, createSearchDatabase, type SearchDatabase } from '../../../test/pgvector-database.ts'
import { openPgvector } from './pgvector.ts'
import {
  createNoise,
  createVectorBrain,
  indexesOf,
  keptCosine,
  openVectors,
  unit,
  type VectorDatabase,
} from './vectors.fixture.ts'

// What search by meaning promises, wherever the vectors are searched: the same tests for each of the two ways.

type Opened = VectorDatabase & SearchDatabase

const inMemory = async (): Promise<Opened> => ({ ...(await createSearchDatabase()), pgvector: undefined })

const byPgvector = async (): Promise<Opened> => {
  const database = await createPgvectorDatabase()
  return { ...database, pgvector: await openPgvector(database.db) }
}

const all = () => true
const noise = createNoise(5)
const randomUnit = (dimensions = 8) => unit(Array.from({ length: dimensions }, noise))
const randomUnits = (count: number, dimensions = 8) => Array.from({ length: count }, () => randomUnit(dimensions))
const asked = (values: Float32Array, space = 'model/8') => ({ space, values })

/** What a look at every vector finds. */
const naiveNearest = (
  query: Float32Array,
  vectors: readonly Float32Array[],
  count: number,
  accepts: (passage: number) => boolean,
) =>
  vectors
    .map((vector, place) => ({ passage: place + 1, similarity: keptCosine(query, vector) }))
    .filter(({ passage }) => accepts(passage))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, count)

const rounded = (found: readonly { passage: number; similarity: number }[]) =>
  found.map(({ passage, similarity }) => [passage, similarity.toFixed(5)])

describe.each([
  ['in memory', inMemory],
  ['by pgvector', byPgvector],
])('search %s', (_name, open) => {
  let database: Opened
  const clock = createTestClock()
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.drop())

  /** A node that has built what it wants to have, and knows it. */
  const openNode = async (space = 'model/8') => {
    const node = openVectors(database, { clock, space })
    await node.keepIndexes()
    clock.advance({ seconds: 6 })
    return node
  }

  /** A Brain with these vectors, searched as a large one. */
  const createFilled = async (vectors: readonly Float32Array[], space = 'model/8') => {
    const brain = await createVectorBrain(database)
    await brain.add(vectors, space)
    const node = await openNode(space)
    if (database.pgvector)
      expect(await indexesOf(database)).toContainEqual(expect.stringContaining(`_${brain.brainId}_`))
    return { brain, brainId: brain.brainId, node }
  }

  test('the nearest of the accepted are found with their exact cosines, and nothing else', async () => {
    const vectors = randomUnits(150)
    const { brainId, node } = await createFilled(vectors)
    const cases = fc.record({
      values: fc
        .array(fc.integer({ min: -100, max: 100 }), { minLength: 8, maxLength: 8 })
        .filter((all) => all.some(Boolean)),
      count: fc.integer({ min: 1, max: 60 }),
      accepted: fc.oneof(
        fc.constant(vectors.map(() => true)),
        fc.array(fc.boolean(), { minLength: 150, maxLength: 150 }),
      ),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ values, count, accepted }) => {
        const query = unit(values)
        const accepts = (passage: number) => accepted[passage - 1] === true
        const found = await node.nearest(brainId, asked(query), count, accepts)
        expect(found.every(({ passage }) => accepts(passage))).toBe(true)
        const expected = naiveNearest(query, vectors, count, accepts)
        expect(found).toHaveLength(expected.length)
        for (const [at, { passage, similarity }] of found.entries()) {
          expect(similarity).toBeCloseTo(keptCosine(query, vectors[passage - 1] ?? query), 5)
          expect(similarity).toBeCloseTo(expected[at]?.similarity ?? 2, 5)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('similarities and vectors are those of the stored bytes, before and after a search', async () => {
    const vectors = randomUnits(120)
    const { brainId, node } = await createFilled(vectors)
    const query = randomUnit()
    const expected = [3, 1, 99].map((passage) => keptCosine(query, vectors[passage - 1] ?? query).toFixed(5))
    const similarities = async () =>
      (await node.similarities(brainId, asked(query), [3, 1, 999, 99])).map((value) => value?.toFixed(5))
    const withNone = [expected[0], expected[1], undefined, expected[2]]
    expect(await similarities()).toEqual(withNone)
    const [nearest] = await node.nearest(brainId, asked(query), 5, all)
    expect(await similarities()).toEqual(withNone)
    const vector = node.vectorOf(brainId, asked(query), nearest?.passage ?? 0)
    expect(vector && Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(vector?.reduce((sum, value, axis) => sum + value * (query[axis] ?? 0), 0)).toBeCloseTo(
      nearest?.similarity ?? 2,
      5,
    )
    expect(node.vectorOf(brainId, asked(query), 999)).toBeUndefined()
  })

  test('what is stored is found at once, by every node', async () => {
    const { brain, brainId, node } = await createFilled(randomUnits(120))
    const other = await openNode()
    const query = randomUnit()
    await other.nearest(brainId, asked(query), 3, all)
    const passages = await brain.add([query])
    for (const one of [node, other]) {
      const [first] = await one.nearest(brainId, asked(query), 3, all)
      expect(first?.passage).toBe(passages[0])
      expect(first?.similarity).toBeGreaterThan(0.999)
      const [similarity] = await one.similarities(brainId, asked(query), passages)
      expect(similarity).toBeCloseTo(first?.similarity ?? 0, 5)
    }
  })

  test('nodes agree', async () => {
    const { brainId, node } = await createFilled(randomUnits(200))
    const other = await openNode()
    for (let turn = 0; turn < 5; turn++) {
      const query = randomUnit()
      const [one, two] = await Promise.all([node, other].map((each) => each.nearest(brainId, asked(query), 20, all)))
      expect(rounded(one ?? [])).toEqual(rounded(two ?? []))
      expect(one).toHaveLength(20)
    }
  })

  test('passages of other Brains and of other spaces are never found', async () => {
    const query = randomUnit()
    const { brainId, brain, node } = await createFilled(randomUnits(120))
    const other = await createFilled([...randomUnits(119), query])
    // A name may hold whatever an operator calls a model.
    const elsewhere = 'it\'s "another" model\\/8'
    await brain.add([...randomUnits(129), query], elsewhere)
    const there = await openNode(elsewhere)
    expect(await node.nearest(brainId, asked(query), 200, all)).toHaveLength(120)
    expect((await node.nearest(brainId, asked(query), 1, all))[0]?.similarity).toBeLessThan(0.999)
    expect((await other.node.nearest(other.brainId, asked(query), 1, all))[0]?.passage).toBe(120)
    expect((await there.nearest(brainId, asked(query, elsewhere), 1, all))[0]?.passage).toBe(130)
    expect(await there.nearest(brainId, asked(query, elsewhere), 200, all)).toHaveLength(130)
    expect(await there.nearest(other.brainId, asked(query, elsewhere), 9, all)).toEqual([])
  })

  test('where few of many are accepted, those are found, however far they are', async () => {
    const query = unit([1, 1, 1, 1])
    const vectors = randomUnits(5_000, 4)
    const { brainId, node } = await createFilled(vectors, 'flat/4')
    const order = naiveNearest(query, vectors, 5_000, all).map(({ passage }) => passage)
    const nearest = async (accepted: readonly number[], count: number) => {
      const numbers = new Set(accepted)
      const found = await node.nearest(brainId, asked(query, 'flat/4'), count, (passage) => numbers.has(passage))
      expect(found.every(({ passage }) => numbers.has(passage))).toBe(true)
      return found.map(({ similarity }) => similarity.toFixed(5))
    }
    const similaritiesOf = (passages: readonly number[]) =>
      passages.map((passage) => keptCosine(query, vectors[passage - 1] ?? query).toFixed(5))
    expect(await nearest([], 10)).toEqual([])
    expect(await nearest(order.slice(-7), 10)).toEqual(similaritiesOf(order.slice(-7)))
    // Where many are accepted, some that are nearly as near may be found instead.
    for (const skipped of [196, 215, 600, 2_500]) {
      const rest = similaritiesOf(order.slice(skipped))
      const found = await nearest(order.slice(skipped), 10)
      expect(found, `all but ${skipped}`).toHaveLength(10)
      expect(Number(found.at(-1)), `all but ${skipped}`).toBeGreaterThanOrEqual(Number(rest[40]))
    }
  })

  test('a Brain without vectors has nothing near', async () => {
    const { brainId } = await createVectorBrain(database)
    const node = await openNode()
    expect(await node.nearest(brainId, asked(randomUnit()), 10, all)).toEqual([])
    expect(await node.similarities(brainId, asked(randomUnit()), [1, 2])).toEqual([undefined, undefined])
    expect(node.vectorOf(brainId, asked(randomUnit()), 1)).toBeUndefined()
  })

  test('with another model, of another number of dimensions, each space is searched by its own', async () => {
    const { brain, brainId, node } = await createFilled(randomUnits(150))
    const vectors = randomUnits(150, 24)
    await brain.add(vectors, 'newer/24')
    const newer = await openNode('newer/24')
    const query = randomUnit(24)
    const found = await newer.nearest(brainId, asked(query, 'newer/24'), 10, all)
    expect(rounded(found)).toEqual(rounded(naiveNearest(query, vectors, 10, all)))
    expect(await node.nearest(brainId, asked(randomUnit()), 10, all)).toHaveLength(10)
  })

  test('what was erased is found no longer, and other Brains are as they were', async () => {
    const { brain, brainId } = await createFilled(randomUnits(150))
    const other = await createFilled(randomUnits(150))
    const query = randomUnit()
    const before = await other.node.nearest(other.brainId, asked(query), 10, all)
    await brain.erase()
    for (const node of [openVectors(database, { clock }), await openNode()]) {
      expect(await node.nearest(brainId, asked(query), 10, all)).toEqual([])
      expect(await node.similarities(brainId, asked(query), [1])).toEqual([undefined])
      expect(rounded(await node.nearest(other.brainId, asked(query), 10, all))).toEqual(rounded(before))
    }
  })
})
