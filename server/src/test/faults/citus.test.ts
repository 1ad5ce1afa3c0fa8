import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findCitus } from '../../../../dev/find-citus.ts'
import { createLog } from '../../shared/log.ts'
import { openDatabase } from '../../storage/database.ts'
import { distribute } from '../../storage/distribute.ts'
import { migrateAt } from '../../storage/migrate.ts'
import { addBrain, createBrain, startTestApp, type TestApp, type TestBrain } from '../app.ts'
import { startCitusCluster } from '../citus-cluster.ts'
import { verify } from './verify.ts'
import { type Place, startClients } from './writers.ts'

const clientsOfBrain = 6

const startCluster = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-citus-'))
  chmodSync(folder, 0o755)
  const cluster = await startCitusCluster(folder)
  onTestFinished(async () => {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return cluster
}

/** The whole service on the database of a cluster. */
const startOn = async (clusterUrl: string): Promise<TestApp> => {
  const url = clusterUrl.replace('/?', '/noema?')
  const app = await startTestApp(
    { NOEMA_TIERS: '{"free":{"dailyWrites":100000000}}' },
    {
      create: async () => {
        const { db, pool, close } = openDatabase(url, createLog('silent'), 2)
        await migrateAt(url, createLog('silent'))
        await distribute(pool)
        return { db, pool, url, name: 'noema', drop: close }
      },
    },
  )
  onTestFinished(() => app.close())
  return app
}

/** The port of the server that has a Brain. */
const findPort = async (app: TestApp, { brain }: TestBrain): Promise<number> => {
  const { rows } = await app.database.pool.query<{ port: number }>(
    `select nodeport as port from citus_shards where shardid = get_shard_id_for_distribution_column('brains',
      (select brain_id from brain_directory where id = $1))`,
    [brain.id],
  )
  return rows[0]?.port ?? 0
}

/** A Brain on each worker. */
const createBrains = async (app: TestApp, ports: readonly number[]): Promise<TestBrain[]> => {
  const member = await createBrain(app, 'brain-0')
  const found = new Map([[await findPort(app, member), member]])
  for (let count = 1; ports.some((port) => !found.has(port)); count++) {
    const brain = await addBrain(app, member, `brain-${count}`)
    found.set(await findPort(app, brain), brain)
  }
  return ports.map((port) => found.get(port) as TestBrain)
}

test.skipIf(findCitus() === undefined)(
  'IDM-04 EVT-03 kill -9 of a worker of a Citus cluster loses nothing acknowledged; its Brains return 503 meanwhile and others continue',
  async () => {
    const cluster = await startCluster()
    const app = await startOn(cluster.url)
    const [lost, other] = (await createBrains(app, cluster.ports.slice(1))) as [TestBrain, TestBrain]
    const toPlace = ({ key, path }: TestBrain): Place => ({ url: () => app.base, brainPath: path, secret: key })
    const [ofLost, ofOther] = [lost, other].map((brain) => startClients(toPlace(brain), Math.random, clientsOfBrain))
    if (!ofLost || !ofOther) throw new Error('no clients')
    await Promise.all([ofLost.progress(30), ofOther.progress(30)])

    await cluster.kill(1)
    for (const refused of [
      await lost.call('GET', '/records'),
      await lost.call('GET', '/events'),
      await lost.call('POST', '/records', { kind: 'k' }),
    ]) {
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await ofOther.progress(30)
    expect((await other.call('GET', '/records')).status).toBe(200)

    await cluster.restart(1)
    await Promise.all([ofLost.progress(30), ofOther.progress(30)])
    await Promise.all([ofLost.stop(), ofOther.stop()])
    await verify(toPlace(lost), ofLost.acknowledged)
    await verify(toPlace(other), ofOther.acknowledged)
    const { rows: prepared } = await app.database.pool.query('select gid from pg_prepared_xacts')
    expect(prepared).toEqual([])
  },
  600_000,
)
