import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createBrain, startTestApp, type TestApp, testSecret } from '../app.ts'

// NOEMA_TEST_FAULTS is how many nodes are killed (4 in CI).
const kills = Number(process.env.NOEMA_TEST_FAULTS ?? 2)
const eventsPerKill = 12

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A node that fires triggers, in a separate process. */
const launch = async (app: TestApp): Promise<ChildProcess> => {
  const program = join(import.meta.dirname, 'delivering-node.ts')
  const node = fork(program, [app.database.url, testSecret, 'fire triggers'], { execArgv: [] })
  closers.push(async () => node.kill('SIGKILL'))
  await once(node, 'message')
  return node
}

test('RUN-06 nodes that are killed while they start runs leave one for each event, in the order of the events', async () => {
  const app = await startTestApp({ NOEMA_ROLES: 'http' })
  closers.push(app.close)
  const brain = await createBrain(app)
  const call = (method: string, path: string, body?: object) =>
    app.request(method, path, { key: brain.key, ...(body ? { body } : {}) })
  const agent = { name: 'Reader', instructions: 'Answer.', model: 'noema/extractive' }
  const agentId = (await call('POST', '/v1/agents', agent)).body.data.agent.id
  await call('POST', '/v1/automations/triggers', { knowledgeGraphId: brain.brain.id, agentId, name: 'watch' })
  const readCursors = async (): Promise<string[]> => {
    const { runs } = (await call('GET', `/v1/runs?agentId=${agentId}&limit=500`)).body.data
    await app.database.pool.query(
      `update runs set state = 'completed', completed_at = now() where completed_at is null`,
    )
    return runs.map(({ trigger }: { trigger: { cursor: string } }) => trigger.cursor)
  }
  for (let kill = 1; kill <= kills; kill++) {
    const node = await launch(app)
    const operations = Array.from({ length: eventsPerKill }, () => ({ op: 'record.create', kind: 'person' }))
    await brain.call('POST', '/batch', { operations })
    // The clock of this node is ahead of the earlier ones: their leases have expired.
    node.send(kill * 60)
    const least = (kill - 1) * eventsPerKill + 1
    await vi.waitFor(
      async () => {
        node.send(2)
        expect((await readCursors()).length).toBeGreaterThanOrEqual(least)
      },
      { timeout: 90_000, interval: 100 },
    )
    node.kill('SIGKILL')
  }
  const last = await launch(app)
  last.send((kills + 1) * 60)
  const { events } = (await brain.call('GET', '/events?limit=500')).body.data
  await vi.waitFor(
    async () => {
      last.send(2)
      expect((await readCursors()).length).toBe(events.length)
    },
    { timeout: 90_000, interval: 200 },
  )
  expect(await readCursors()).toEqual(events.map(({ cursor }: { cursor: string }) => cursor))
})
