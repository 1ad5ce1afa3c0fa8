import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { mintManagementKey } from '../operator/operator.ts'
import { createLog } from '../shared/log.ts'
import { createRequester, testSecret } from '../test/app.ts'
import { createTestDatabase } from '../test/database.ts'
import { listCursors, readEvents } from '../test/faults/read-events.ts'
import { verify } from '../test/faults/verify.ts'
import { startClients } from '../test/faults/writers.ts'
import { hasPooler, startPooler } from '../test/pooler.ts'

const settings = {
  NOEMA_PORT: '0',
  NOEMA_SECRET: testSecret,
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_PREPARED_STATEMENTS: 'off',
  NOEMA_MAX_WAIT: '60000',
  NOEMA_TIERS: '{"free":{"dailyWrites":100000000}}',
}
/** As deploy/pgbouncer/pgbouncer.ini has it. */
const connectQuery = `set timezone = 'UTC'; set lock_timeout = '5s'; set statement_timeout = '20s'; set idle_in_transaction_session_timeout = '10s'; set jit = 'off'; set max_parallel_workers_per_gather = '0'`

let database: Awaited<ReturnType<typeof createTestDatabase>>
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  database = await createTestDatabase({ isBlank: true })
  closers.push(database.drop)
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

const openPooler = async (query?: string) => {
  const pooler = await startPooler(database.url, query)
  closers.push(pooler.close)
  return { ...settings, NOEMA_DATABASE_URL: pooler.url, NOEMA_DATABASE_DIRECT_URL: database.url }
}

const startNode = async (env: Record<string, string>) => {
  const config = readConfig(env, '/')
  const app = await createApp({ config, address: database.url, secret: testSecret, log: createLog('silent') })
  closers.push(app.close)
  return (await app.listen()).url
}

test.skipIf(!hasPooler())(
  'D-83 a node does not start on connections of a pooler that lack its settings, and names the statement for the pooler',
  async () => {
    await expect(startNode(await openPooler())).rejects.toThrow(connectQuery.replaceAll("'", "''"))
  },
)

test.skipIf(!hasPooler())(
  'IDM-04 EVT-03 D-54 behind a PgBouncer that gives each transaction another connection, nodes migrate, write, stream, wake each other, search and run as ever',
  async () => {
    const env = await openPooler(connectQuery)
    const [one, two] = [await startNode(env), await startNode(env)]
    const { secret: key } = await mintManagementKey({ name: 'pooled', cwd: '/', env })
    const place = { url: () => (Math.random() < 0.5 ? one : two), brainPath: '/v1/brains/brain', secret: key }
    const call = (base: string, method: string, path: string, body?: unknown, headers = {}) =>
      createRequester(base)(method, path, { key, body, headers })
    expect((await call(one, 'PUT', place.brainPath, {})).status).toBe(201)
    const cursors: string[] = []
    const stopping = new AbortController()
    const followed = readEvents(
      { url: `${two}${place.brainPath}/events`, headers: { authorization: `Bearer ${key}` }, signal: stopping.signal },
      cursors,
    ).catch(() => undefined)
    const clients = startClients(place, Math.random, 12)
    await clients.progress(80)
    await clients.stop()
    await verify(place, clients.acknowledged)
    const all = await listCursors(one, place.brainPath, key)
    await expect.poll(() => cursors.length).toBe(all.length)
    expect(cursors).toEqual(all)
    stopping.abort()
    await followed
    const text = `Ostriches run fast. ${'They live in savannas. '.repeat(8_000)}`
    expect((await call(one, 'POST', `${place.brainPath}/documents`, { title: 'Birds', text })).status).toBe(201)
    const found = await call(two, 'GET', `${place.brainPath}/search?q=ostriches&consumerId=test`)
    expect(found).toMatchObject({ status: 200 })
    expect(found.body.data.results[0]).toMatchObject({ title: 'Birds' })
    const agent = await call(one, 'POST', '/v1/agents', {
      ...{ name: 'Librarian', instructions: 'Answer.', model: 'noema/extractive' },
      brains: [{ handle: 'brain', access: 'read_only' }],
    })
    const input = { agentId: agent.body.data.agent.id, input: 'Do ostriches run fast?' }
    const run = await call(two, 'POST', '/v1/runs', input, { prefer: 'wait=60' })
    expect(run).toMatchObject({ status: 200, body: { data: { run: { state: 'completed' } } } })
  },
)
