import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain, testSecret } from '../app.ts'
import { type Delivery, type Receiver, startReceiver } from '../receiver.ts'

// NOEMA_TEST_FAULTS is how many nodes are killed (4 in CI).
const kills = Number(process.env.NOEMA_TEST_FAULTS ?? 4)
const seed = Number(process.env.NOEMA_TEST_SEED ?? randomInt(1, 2 ** 31))
const webhooks = 4
const eventsPerKill = 60
const doomed = ['r7', 'r50']

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Two nodes on the app's database, one of which can be killed and is replaced. */
const startNodes = async (app: TestApp) => {
  const program = join(import.meta.dirname, 'delivering-node.ts')
  const launch = async () => {
    const node = fork(program, [app.database.url, testSecret, 'deliver to webhooks'], { execArgv: [] })
    await once(node, 'message')
    return node
  }
  const nodes: ChildProcess[] = await Promise.all([launch(), launch()])
  closers.push(async () => nodes.map((node) => node.kill('SIGKILL')))
  return {
    /** Moves the clocks of all nodes, which lets leases end and attempts come due. */
    advance: (seconds: number) => nodes.map((node) => node.connected && node.send(seconds)),
    kill: async (index: number) => {
      nodes[index]?.kill('SIGKILL')
      nodes[index] = await launch()
    },
  }
}

/** Fails 5 % and drops 1 % of the acknowledgements; some events it never takes. */
const answerBadly = (random: () => number, acknowledged: Set<Delivery>): Parameters<Receiver['answers']>[0] => {
  return (response, delivery) => {
    const isDoomed = doomed.includes(delivery.body.event.data.record?.id)
    if (isDoomed || random() < 0.05) {
      response.writeHead(500).end()
      return
    }
    acknowledged.add(delivery)
    if (random() < 0.01) response.destroy()
    else response.writeHead(204).end()
  }
}

const verify = (deliveries: readonly Delivery[], acknowledged: ReadonlySet<Delivery>, cursors: readonly string[]) => {
  const seen: string[] = []
  const attempts = new Map<string, number>()
  const taken = new Set<string>()
  for (const delivery of deliveries) {
    const { event, previousCursor } = delivery.body
    if (!attempts.has(event.cursor)) seen.push(event.cursor)
    attempts.set(event.cursor, (attempts.get(event.cursor) ?? 0) + 1)
    if (acknowledged.has(delivery)) taken.add(event.cursor)
    expect(previousCursor).toBe(cursors[cursors.indexOf(event.cursor) - 1] ?? null)
  }
  expect(seen).toEqual(cursors)
  const skipped = cursors.filter((cursor) => !taken.has(cursor))
  expect(skipped.length).toBeGreaterThanOrEqual(doomed.length)
  for (const cursor of skipped) expect(attempts.get(cursor)).toBeGreaterThanOrEqual(3)
}

const readProgress = async (brain: TestBrain): Promise<{ pending: boolean }[]> =>
  (await brain.call('GET', '/webhooks')).body.data.webhooks

test(
  `WHK-07 WHK-09 D-65 nodes that are killed while they send lose nothing, keep the order, and hide no skip (seed ${seed})`,
  async () => {
    const app = await startTestApp({ NOEMA_ROLES: 'http' })
    closers.push(app.close)
    const brain = await createBrain(app)
    const nodes = await startNodes(app)
    let state = seed
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
    const acknowledged = new Set<Delivery>()
    const receivers = await Promise.all(
      Array.from({ length: webhooks }, () => startReceiver({ answer: answerBadly(random, acknowledged) })),
    )
    for (const { url, close } of receivers) {
      closers.push(close)
      await brain.call('POST', '/webhooks', { url })
    }
    const arrived = () => receivers.reduce((sum, { deliveries }) => sum + deliveries.length, 0)
    // The test cannot await another process: it polls, and moves the clock.
    const until = async (isSo: () => boolean | Promise<boolean>) => {
      while (!(await isSo())) {
        nodes.advance(10)
        await delay(50)
      }
    }
    let written = 0
    for (let kill = 0; kill < kills; kill++) {
      const writes = Array.from({ length: eventsPerKill }, () =>
        brain.call('PUT', `/records/r${written++}`, { kind: 'k' }),
      )
      const enough = arrived() + 1 + Math.floor(random() * 40)
      await until(() => arrived() >= enough)
      await nodes.kill(kill % 2)
      await Promise.all(writes)
    }
    await until(async () => (await readProgress(brain)).every(({ pending }) => !pending))
    const { events } = (await brain.call('GET', '/events?limit=500')).body.data
    const cursors = events.map(({ cursor }: { cursor: string }) => cursor)
    expect(cursors).toHaveLength(written)
    for (const { deliveries } of receivers) verify(deliveries, acknowledged, cursors)
  },
  60_000 + kills * 20_000,
)
