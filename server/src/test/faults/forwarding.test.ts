import { afterEach, expect, test } from 'vitest'
import { countForwarded, countReached, metricsToken } from '../../http/forwarding/count-forwarded.fixture.ts'
import { addBrain, createRequester, testSecret } from '../app.ts'
import { useBrain, useOwnApp } from '../harness.ts'
import { startNodeProcess } from './server-process.ts'
import { verify } from './verify.ts'
import { type Place, startClients } from './writers.ts'

// Nodes that send writes to the node of their Brain, and lose each other: kill -9 and a pause of real processes during writes.

// The app of this process has the database; it takes no part in the writes.
const app = useOwnApp({ NOEMA_ROLES: 'http' })
const owner = useBrain(app)
const settings = {
  ...{
    NOEMA_SECRET: testSecret,
    NOEMA_NODE_ADDRESS: '127.0.0.1:0',
    NOEMA_METRICS_TOKEN: metricsToken,
    NOEMA_ROLES: 'http',
  },
}

type Node = Awaited<ReturnType<typeof startNodeProcess>>

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const startNode = async (): Promise<Node> => {
  const node = await startNodeProcess(app.database.url, settings)
  closers.push(node.kill)
  return node
}

const startWriting = async (handle: string, nodes: () => readonly Node[]) => {
  const brain = await addBrain(app, owner, handle)
  let turn = 0
  const url = () => nodes()[turn++ % nodes().length]?.base ?? ''
  const place: Place = { url, brainPath: brain.path, secret: brain.key }
  const clients = startClients(place, Math.random, 2)
  const end = async () => {
    await clients.stop()
    await verify(place, clients.acknowledged)
  }
  return { ...clients, brain, end }
}

/** Waits until these nodes have sent so many more writes to others. One that has all Brains sends none. */
const untilForwarding = async (nodes: readonly Node[]): Promise<void> => {
  const count = async () => (await Promise.all(nodes.map(countForwarded))).reduce((sum, one) => sum + one, 0)
  const goal = (await count()) + 20
  await expect.poll(count).toBeGreaterThan(goal)
}

test('SCL-02 IDM-04 EVT-03 kill -9 of nodes that make the writes of others: nothing acknowledged is lost, and nothing is written twice', async () => {
  let nodes = [await startNode(), await startNode(), await startNode()]
  // Of these Brains each node has some.
  const writers = await Promise.all(['k0', 'k1', 'k2', 'k3'].map((handle) => startWriting(handle, () => nodes)))
  const progress = () => Promise.all(writers.map((one) => one.progress(10)))
  await untilForwarding(nodes)
  for (let kill = 0; kill < 2; kill++) {
    await progress()
    const [victim, ...rest] = nodes
    await victim?.kill()
    await progress()
    nodes = [...rest, await startNode()]
  }
  await untilForwarding(nodes)
  for (const { end } of writers) await end()
}, 600_000)

test('SCL-02 a node that hangs delays no write of another one: they are made directly until it goes on, and each once', async () => {
  const [hanging, ...others] = [await startNode(), await startNode(), await startNode()]
  if (!hanging) throw new Error('no node')
  const reaching = async () => Promise.all(others.map(countReached))
  await expect.poll(reaching).toEqual([2, 2])
  // Also where nothing is sent to it, others notice that it hangs.
  hanging.pause()
  await expect.poll(reaching).toEqual([1, 1])
  hanging.resume()
  await expect.poll(reaching).toEqual([2, 2])
  const writers = await Promise.all(['h0', 'h1', 'h2', 'h3'].map((handle) => startWriting(handle, () => others)))
  await untilForwarding([...others])
  hanging.pause()
  await Promise.all(writers.map((one) => one.progress(30)))
  // Without a key, too: only what was sent before the silence was noticed waits.
  await expect.poll(reaching).toEqual([1, 1])
  const brains = []
  for (let n = 0; n < 8; n++) brains.push(await addBrain(app, owner, `direct-${n}`))
  for (const [n, { path, key }] of brains.entries()) {
    const request = createRequester(others[n % 2]?.base ?? '')
    expect((await request('POST', `${path}/records`, { key, body: { kind: 'direct' } })).status).toBe(201)
  }
  hanging.resume()
  await expect.poll(reaching).toEqual([2, 2])
  await Promise.all(writers.map((one) => one.progress(30)))
  for (const { end } of writers) await end()
  for (const { path, key } of brains)
    expect((await app.request('GET', `${path}/records`, { key })).body.data.records).toHaveLength(1)
}, 600_000)
