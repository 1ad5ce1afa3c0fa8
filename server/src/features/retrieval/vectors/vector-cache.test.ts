import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../shared/log.ts'
import { openDatabase } from '../../../storage/database.ts'
import { createTestClock } from '../../../test/clock.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { IndexCache } from './vector-cache.ts'

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
const open = (mostBytes: number) => new IndexCache({ prepared: opened.prepared, clock, mostBytes })

const query = Float32Array.from({ length: 384 }, (_, axis) => (axis === 0 ? 1 : 0))
const spaceOf = (brainId: number) => ({ brainId, space: 'space', dimensions: 384 })
const patience = 20_000
const all = () => true

/** Vectors that point anywhere, of passages from one number to another. */
const insert = async (brainId: number, from: number, to: number): Promise<void> => {
  await sql`insert into passage_vectors
    select ${brainId}, 'space', passage, (select string_agg(sha512((passage || '-' || part)::text::bytea), ''::bytea)
      from generate_series(1, 6) as part)
    from generate_series(${from}::bigint, ${to}::bigint) as passage`.execute(database.db)
}

test('indexes keep to their bytes: the one used longest ago goes first, and the one in use stays', async () => {
  for (const brainId of [1, 2, 3]) await insert(brainId, 1, 300)
  await insert(4, 1, 3_000)
  const alone = open(Number.MAX_SAFE_INTEGER)
  const { bytes } = await alone.get(spaceOf(1), patience)
  const cache = open(2 * bytes)
  for (const brainId of [1, 2, 1, 3]) expect((await cache.get(spaceOf(brainId), patience)).size).toBe(300)
  expect([1, 2, 3].map((brainId) => cache.peek(brainId, 'space') !== undefined)).toEqual([true, false, true])
  expect(cache.bytes).toBe(2 * bytes)
  expect((await cache.get(spaceOf(4), patience)).size).toBe(3_000)
  expect(cache.size).toBe(1)
  expect((await cache.get(spaceOf(2), patience)).size).toBe(300)
  expect(cache.bytes).toBe(bytes)
})

test('whoever asks while an index is read waits for the same reading, or goes on with what there is', async () => {
  await insert(5, 1, 5_000)
  const cache = open(Number.MAX_SAFE_INTEGER)
  const [first, second] = await Promise.all([cache.get(spaceOf(5), patience), cache.get(spaceOf(5), patience)])
  expect(first).toBe(second)
  expect(first.size).toBe(5_000)
  const cold = open(Number.MAX_SAFE_INTEGER)
  expect((await cold.get(spaceOf(5), 0)).size).toBeLessThan(5_000)
  expect(cold.peek(5, 'space')?.isWhole).toBe(false)
  const whole = await cold.get(spaceOf(5), patience)
  expect(whole.nearest(query, 20, all)).toEqual(first.nearest(query, 20, all))
})

test('an index that nobody used for ten minutes is dropped', async () => {
  await insert(6, 1, 10)
  const cache = open(Number.MAX_SAFE_INTEGER)
  await cache.get(spaceOf(6), patience)
  clock.advance({ minutes: 9 })
  cache.dropIdle()
  expect(cache.size).toBe(1)
  clock.advance({ minutes: 2 })
  cache.dropIdle()
  expect(cache.size).toBe(0)
})

test('a reading that fails is tried again by the next search', async () => {
  await insert(7, 1, 10)
  let fails = true
  const prepared: typeof opened.prepared = (statement) =>
    fails ? Promise.reject(new Error('lost')) : opened.prepared(statement)
  const cache = new IndexCache({ prepared, clock, mostBytes: 1 })
  await expect(cache.get(spaceOf(7), patience)).rejects.toThrow('lost')
  fails = false
  expect((await cache.get(spaceOf(7), patience)).size).toBe(10)
})
