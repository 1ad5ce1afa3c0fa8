import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { distributeDatabase } from '../../operator/distribute-database.ts'
import { createLog } from '../../shared/log.ts'
import { openDatabase } from '../../storage/database.ts'
import { addBrain, createBrain, startTestApp, type TestApp, type TestBrain, testSecret } from '../app.ts'
import { startReceiver } from '../receiver.ts'
import { listCursors } from './read-events.ts'
import { verify } from './verify.ts'
import { type Place, startClients } from './writers.ts'

// Brains on a Citus cluster that are written to, whose servers a test takes away.

const clientsOfBrain = 2
const makers = 2

/** The number of shards of each table: few, so that all of them have a Brain that is written to. */
export const shards = 3

/** Distributes the database of a cluster, as an operator does. */
export const distributeAt = (url: string) =>
  distributeDatabase({ dryRun: false, shards, cwd: '/', env: { NOEMA_DATABASE_URL: url, NOEMA_SECRET: testSecret } })

/** The whole service on a database that is distributed. */
export const startOn = async (url: string, settings: Record<string, string> = {}): Promise<TestApp> => {
  const app = await startTestApp(
    { NOEMA_TIERS: '{"free":{"dailyWrites":100000000}}', ...settings },
    {
      create: async () => {
        const { db, pool, close } = openDatabase(url, createLog('silent'), 2)
        return { db, pool, url, name: 'noema', drop: close }
      },
    },
  )
  onTestFinished(() => app.close())
  return app
}

/** The shard that a Brain is in, and the port of its server. */
export const findShard = async (app: TestApp, { brain }: TestBrain): Promise<{ shard: number; port: number }> => {
  const { rows } = await app.database.pool.query<{ shard: number; port: number }>(
    `select shardid as shard, nodeport as port from citus_shards
     where shardid = get_shard_id_for_distribution_column('brains', (select brain_id from brain_directory where id = $1))`,
    [brain.id],
  )
  return rows[0] ?? { shard: 0, port: 0 }
}

/** A Brain in each shard, with the port of its server. */
export const createBrains = async (app: TestApp): Promise<{ brain: TestBrain; port: number }[]> => {
  const member = await createBrain(app, 'brain-0')
  const { shard, port } = await findShard(app, member)
  const found = new Map([[shard, { brain: member as TestBrain, port }]])
  for (let count = 1; found.size < shards; count++) {
    const brain = await addBrain(app, member, `brain-${count}`)
    const place = await findShard(app, brain)
    found.set(place.shard, { brain, port: place.port })
  }
  return [...found.values()]
}

/** `nodes`: the nodes that clients write to. `pauseMilliseconds`: the time between two writes of a client. */
type Scene = { app: TestApp; brain: TestBrain; clients?: number; nodes?: () => string[]; pauseMilliseconds?: number }

/** Clients that write to a Brain, and a webhook that reports its events. */
export const startWriting = async ({
  app,
  brain,
  clients: count = clientsOfBrain,
  nodes = () => [app.base],
  pauseMilliseconds = 0,
}: Scene) => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  expect((await brain.call('POST', '/webhooks', { url: receiver.url })).status).toBe(201)
  let turn = 0
  const url = () => nodes()[turn++ % nodes().length] ?? app.base
  const place: Place = { url, brainPath: brain.path, secret: brain.key }
  const clients = startClients(place, Math.random, count, pauseMilliseconds)
  const isDelivered = async () => {
    app.clock.advance({ seconds: 10 })
    const { body } = await brain.call('GET', '/webhooks')
    return body.data.webhooks.every(({ pending }: { pending: boolean }) => !pending)
  }
  return {
    ...clients,
    /** Checks that nothing acknowledged is lost, no request was applied twice, and the webhook got all events in order. */
    verify: async () => {
      await clients.stop()
      await verify(place, clients.acknowledged)
      await expect.poll(isDelivered, { timeout: 120_000, interval: 1_000 }).toBe(true)
      const delivered = new Set(receiver.deliveries.map(({ body }) => body.event.cursor))
      expect([...delivered]).toEqual(await listCursors(app.base, brain.path, brain.key))
    },
  }
}

export const expectRefusals = async (brain: TestBrain) => {
  for (const refused of [
    await brain.call('GET', '/records'),
    await brain.call('GET', '/events'),
    await brain.call('POST', '/records', { kind: 'k' }),
  ]) {
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  }
}

/** Makes Brains until it is stopped: each is on the coordinator and on a worker. `pauseMilliseconds`: the time between two. */
export const startMaking = (app: TestApp, { key }: TestBrain, pauseMilliseconds = 0) => {
  let isStopped = false
  const make = async (maker: number) => {
    for (let count = 0; !isStopped; count++) {
      await app.request('PUT', `/v1/brains/made-${maker}-${count}`, { key, body: {} })
      await delay(pauseMilliseconds)
    }
  }
  const done = Promise.all(Array.from({ length: makers }, (_, maker) => make(maker)))
  return async () => {
    isStopped = true
    await done
  }
}

/** Checks that no server has a part of a transaction that others do not have. */
export const expectWhole = async ({ database: { pool } }: TestApp) => {
  const countPrepared = async () => {
    const { rows } = await pool.query<{ count: number }>(`select sum(result::integer)::integer as count
      from run_command_on_all_nodes('select count(*) from pg_prepared_xacts where database = current_database()')`)
    return rows[0]?.count
  }
  // Citus completes what a crash left prepared within a minute.
  await expect.poll(countPrepared, { timeout: 120_000 }).toBe(0)
  const { rows } = await pool.query(
    `with directory as materialized (select id, handle from brain_directory), heads as materialized (select id, handle from brains)
     select id, directory.handle as named, heads.handle as head from directory full join heads using (id)
     where directory.handle is distinct from heads.handle`,
  )
  expect(rows).toEqual([])
}
