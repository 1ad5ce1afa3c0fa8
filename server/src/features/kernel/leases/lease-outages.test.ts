import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { useBrainWork } from './use-brain-work.fixture.ts'

const { clock, addBrain, turns, startNode, done, findDatabase } = useBrainWork()

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
  const database = findDatabase()
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
  await expect.poll(node.unstored).toBeGreaterThan(0)
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
