import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../../test/clock.ts'
import { createPgvectorDatabase, createSearchDatabase, type SearchDatabase } from '../../../test/pgvector-database.ts'
import { openPgvector } from './pgvector.ts'
import { VectorSearch } from './vector-search.ts'
import {
  acceptedPassages,
  compare,
  createNoise,
  createVectorBrain,
  findIndexes,
  findNearest,
  keptCosine,
  openVectors,
  unit,
  type VectorDatabase,
} from './vectors.fixture.ts'

// The promises of search by meaning, for both ways of searching vectors: the same tests run for each.

type Opened = VectorDatabase & SearchDatabase

const inMemory = async (): Promise<Opened> => ({ ...(await createSearchDatabase()), pgvector: undefined })

const byPgvector = async (): Promise<Opened> => {
  const database = await createPgvectorDatabase()
  return { ...database, pgvector: await openPgvector(database.db) }
}

const noise = createNoise(5)
const randomUnit = (dimensions = 8) => unit(Array.from({ length: dimensions }, noise))
const randomUnits = (count: number, dimensions = 8) => Array.from({ length: count }, () => randomUnit(dimensions))
const asked = (values: Float32Array, space = 'model/8') => ({ space, values })

/** Compares every vector. */
const naiveNearest = (
  query: Float32Array,
  vectors: readonly Float32Array[],
  count: number,
  accepts: (passage: number) => boolean = () => true,
) =>
  vectors
    .map((vector, index) => ({ passage: index + 1, similarity: keptCosine(query, vector) }))
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

  /** A node whose indexes are built and known. */
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
      expect(await findIndexes(database)).toContainEqual(expect.stringContaining(`_${brain.brainId}_`))
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
        const found = await findNearest(node, brainId, asked(query), count, acceptedPassages(accepts, 150))
        expect(found.every(({ passage }) => accepts(passage))).toBe(true)
        const expected = naiveNearest(query, vectors, count, accepts)
        expect(found).toHaveLength(expected.length)
        for (const [at, { passage, similarity }] of found.entries()) {
          expect(similarity).toBeCloseTo(keptCosine(query, vectors[passage - 1] ?? query), 5)
          expect(similarity).toBeCloseTo(expected[at]?.similarity ?? 2, 5)
        }
      }),
      { numRuns: 15 },
    )
  })

  test('similarities and vectors are those of the stored bytes, before and after a search', async () => {
    const vectors = randomUnits(120)
    const { brainId, node } = await createFilled(vectors)
    const query = randomUnit()
    const expected = [3, 1, 99].map((passage) => keptCosine(query, vectors[passage - 1] ?? query).toFixed(5))
    const similarities = async () =>
      (await compare(node, brainId, asked(query), [3, 1, 999, 99])).map((value) => value.toFixed(5))
    const withNone = [expected[0], expected[1], 'NaN', expected[2]]
    expect(await similarities()).toEqual(withNone)
    const [nearest] = await findNearest(node, brainId, asked(query), 5)
    expect(await similarities()).toEqual(withNone)
    const search = new VectorSearch(node.searchDeps, brainId, asked(query))
    await search.findNearest(5, acceptedPassages())
    // With the vector of a passage alone instead of the query, that passage is as near as possible.
    const vectorsOfNearest = search.findFeedback([{ passage: nearest?.passage ?? 0, weight: 1 }])
    const moved = { share: 1, vectors: vectorsOfNearest }
    const [again, none] = await search.compareWithFeedback(moved, [nearest?.passage ?? 0, 999])
    expect(again).toBeCloseTo(1, 5)
    expect(none).toBeNaN()
    const [asAsked] = await search.compareWithFeedback({ share: 0.3, vectors: [] }, [nearest?.passage ?? 0])
    expect(asAsked).toBeCloseTo(nearest?.similarity ?? 2, 5)
  })

  test('passages that are not indexed yet have no vector, whatever their numbers are later', async () => {
    const { brainId, node } = await createFilled(randomUnits(120))
    const search = new VectorSearch(node.searchDeps, brainId, asked(randomUnit()))
    const { passages, pending } = await search.findNearest(200, acceptedPassages(undefined, 100))
    expect(passages).toHaveLength(100)
    expect(pending).toBe(0)
    const [last, later] = await search.compare([100, 101])
    expect(last).not.toBeNaN()
    expect(later).toBeNaN()
  })

  test('every node finds a stored vector at once', async () => {
    const { brain, brainId, node } = await createFilled(randomUnits(120))
    const other = await openNode()
    const query = randomUnit()
    await findNearest(other, brainId, asked(query), 3)
    const passages = await brain.add([query])
    for (const one of [node, other]) {
      const [first] = await findNearest(one, brainId, asked(query), 3)
      expect(first?.passage).toBe(passages[0])
      expect(first?.similarity).toBeGreaterThan(0.999)
      const [similarity] = await compare(one, brainId, asked(query), passages)
      expect(similarity).toBeCloseTo(first?.similarity ?? 0, 5)
    }
  })

  test('nodes agree', async () => {
    const { brainId, node } = await createFilled(randomUnits(200))
    const other = await openNode()
    for (let turn = 0; turn < 5; turn++) {
      const query = randomUnit()
      const [one, two] = await Promise.all([node, other].map((each) => findNearest(each, brainId, asked(query), 20)))
      expect(rounded(one ?? [])).toEqual(rounded(two ?? []))
      expect(one).toHaveLength(20)
    }
  })

  test('passages of other Brains and of other spaces are never found', async () => {
    const query = randomUnit()
    const { brainId, brain, node } = await createFilled(randomUnits(120))
    const other = await createFilled([...randomUnits(119), query])
    // The operator may give a model any name.
    const elsewhere = 'it\'s "another" model\\/8'
    await brain.add([...randomUnits(129), query], elsewhere)
    const there = await openNode(elsewhere)
    expect(await findNearest(node, brainId, asked(query), 200)).toHaveLength(120)
    expect((await findNearest(node, brainId, asked(query), 1))[0]?.similarity).toBeLessThan(0.999)
    expect((await findNearest(other.node, other.brainId, asked(query), 1))[0]?.passage).toBe(120)
    expect((await findNearest(there, brainId, asked(query, elsewhere), 1))[0]?.passage).toBe(130)
    expect(await findNearest(there, brainId, asked(query, elsewhere), 200)).toHaveLength(130)
    expect(await findNearest(there, other.brainId, asked(query, elsewhere), 9)).toEqual([])
  })

  test('if few of many are accepted, those are found, at any distance', async () => {
    const query = unit([1, 1, 1, 1])
    const vectors = randomUnits(5_000, 4)
    const { brainId, node } = await createFilled(vectors, 'flat/4')
    const order = naiveNearest(query, vectors, 5_000).map(({ passage }) => passage)
    const nearest = async (accepted: readonly number[], count: number) => {
      const numbers = new Set(accepted)
      const found = await findNearest(
        node,
        brainId,
        asked(query, 'flat/4'),
        count,
        acceptedPassages((passage) => numbers.has(passage), 5_000),
      )
      expect(found.every(({ passage }) => numbers.has(passage))).toBe(true)
      return found.map(({ similarity }) => similarity.toFixed(5))
    }
    const computeSimilarities = (passages: readonly number[]) =>
      passages.map((passage) => keptCosine(query, vectors[passage - 1] ?? query).toFixed(5))
    expect(await nearest([], 10)).toEqual([])
    expect(await nearest(order.slice(-7), 10)).toEqual(computeSimilarities(order.slice(-7)))
    // If many are accepted, the search may find some that are nearly as near.
    for (const skipped of [196, 215, 600, 2_500]) {
      const rest = computeSimilarities(order.slice(skipped))
      const found = await nearest(order.slice(skipped), 10)
      expect(found, `all but ${skipped}`).toHaveLength(10)
      expect(Number(found.at(-1)), `all but ${skipped}`).toBeGreaterThanOrEqual(Number(rest[40]))
    }
  })

  test('a Brain without vectors has nothing near', async () => {
    const { brainId } = await createVectorBrain(database)
    const node = await openNode()
    expect(await findNearest(node, brainId, asked(randomUnit()), 10)).toEqual([])
    expect(await compare(node, brainId, asked(randomUnit()), [1, 2])).toEqual([Number.NaN, Number.NaN])
  })

  test('with another model, of another number of dimensions, each space is searched by its own', async () => {
    const { brain, brainId, node } = await createFilled(randomUnits(150))
    const vectors = randomUnits(150, 24)
    await brain.add(vectors, 'newer/24')
    const newer = await openNode('newer/24')
    const query = randomUnit(24)
    const found = await findNearest(newer, brainId, asked(query, 'newer/24'), 10)
    expect(rounded(found)).toEqual(rounded(naiveNearest(query, vectors, 10)))
    expect(await findNearest(node, brainId, asked(randomUnit()), 10)).toHaveLength(10)
  })

  test('erased vectors are no longer found, and other Brains are unchanged', async () => {
    const { brain, brainId } = await createFilled(randomUnits(150))
    const other = await createFilled(randomUnits(150))
    const query = randomUnit()
    const before = await findNearest(other.node, other.brainId, asked(query), 10)
    await brain.erase()
    for (const node of [openVectors(database, { clock }), await openNode()]) {
      expect(await findNearest(node, brainId, asked(query), 10)).toEqual([])
      expect(await compare(node, brainId, asked(query), [1])).toEqual([Number.NaN])
      expect(rounded(await findNearest(node, other.brainId, asked(query), 10))).toEqual(rounded(before))
    }
  })
})
