import { expect, onTestFinished, test } from 'vitest'
import { createBrain, startTestApp, type TestApp } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'

// A request that changes rows of a Brain and rows of the coordinator is committed on both servers or on neither. Needs a Citus cluster.

/** Keeps two-phase commits from beginning, as a restore point of all servers does, until the returned function is called. */
const holdCommits = async ({ database: { pool } }: TestApp) => {
  const client = await pool.connect()
  await client.query('begin')
  await client.query('lock table pg_dist_transaction in exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** The process of the database that waits to commit. */
const findWaiting = async ({ database: { pool } }: TestApp): Promise<number | undefined> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_locks where relation = 'pg_dist_transaction'::regclass and not granted`,
  )
  return rows[0]?.pid
}

/** Counts a Brain in the directory on the coordinator, and among the heads on the workers. */
const countParts = async ({ database: { pool } }: TestApp, handle: string) => {
  const { rows } = await pool.query<{ directory: number; heads: number }>(
    `select (select count(*)::integer from brain_directory where handle = $1) as directory,
      (select count(*)::integer from brains where handle = $1) as heads`,
    [handle],
  )
  return rows[0]
}

const setUp = async () => {
  const app = await startTestApp({ NOEMA_ROLES: 'http' })
  onTestFinished(() => app.close())
  const brain = await createBrain(app, 'first')
  const release = await holdCommits(app)
  const created = app.request('PUT', '/v1/brains/second', { key: brain.key, body: {} })
  await expect.poll(() => findWaiting(app)).toBeDefined()
  return { app, brain, release, created }
}

test.skipIf(!isCluster)(
  'SCL-06 while servers are stopped at one point, a Brain is on none of them or on all, and other writes go on',
  async () => {
    const { app, brain, release, created } = await setUp()
    expect(await countParts(app, 'second')).toEqual({ directory: 0, heads: 0 })
    expect((await brain.call('POST', '/records', { kind: 'note', fields: {} })).status).toBe(201)
    await release()
    expect((await created).status).toBe(201)
    expect(await countParts(app, 'second')).toEqual({ directory: 1, heads: 1 })
    expect((await app.request('GET', '/v1/brains/second', { key: brain.key })).status).toBe(200)
  },
)

test.skipIf(!isCluster)(
  'SCL-06 a creation that stops while it is committed leaves nothing on any server, and the repeat makes the Brain once',
  async () => {
    const { app, brain, release, created } = await setUp()
    await app.database.pool.query('select pg_terminate_backend($1::integer)', [await findWaiting(app)])
    expect((await created).status).toBe(503)
    await release()
    await app.database.pool.query('select recover_prepared_transactions()')
    expect(await countParts(app, 'second')).toEqual({ directory: 0, heads: 0 })
    expect((await app.request('PUT', '/v1/brains/second', { key: brain.key, body: {} })).status).toBe(201)
    expect(await countParts(app, 'second')).toEqual({ directory: 1, heads: 1 })
  },
)
