import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findCitus } from '../../../../dev/find-citus.ts'
import { testSecret } from '../app.ts'
import { startCitusCluster } from '../citus-cluster.ts'
import {
  createBrains,
  distributeAt,
  expectRefusals,
  expectWhole,
  findShard,
  shards,
  startMaking,
  startOn,
  startWriting,
} from './citus-scene.ts'
import { startNodeProcess } from './server-process.ts'

const startCluster = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-citus-'))
  chmodSync(folder, 0o755)
  const cluster = await startCitusCluster(folder)
  onTestFinished(async () => {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const url = cluster.url.replace('/?', '/noema?')
  await distributeAt(url)
  return { ...cluster, url }
}

/** A node that connects to the workers, too. */
const onWorkers = { NOEMA_DATABASE_WORKER_POOL: '4' }

const nodeSettings = { NOEMA_SECRET: testSecret, NOEMA_ROLES: 'http', ...onWorkers }

describe.skipIf(findCitus() === undefined)('on a Citus cluster', () => {
  test.each([
    ['connects to the coordinator', {}],
    ['also connects to the workers', onWorkers],
  ])(
    'IDM-04 EVT-03 kill -9 of a worker loses nothing acknowledged by a node that %s; its Brains return 503 meanwhile and others continue',
    async (_name, settings) => {
      const cluster = await startCluster()
      const app = await startOn(cluster.url, settings)
      const brains = await createBrains(app)
      const [lost, other] = cluster.ports.slice(1).map((own) => brains.find(({ port }) => port === own)?.brain)
      if (!lost || !other) throw new Error('a worker has no Brain')
      const ofLost = await startWriting({ app, brain: lost })
      const ofOther = await startWriting({ app, brain: other })
      await Promise.all([ofLost.progress(10), ofOther.progress(10)])

      await cluster.kill(1)
      await expectRefusals(lost)
      await ofOther.progress(10)
      // A read that meets a statement about all servers may be refused.
      await expect.poll(async () => (await other.call('GET', '/records')).status).toBe(200)

      await cluster.restart(1)
      await Promise.all([ofLost.progress(10), ofOther.progress(10)])
      await ofLost.verify()
      await ofOther.verify()
      await expectWhole(app)
    },
    600_000,
  )

  test('SCL-04 IDM-04 EVT-03 a worker that freezes loses nothing acknowledged: its Brains return 503 at once, and others are read and written', async () => {
    const cluster = await startCluster()
    const app = await startOn(cluster.url, { ...onWorkers, NOEMA_DATABASE_STATEMENT_SECONDS: '4' })
    const brains = await createBrains(app)
    const [lost, other] = cluster.ports.slice(1).map((own) => brains.find(({ port }) => port === own)?.brain)
    if (!lost || !other) throw new Error('a worker has no Brain')
    const ofLost = await startWriting({ app, brain: lost, pauseMilliseconds: 20 })
    const ofOther = await startWriting({ app, brain: other, pauseMilliseconds: 20 })
    await Promise.all([ofLost.progress(10), ofOther.progress(10)])

    await cluster.freeze(1)
    onTestFinished(() => cluster.thaw(1))
    await ofOther.progress(10)
    await expectRefusals(lost)
    // Longer than the limit of statements, after which Citus goes on waiting for the worker.
    const waiting = `select from pg_stat_activity where datname = current_database() and state = 'active'
      and now() - query_start > '8 s'`
    await expect.poll(async () => (await app.database.pool.query(waiting)).rowCount).toBeGreaterThan(0)
    const begun = performance.now()
    for (let round = 0; round < 10; round++) {
      await ofOther.progress(1)
      expect((await other.call('GET', '/records')).status).toBe(200)
      await expectRefusals(lost)
    }
    // A request that waited for the worker would take this long alone.
    expect(performance.now() - begun).toBeLessThan(4_000 * 10)

    await cluster.thaw(1)
    await Promise.all([ofLost.progress(10), ofOther.progress(10)])
    await ofLost.verify()
    await ofOther.verify()
    await expectWhole(app)
  }, 600_000)

  test('SCL-06 IDM-04 EVT-03 WHK-07 kill -9 of the coordinator loses nothing acknowledged and leaves nothing by half: all Brains return 503 until it is back, and then continue', async () => {
    const cluster = await startCluster()
    const app = await startOn(cluster.url)
    const brains = (await createBrains(app)).map(({ brain }) => brain)
    const other = await app.startNode(onWorkers)
    onTestFinished(other.close)
    const nodes = () => [app.base, other.base]
    const writers = await Promise.all(brains.map((brain) => startWriting({ app, brain, nodes })))
    const [member] = brains
    if (!member) throw new Error('there is no Brain')
    const stopMaking = startMaking(app, member)
    for (let kill = 0; kill < 2; kill++) {
      await Promise.all(writers.map(({ progress }) => progress(10)))
      await cluster.kill(0)
      for (const brain of brains) await expectRefusals(brain)
      await cluster.restart(0)
    }
    await Promise.all(writers.map(({ progress }) => progress(10)))
    await stopMaking()
    for (const writer of writers) await writer.verify()
    await expectWhole(app)
  }, 600_000)

  test('IDM-04 EVT-03 WHK-07 shards move to a new worker while clients write over two nodes of which one is killed: nothing acknowledged is lost', async () => {
    const cluster = await startCluster()
    const app = await startOn(cluster.url)
    const brains = (await createBrains(app)).map(({ brain }) => brain)
    let node = await startNodeProcess(app.database.url, nodeSettings)
    onTestFinished(() => node.close())
    const nodes = () => [app.base, node.base]
    const writers = await Promise.all(brains.map((brain) => startWriting({ app, brain, nodes, clients: 1 })))
    await Promise.all(writers.map(({ progress }) => progress(10)))

    await cluster.addWorker()
    await app.database.pool.query('select citus_rebalance_start()')
    await Promise.all(writers.map(({ progress }) => progress(10)))
    await node.kill()
    node = await startNodeProcess(app.database.url, nodeSettings)
    const readState = async () =>
      (await app.database.pool.query<{ state: string }>('select state from citus_rebalance_status()')).rows[0]?.state
    await expect.poll(readState, { timeout: 400_000, interval: 500 }).toBe('finished')
    await Promise.all(writers.map(({ progress }) => progress(10)))
    const places = await Promise.all(brains.map((brain) => findShard(app, brain)))
    expect(new Set(places.map(({ port }) => port)).size).toBe(shards)
    for (const writer of writers) await writer.verify()
    await expectWhole(app)
  }, 600_000)
})
