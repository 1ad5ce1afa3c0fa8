import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createBrain, startTestApp, testSecret } from '../app.ts'
import { startReceiver } from '../receiver.ts'

const minutes = 0.75
const corrections = 40
const hanging = 20

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A node of a machine whose clock is wrong by so many minutes. */
const startNode = async (databaseUrl: string, wrongBy: number): Promise<ChildProcess> => {
  const program = join(import.meta.dirname, 'skewed-node.ts')
  const node = fork(program, [databaseUrl, testSecret, String(wrongBy * 60)], { execArgv: [] })
  closers.push(async () => node.kill('SIGKILL'))
  await once(node, 'message')
  return node
}

/** A service whose background work is done by two nodes, one with a fast and one with a slow clock. */
const startService = async () => {
  const app = await startTestApp({ NOEMA_ROLES: 'http' })
  closers.push(app.close)
  const nodes = await Promise.all([startNode(app.database.url, minutes), startNode(app.database.url, -minutes)])
  const receiver = await startReceiver()
  closers.push(receiver.close)
  return { app, nodes, receiver, brain: await createBrain(app) }
}

test('D-65 no lease is taken from its node, with any clock error, and none lasts longer than it should', async () => {
  const { app, receiver, brain } = await startService()
  const answers: (() => void)[] = []
  receiver.answers((response) => void answers.push(() => response.writeHead(204).end()))
  for (let count = 0; count < hanging; count++) await brain.call('POST', '/webhooks', { url: receiver.url })
  await brain.call('PUT', '/records/a', { kind: 'k' })
  await receiver.received(hanging)
  const { rows } = await app.database.pool.query<{ seconds: number }>(
    'select extract(epoch from due_at - clock_timestamp())::float8 as seconds from brain_webhooks where lease is not null',
  )
  expect(rows).toHaveLength(hanging)
  for (const { seconds } of rows) {
    expect(seconds).toBeGreaterThan(15)
    expect(seconds).toBeLessThanOrEqual(30.5)
  }
  // A second event, whose delivery needs a poll on both nodes: the first is not sent again meanwhile.
  const other = await startReceiver()
  closers.push(other.close)
  await brain.call('POST', '/webhooks', { url: other.url })
  for (let look = 1; look <= 4; look++) {
    await brain.call('PUT', `/records/${look}`, { kind: 'k' })
    await other.received(look)
  }
  expect(receiver.deliveries).toHaveLength(hanging)
  for (const answer of answers) answer()
})

test('OWH-05 D-66 a retry comes when it is due by the clock of all, whichever node asks for it and whichever does it', async () => {
  const { app, nodes, receiver, brain } = await startService()
  const first = new Map<string, number>()
  const waits: number[] = []
  receiver.answers((response, { headers, at }) => {
    const id = String(headers['webhook-id'])
    const before = first.get(id)
    if (before === undefined) first.set(id, at)
    else waits.push(at - before)
    response.writeHead(before === undefined ? 500 : 204).end()
  })
  const management = { key: brain.key }
  await app.request('POST', '/v1/webhooks', {
    ...management,
    body: { url: receiver.url, events: ['knowledge.corrected'] },
  })
  for (let count = 0; count < corrections; count++) {
    const made = await brain.call('POST', '/records', { kind: 'k', fields: { count } })
    await brain.call('POST', `/changes/${made.body.data.change.id}/revert`, {})
  }
  // The clocks jump while retries wait.
  for (const [index, node] of nodes.entries()) node.send(index === 0 ? -45 : 45)
  await receiver.received(2 * corrections)
  expect(waits).toHaveLength(corrections)
  expect(Math.min(...waits)).toBeGreaterThan(4_900)
  expect(Math.max(...waits)).toBeLessThan(12_000)
})
