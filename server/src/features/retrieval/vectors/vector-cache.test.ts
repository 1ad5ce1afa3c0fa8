import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../shared/log.ts'
import { openDatabase } from '../../../storage/database.ts'
import { createTestClock } from '../../../test/clock.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { VectorCache } from './vector-cache.ts'
import { acceptedPassages } from './vectors.fixture.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.url, createLog('silent'), 4)
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

const clock = createTestClock()
const perf = { now: () => clock.now().getTime() }
const open = (maxBytes: number) => new VectorCache({ maxBytes, perf })

const query = Float32Array.from({ length: 384 }, (_, axis) => (axis === 0 ? 1 : 0))
const inSpace = (brainId: number) => ({ brainId, space: 'space', dimensions: 384 })
const maxWait = 20_000
const all = acceptedPassages()

/** Vectors that point anywhere, of passages from one number to another. */
const insert = async (brainId: number, from: number, to: number): Promise<void> => {
  await sql`insert into passage_vectors
    select ${brainId}, 'space', passage, (select string_agg(sha512((passage || '-' || part)::text::bytea), ''::bytea)
      from generate_series(1, 6) as part)
    from generate_series(${from}::bigint, ${to}::bigint) as passage`.execute(database.db)
}

test('indexes keep to their bytes: the least recently used goes first, and the one in use stays', async () => {
  for (const brainId of [1, 2, 3]) await insert(brainId, 1, 300)
  await insert(4, 1, 3_000)
  const alone = open(Number.MAX_SAFE_INTEGER)
  const { bytes } = (await alone.get(opened, inSpace(1), maxWait)).index
  const cache = open(2 * bytes)
  for (const brainId of [1, 2, 1, 3]) expect((await cache.get(opened, inSpace(brainId), maxWait)).index.size).toBe(300)
  expect(cache.size).toBe(2)
  expect(cache.bytes).toBe(2 * bytes)
  expect((await cache.get(opened, inSpace(4), maxWait)).index.size).toBe(3_000)
  expect(cache.size).toBe(1)
  expect((await cache.get(opened, inSpace(2), maxWait)).index.size).toBe(300)
  expect(cache.bytes).toBe(bytes)
})

test('searches that arrive while an index is read wait for the same reading, or continue with the vectors read so far', async () => {
  await insert(5, 1, 5_000)
  const cache = open(Number.MAX_SAFE_INTEGER)
  const read = () => cache.get(opened, inSpace(5), maxWait)
  const [first, second] = await Promise.all([read(), read()])
  expect(first).toBe(second)
  expect(first.index.size).toBe(5_000)
  const cold = open(Number.MAX_SAFE_INTEGER)
  const begun = await cold.get(opened, inSpace(5), 0)
  expect(begun.index.size).toBeLessThan(5_000)
  expect(begun.isWhole).toBe(false)
  const whole = await cold.get(opened, inSpace(5), maxWait)
  expect(whole.index.findNearest(query, 20, all)).toEqual(first.index.findNearest(query, 20, all))
})

test('an index that was not used for ten minutes is dropped', async () => {
  await insert(6, 1, 10)
  const cache = open(Number.MAX_SAFE_INTEGER)
  await cache.get(opened, inSpace(6), maxWait)
  clock.advance({ minutes: 9 })
  cache.dropIdle()
  expect(cache.size).toBe(1)
  clock.advance({ minutes: 2 })
  cache.dropIdle()
  expect(cache.size).toBe(0)
})

test('the next search repeats a reading that failed', async () => {
  await insert(7, 1, 10)
  let fails = true
  const prepared: typeof opened.prepared = (statement) =>
    fails ? Promise.reject(new Error('lost')) : opened.prepared(statement)
  const source = { ...opened, prepared }
  const cache = open(1)
  await expect(cache.get(source, inSpace(7), maxWait)).rejects.toThrow('lost')
  // A search that waits for it and reads from another source does not fail.
  const [away, found] = await Promise.allSettled([
    cache.get(source, inSpace(7), maxWait),
    cache.get(opened, inSpace(7), maxWait),
  ])
  expect(away).toMatchObject({ status: 'rejected' })
  expect(found).toMatchObject({ value: { isWhole: true } })
  cache.clear()
  fails = false
  expect((await cache.get(source, inSpace(7), maxWait)).index.size).toBe(10)
})
