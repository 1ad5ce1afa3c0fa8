import { afterEach, expect, test } from 'vitest'
import { useRuns } from '../../agent-runtime/use-runs.fixture.ts'
import { testSecret } from '../app.ts'
import { startBalancer } from '../balancer.ts'
import { listCursors } from './read-events.ts'
import { startNodeProcess } from './server-process.ts'
import { startTraffic } from './traffic.ts'

// Three real processes behind a real proxy; the app of the tests prepares and checks the result.
const runs = useRuns({ NOEMA_ROLES: 'http' })
const settings = {
  NOEMA_SECRET: testSecret,
  NOEMA_PROVIDER_ALLOW: '127.0.0.1:*',
  NOEMA_TIERS: '{"free":{"rate":{"perSecond":100000,"burst":1000000}}}',
  NOEMA_ADDRESS_RATE: '100000/1000000',
  // Each node has one run at most, so three runs are on three nodes.
  NOEMA_MAX_RUNS: '1/3',
  NOEMA_DRAIN_SECONDS: '2',
}
const nodeCount = 3
/** Replacements of each node: one in CI. */
const rounds = Number(process.env.NOEMA_TEST_ROUNDS ?? 1)

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  await Promise.all([...living].map(({ kill }) => kill()))
})

const living = new Set<Awaited<ReturnType<typeof startNodeProcess>>>()
const startNode = async () => {
  const node = await startNodeProcess(runs.app.database.url, settings)
  living.add(node)
  return node
}

/** Models that say nothing until they are released. */
const holdModels = () => {
  const held = new Set<() => void>()
  let isReleased = false
  runs.scripted.models.says(async () => {
    if (!isReleased) await new Promise<void>((resolve) => held.add(resolve))
    return { text: ['Done.'] }
  })
  return () => {
    isReleased = true
    for (const release of held) release()
  }
}

const openCalls = () => runs.scripted.models.requests.filter(({ isCut }) => !isCut).length

const readStream = () => listCursors(runs.app.base, runs.scene.brain.path, runs.scene.member.key)

test('D-82 D-54 RUN-04 three nodes behind a proxy are replaced one after the other: no request fails, streams continue without a gap, and runs continue elsewhere', async () => {
  const release = holdModels()
  const agent = await runs.createAgent({})
  const balancer = await startBalancer()
  closers.push(balancer.close)
  const nodes = await Promise.all(Array.from({ length: nodeCount }, startNode))
  await Promise.all(nodes.map(({ base }) => balancer.add(base)))
  const traffic = startTraffic({ base: balancer.base, brainPath: runs.scene.brain.path, key: runs.scene.member.key })
  closers.push(traffic.stop)
  const waiting = Array.from({ length: nodeCount }, () =>
    traffic.send('POST', '/v1/runs', { agentId: agent.id, input: 'Go.' }, { prefer: 'wait=60' }),
  )
  for (let turn = 0; turn < rounds * nodeCount; turn++) {
    await expect.poll(openCalls).toBe(nodeCount)
    await traffic.more(20)
    const former = nodes.shift()
    if (former) living.delete(former)
    const [next] = await Promise.all([startNode(), former?.close()])
    nodes.push(next)
    balancer.remove(former?.base ?? '')
    await balancer.add(next.base)
  }
  await expect.poll(openCalls).toBe(nodeCount)
  release()
  const answers = await Promise.all(waiting)
  for (const { run } of answers) expect(await runs.ended(run.runId)).toMatchObject({ state: 'completed' })
  await traffic.more(20)
  const cursors = await readStream()
  await expect.poll(() => traffic.streams.every((got) => got.length >= cursors.length)).toBe(true)
  await traffic.stop()
  expect(traffic.failures).toEqual([])
  const all = await readStream()
  for (const got of traffic.streams) expect(got).toEqual(all.slice(0, got.length))
  expect(
    await runs.query(`select id from record_versions where kind = 'written' and not (id = any($1))`, [traffic.written]),
  ).toEqual([])
})
