import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTopics } from '../../../shared/concurrency/topics.ts'
import { notFound } from '../../../shared/errors.ts'
import { createLog } from '../../../shared/log.ts'
import { createDuePolls } from '../../../storage/due-polls.ts'
import { createTestClock } from '../../../test/clock.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createTurns } from '../../../workers/turns.ts'
import { type BrainTurn, type BrainTurnEnd, type BrainWork, createBrainWork } from './leases.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
const clock = createTestClock()
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query('create table to_do (brain_id bigint primary key)')
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate to_do, brain_turns'))

let made = 0
/** A Brain of an organization, with something to do. */
const addBrain = async (organization: string): Promise<number> => {
  const { pool } = database
  await pool.query(
    `insert into organization (id, name, slug, "createdAt") values ($1, $1, $1, now()) on conflict do nothing`,
    [organization],
  )
  const { rows } = await pool.query(
    `insert into brains (id, organization_id, handle, mode, cursor_key, created_at, updated_at)
      values ($1, $2, $1, 'direct', '\\x00', now(), now()) returning brain_id as id`,
    [`brain-${++made}`, organization],
  )
  await addWork(rows[0].id)
  return rows[0].id
}
const addWork = (brainId: number) =>
  database.pool.query('insert into to_do values ($1) on conflict do nothing', [brainId])
const finish = (brainId: number) => database.pool.query('delete from to_do where brain_id = $1', [brainId])
const turns = async () =>
  (await database.pool.query('select brain_id as id, lease, failures, due_at as "dueAt" from brain_turns order by 1'))
    .rows

const openTopics = () => createTopics({ send: async () => {}, listen: () => {}, close: async () => {} })

/** A node whose turns run the test's function, and the Brains of its turns in order. */
const startNode = (
  run: (brainId: number, turn: BrainTurn) => Promise<BrainTurnEnd>,
  spec: Partial<BrainWork> = {},
  random = () => 1,
) => {
  const { db } = database
  const topics = openTopics()
  const begun: number[] = []
  const work = createBrainWork(
    { db, clock },
    {
      ...{ name: 'test', work: 'test', maxTurns: 4, leaseSeconds: 30 },
      behind: (narrow) => sql`select to_do.brain_id, null::timestamptz as due from to_do
        where ${narrow(sql`to_do.brain_id`)}`,
      run: (brainId, turn) => {
        begun.push(brainId)
        return run(brainId, turn)
      },
      ...spec,
    },
  )
  let unstored = 0
  const settle: typeof work.settle = (given) =>
    work.settle(given).catch((error) => {
      unstored++
      throw error
    })
  const deps = { clock, log: createLog('silent'), topics, findDueKeys: createDuePolls(db), random }
  const node = createTurns(deps, { ...work, settle })
  node.start()
  return {
    begun,
    topics,
    unstored: () => unstored,
    run: node.run,
    stop: node.stop,
    health: node.backoff.health,
    pass: node.pass ?? node.run,
  }
}

const done = async (brainId: number): Promise<BrainTurnEnd> => {
  await finish(brainId)
  return 'done'
}

test('a pass does the due work of every Brain, continues until nothing is left, and leaves no lease', async () => {
  const brains = [await addBrain('a'), await addBrain('b')]
  let isFirst = true
  const node = startNode(async (brainId) => {
    if (isFirst) {
      isFirst = false
      return 'unfinished'
    }
    return done(brainId)
  })
  await node.pass()
  expect(node.begun).toHaveLength(3)
  expect([...new Set(node.begun)].sort()).toEqual([...brains].sort())
  expect(await turns()).toEqual([])
  await node.stop()
})

test('two nodes never have a turn of one Brain at once', async () => {
  const brainId = await addBrain('a')
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const holder = startNode(async () => {
    await ending
    return done(brainId)
  })
  const passing = holder.pass()
  await expect.poll(() => holder.begun).toEqual([brainId])
  const other = startNode(done)
  await other.pass()
  expect(other.begun).toEqual([])
  end()
  await passing
  await addWork(brainId)
  await other.pass()
  expect(other.begun).toEqual([brainId])
  await holder.stop()
  await other.stop()
})

test('another node does the leased work of a dead node when the lease has expired', async () => {
  const brainId = await addBrain('a')
  const until = new Date(clock.now().getTime() + 30_000)
  await database.pool.query(
    `insert into brain_turns (brain_id, work, lease, due_at) values ($1, 'test', 'of one that died', $2)`,
    [brainId, until],
  )
  const node = startNode(done)
  await node.pass()
  expect(node.begun).toEqual([])
  clock.advance({ seconds: 31 })
  await node.pass()
  expect(node.begun).toEqual([brainId])
  expect(await turns()).toEqual([])
  await node.stop()
})

test('a turn that lasts keeps its lease by renewing it, and learns when it was lost', async () => {
  const brainId = await addBrain('a')
  const renewals: boolean[] = []
  const node = startNode(async (_brainId, { renew }) => {
    clock.advance({ seconds: 20 })
    renewals.push(await renew())
    await database.pool.query(`update brain_turns set lease = 'of another'`)
    renewals.push(await renew())
    return done(brainId)
  })
  await node.pass()
  expect(renewals).toEqual([true, false])
  // A valid lease of another node is not taken.
  expect(await turns()).toMatchObject([{ id: brainId, lease: 'of another' }])
  await node.stop()
})

test('failing work is tried with growing delays, delays no other, and shows in the health', async () => {
  const [broken, sound] = [await addBrain('a'), await addBrain('b')]
  let isBroken = true
  const node = startNode(async (brainId) => {
    if (brainId === broken && isBroken) throw new TypeError('broken')
    return done(brainId)
  })
  await node.pass()
  expect([...node.begun].sort()).toEqual([broken, sound].sort())
  expect(await turns()).toMatchObject([{ id: broken, lease: null, failures: 1 }])
  const attemptsUntil = async (seconds: number) => {
    node.begun.length = 0
    for (let passed = 0; passed < seconds; passed += 5) {
      clock.advance({ seconds: 5 })
      await node.pass()
    }
    return node.begun.length
  }
  // After 15 seconds, 30 and 60.
  expect(await attemptsUntil(120)).toBe(3)
  expect(node.health().lastError).toBe('TypeError')
  expect(node.health().consecutiveFailures).toBeGreaterThanOrEqual(3)
  isBroken = false
  expect(await attemptsUntil(120)).toBe(1)
  expect(await turns()).toEqual([])
  expect(node.health()).toMatchObject({ consecutiveFailures: 0, lastError: undefined })
  await node.stop()
})

test('outages of the database, however many, do not make a turn wait longer than one does', async () => {
  const brainId = await addBrain('a')
  let outages = 6
  const node = startNode(async () => {
    if (outages-- > 0) throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    return done(brainId)
  })
  for (let attempt = 1; attempt <= 7; attempt++) {
    await node.pass()
    expect(node.begun).toHaveLength(attempt)
    clock.advance({ seconds: 15 })
  }
  expect(await turns()).toEqual([])
  await node.stop()
})

test('a node that loses the database in the midst of its work gives the lease back as soon as that is there again', async () => {
  const brainId = await addBrain('a')
  const admin = new pg.Client({ connectionString: database.url.replace(/\/[^/?]+\?/, '/postgres?') })
  await admin.connect()
  const name = (await database.pool.query('select current_database() as name')).rows[0].name
  let isFirst = true
  const node = startNode(async () => {
    if (!isFirst) return done(brainId)
    isFirst = false
    await admin.query(`alter database ${name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await database.db.executeQuery(CompiledQuery.raw('select 1'))
    return 'done'
  })
  const passing = node.pass()
  // It cannot store that it failed either.
  await expect.poll(node.unstored, { timeout: 20_000 }).toBeGreaterThan(0)
  await admin.query(`alter database ${name} allow_connections true`)
  await admin.end()
  await passing
  expect(await turns()).toMatchObject([{ id: brainId, lease: null, failures: 0 }])
  clock.advance({ seconds: 1 })
  await node.pass()
  expect(await turns()).toEqual([])
  await node.stop()
})

test('a lease is renewed while its work goes on, so that it may be short', async () => {
  const brainId = await addBrain('a')
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const node = startNode(
    async () => {
      await ending
      return done(brainId)
    },
    { leaseSeconds: 0.3 },
  )
  const passing = node.pass()
  await expect.poll(turns).toHaveLength(1)
  const [first] = await turns()
  clock.advance({ seconds: 20 })
  await expect.poll(async () => (await turns())[0].dueAt > first.dueAt).toBe(true)
  end()
  await passing
  expect(await turns()).toEqual([])
  await node.stop()
})

test('blocked work waits in the same way without counting as a failure, and a deleted Brain does not wait', async () => {
  const [later, gone] = [await addBrain('a'), await addBrain('b')]
  const node = startNode(async (brainId) => {
    if (brainId === later) return 'later'
    await finish(brainId)
    throw notFound('This Brain does not exist; it was deleted.')
  })
  await node.pass()
  expect([...node.begun].sort()).toEqual([later, gone].sort())
  expect(await turns()).toMatchObject([{ id: later, failures: 1 }])
  expect(node.health()).toMatchObject({ consecutiveFailures: 0 })
  await node.stop()
})

test('many Brains of one organization leave room for one of another', async () => {
  const crowd: number[] = []
  for (let count = 0; count < 12; count++) crowd.push(await addBrain('crowd'))
  const { promise: ending, resolve: end } = Promise.withResolvers<void>()
  const node = startNode(async (brainId) => {
    if (crowd.includes(brainId)) await ending
    return done(brainId)
  })
  const passing = node.pass()
  await expect.poll(() => node.begun).toHaveLength(2)
  const other = await addBrain('other')
  await node.run()
  await expect.poll(() => node.begun.at(-1)).toBe(other)
  end()
  await passing
  expect(node.begun).toHaveLength(13)
  await node.stop()
})

test('a topic starts a turn at once; a search finds Brains whose notification was lost', async () => {
  const brainId = await addBrain('a')
  const node = startNode(done, { topic: 'test:' })
  node.topics.publish(`test:${brainId}`)
  await expect.poll(() => node.begun).toEqual([brainId])
  const overlooked = await addBrain('a')
  await node.pass()
  expect(node.begun).toEqual([brainId, overlooked])
  await node.stop()
})

test('a search for overlooked Brains covers a limited number, and all searches find each, wherever they start', async () => {
  const brains: number[] = []
  for (let count = 0; count < 5; count++) brains.push(await addBrain('many'))
  const { rows } = await database.pool.query('select count(*)::int as count from brains')
  const windows = Math.ceil(rows[0].count / 2)
  for (const share of [0, 0.5]) {
    for (const brainId of brains) await addWork(brainId)
    const node = startNode(done, { topic: 'test:', brainsPerSearch: 2 }, () => share)
    // Every tenth poll searches for overlooked Brains.
    const search = async () => {
      for (let polls = 0; polls < 10; polls++) await node.run()
    }
    await search()
    expect(node.begun.length).toBeLessThanOrEqual(2)
    for (let searches = 0; searches < windows + 2; searches++) await search()
    await expect.poll(() => [...node.begun].sort((a, b) => a - b)).toEqual(brains)
    await node.stop()
  }
})

test('while nothing can be done at all, nothing is leased', async () => {
  await addBrain('a')
  const node = startNode(done, { topic: 'test:', behind: async () => undefined })
  await node.pass()
  expect(node.begun).toEqual([])
  await node.stop()
})
