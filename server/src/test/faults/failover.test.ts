import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { mintManagementKey } from '../../operator/operator.ts'
import { createLog } from '../../shared/log.ts'
import { createRequester, testSecret } from '../app.ts'
import { startReplicatedDatabase } from '../replicated-database.ts'
import { startProbe } from './probe.ts'
import { listCursors, readEvents } from './read-events.ts'
import { verify } from './verify.ts'
import { type Place, startClients } from './writers.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const env = {
  NOEMA_PORT: '0',
  NOEMA_SECRET: testSecret,
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_DATABASE_POOL: '8',
  NOEMA_MAX_WAIT: '60000',
  NOEMA_TIERS: '{"free":{"dailyWrites":100000000}}',
}

const startNode = async (address: string) => {
  const config = readConfig({ ...env, NOEMA_DATABASE_URL: address }, '/')
  const app = await createApp({ config, address, secret: testSecret, log: createLog('silent') })
  closers.push(app.close)
  const { url } = await app.listen()
  return url
}

/** Follows the stream on one node, from where it was, whenever it breaks. */
const startFollower = (base: string, { brainPath, secret }: Omit<Place, 'url'>) => {
  const cursors: string[] = []
  const stopping = new AbortController()
  const headers = { authorization: `Bearer ${secret}` }
  const follow = async () => {
    while (!stopping.signal.aborted) {
      await readEvents({ url: `${base}${brainPath}/events`, headers, signal: stopping.signal }, cursors).catch(() => {})
      await delay(20)
    }
  }
  const done = follow()
  return {
    cursors,
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}

/** Three nodes on a replicated database, with a Brain, clients that write, readers and followers. */
const startScene = async () => {
  const database = await startReplicatedDatabase()
  closers.push(database.close)
  const { secret } = await mintManagementKey({
    ...{ name: 'failover', cwd: '/', create: true },
    env: { ...env, NOEMA_DATABASE_URL: database.url },
  })
  const nodes = [await startNode(database.url), await startNode(database.url), await startNode(database.url)]
  let turn = 0
  const place: Place = { url: () => nodes[turn++ % nodes.length] ?? '', brainPath: '/v1/brains/brain', secret }
  expect((await createRequester(place.url())('PUT', place.brainPath, { key: secret, body: {} })).status).toBe(201)
  const probes = nodes.map((base) => startProbe(base, place))
  const followers = nodes.map((base) => startFollower(base, place))
  const clients = startClients(place, Math.random, 6)
  closers.push(async () => {
    await Promise.all([...probes, ...followers, clients].map(({ stop }) => stop()))
  })
  const refused = () => probes.every(({ answers }) => answers.at(-1)?.status === 503)
  const answered = () => probes.every(({ answers }) => answers.at(-1)?.status === 200)
  return { database, nodes, place, probes, followers, clients, refused, answered }
}

type Scene = Awaited<ReturnType<typeof startScene>>

const verifyScene = async ({ clients, probes, followers, place }: Scene) => {
  await clients.stop()
  await verify(place, clients.acknowledged)
  const cursors = await listCursors(place.url(), place.brainPath, place.secret)
  for (const follower of followers) {
    await expect.poll(() => follower.cursors.length).toBe(cursors.length)
    expect(follower.cursors).toEqual(cursors)
  }
  const answers = probes.flatMap((probe) => probe.answers)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === null)).toEqual([])
  expect(Math.max(...answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(15_000)
}

/** Clients are refused after the primary fails, and answered again after the standby's promotion. */
const failOver = async ({ database, clients, refused, answered }: Scene, strike: () => Promise<unknown>) => {
  await clients.progress(60)
  await strike()
  await expect.poll(refused).toBe(true)
  await database.promoteStandby()
  await clients.progress(20)
  await expect.poll(answered).toBe(true)
}

test('SUR-09 IDM-04 EVT-03 the primary is killed while clients write over three nodes, and the standby is promoted: nothing acknowledged is lost, streams have no gap, and the nodes continue without a restart', async () => {
  const scene = await startScene()
  const { database, clients, answered } = scene
  await failOver(scene, database.killPrimary)
  // It would accept writes that no other host has: nodes know that its timeline is old.
  await database.startFormerPrimary()
  await database.breakConnections()
  await clients.progress(20)
  await expect.poll(answered).toBe(true)
  await verifyScene(scene)
})

test('SUR-09 IDM-04 EVT-03 the primary freezes while clients write over three nodes, the standby takes its place, and the primary wakes as if nothing had been: nothing acknowledged is lost, streams have no gap, and no node stays with the one that woke', async () => {
  const scene = await startScene()
  const { database, clients } = scene
  await failOver(scene, database.freezePrimary)
  await database.wakePrimary()
  // Nodes ask every few seconds which host it is.
  await expect.poll(database.listAtFormerPrimary).toEqual([])
  const left = await database.readFormerPrimary()
  await clients.progress(20)
  expect(await database.listAtFormerPrimary()).toEqual([])
  expect(await database.readFormerPrimary()).toEqual(left)
  await verifyScene(scene)
})
