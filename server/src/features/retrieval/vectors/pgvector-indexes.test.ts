import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLongSession } from '../../../storage/long-session.ts'
import { createTestClock } from '../../../test/clock.ts'
import { createPgvectorDatabase, createSearchDatabase, type SearchDatabase } from '../../../test/pgvector-database.ts'
import { openPgvector, type Pgvector } from './pgvector.ts'
import { purgeSpaces } from './purge-spaces.ts'
import { createNoise, createVectorBrain, findIndexes, findNearest, openVectors, unit } from './vectors.fixture.ts'

let database: SearchDatabase & { pgvector: Pgvector }
let builtIn: SearchDatabase
beforeAll(async () => {
  const opened = await createPgvectorDatabase()
  database = { ...opened, pgvector: await openPgvector(opened.db) }
  builtIn = await createSearchDatabase()
})
afterAll(async () => {
  await database.drop()
  await builtIn.drop()
})

const clock = createTestClock()
const noise = createNoise(9)
const randomUnits = (count: number, dimensions = 8) =>
  Array.from({ length: count }, () => unit(Array.from({ length: dimensions }, noise)))
const query = unit([1, 2, 3, 4, 5, 6, 7, 8])

/** The indexes of some Brains, by the Brains' numbers. */
const indexed = async (...brainIds: number[]) => {
  const names = await findIndexes(database)
  return brainIds.map((brainId) => names.filter((name) => name.includes(`_${brainId}_`)).length)
}

const createFilled = async (count: number, dimensions = 8) => {
  const brain = await createVectorBrain(database)
  await brain.add(randomUnits(count, dimensions))
  return brain
}

test('a Brain is indexed when it has grown large, and from then on it is not read into memory', async () => {
  const statements: string[] = []
  const prepared: SearchDatabase['prepared'] = (statement) => {
    statements.push('text' in statement ? statement.text : statement.compile(database.db).sql)
    return database.prepared(statement)
  }
  const readings = () => statements.filter((text) => text.includes('string_agg(vector')).length
  const [small, large] = [await createFilled(99), await createFilled(99)]
  const node = openVectors({ ...database, prepared }, { clock })
  await node.keepIndexes()
  expect(await indexed(small.brainId, large.brainId)).toEqual([0, 0])
  await large.add(randomUnits(1))
  await node.keepIndexes()
  expect(await indexed(small.brainId, large.brainId)).toEqual([0, 1])
  clock.advance({ seconds: 6 })
  expect(await findNearest(node, large.brainId, { space: 'model/8', values: query }, 100)).toHaveLength(100)
  expect(readings()).toBe(0)
  await findNearest(node, small.brainId, { space: 'model/8', values: query }, 10)
  expect(readings()).toBeGreaterThan(0)
})

test('a Brain whose passages count up high and are few has no index', async () => {
  const brain = await createFilled(10)
  await sql`update vector_progress set passage = 5000 where brain_id = ${brain.brainId}`.execute(database.db)
  await openVectors(database, { clock }).keepIndexes()
  expect(await indexed(brain.brainId)).toEqual([0])
})

test('an index that a dead node left half built is not searched, and is built again', async () => {
  const brain = await createFilled(120)
  const node = openVectors(database, { clock })
  await node.keepIndexes()
  const [name] = (await findIndexes(database)).filter((one) => one.includes(`_${brain.brainId}_`))
  const isValid = () =>
    sql<{ is: boolean }>`select indisvalid as is from pg_index where indexrelid = to_regclass(${name})`
      .execute(database.db)
      .then(({ rows }) => rows[0]?.is)
  await sql`update pg_index set indisvalid = false where indexrelid = to_regclass(${name})`.execute(database.db)
  expect(await findNearest(node, brain.brainId, { space: 'model/8', values: query }, 5)).toHaveLength(5)
  clock.advance({ seconds: 6 })
  expect(await findNearest(node, brain.brainId, { space: 'model/8', values: query }, 5)).toHaveLength(5)
  expect(await isValid()).toBe(false)
  await node.keepIndexes()
  expect(await isValid()).toBe(true)
})

test('indexes go with their Brains and spaces, and with the setting', async () => {
  const [deleted, kept] = [await createFilled(120), await createFilled(120)]
  await kept.add(randomUnits(120), 'former/8')
  const node = openVectors(database, { clock })
  await openVectors(database, { clock, space: 'former/8' }).keepIndexes()
  await node.keepIndexes()
  expect(await indexed(deleted.brainId, kept.brainId)).toEqual([1, 2])
  await deleted.erase()
  await sql`insert into vector_spaces values ('former/8', now() - interval '8 days')`.execute(database.db)
  await sql`insert into answering_spaces values (${kept.brainId}, 'model/8', now() - interval '8 days')`.execute(
    database.db,
  )
  await purgeSpaces(database, clock.now())
  await node.keepIndexes()
  expect(await indexed(deleted.brainId, kept.brainId)).toEqual([0, 1])
  await openVectors({ ...database, pgvector: undefined }, { clock }).keepIndexes()
  expect(await findIndexes(database)).toEqual([])
  // A node that does not know about it still finds everything.
  expect(await findNearest(node, kept.brainId, { space: 'model/8', values: query }, 5)).toHaveLength(5)
})

test('settings of one search are gone after it', async () => {
  const brain = await createFilled(120)
  const node = openVectors(database, { clock })
  await node.keepIndexes()
  clock.advance({ seconds: 6 })
  for (let turn = 0; turn < 8; turn++)
    await findNearest(node, brain.brainId, { space: 'model/8', values: query }, 5 + turn)
  const scans = Array.from({ length: 8 }, () =>
    sql`select current_setting('hnsw.iterative_scan', true) as scan`.execute(database.db).then(({ rows }) => rows[0]),
  )
  expect(await Promise.all(scans)).not.toContainEqual({ scan: 'relaxed_order' })
})

// Any index by such a name is kept or dropped, so what follows needs no pgvector, but sessions that are apart.
const leaveIndex = async () => {
  await sql`create index passage_vectors_hnsw_1_left on passage_vectors (passage) where brain_id = 1`.execute(
    builtIn.db,
  )
  return openVectors({ ...builtIn, pgvector: undefined }, { clock })
}

test('one node at a time is about the indexes', async () => {
  const node = await leaveIndex()
  const other = await openLongSession(builtIn.db, builtIn.url, undefined)
  expect(await other.takeLock(4_100_003)).toBe(true)
  await node.keepIndexes()
  expect(await findIndexes(builtIn)).toHaveLength(1)
  await other.end()
  await expect
    .poll(async () => {
      await node.keepIndexes()
      return findIndexes(builtIn)
    })
    .toEqual([])
})

test('a node that stops does not wait for long work, and another continues from there', async () => {
  const node = await leaveIndex()
  const stopping = new AbortController()
  await builtIn.db.transaction().execute(async (tx) => {
    // Dropping an index waits for those who may be reading by it.
    await sql`select count(*) from passage_vectors`.execute(tx)
    const turn = node.keepIndexes(stopping.signal)
    const isWaiting = sql`select from pg_stat_activity where query like 'drop index%' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await isWaiting.execute(builtIn.db)).rows.length).toBe(1)
    stopping.abort()
    await turn
    expect(await findIndexes(builtIn)).toHaveLength(1)
  })
  await node.keepIndexes()
  expect(await findIndexes(builtIn)).toEqual([])
})
