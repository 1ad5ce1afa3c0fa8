import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../app.ts'
import { backUp } from '../backups/backups.ts'
import { readConfig } from '../config/config.ts'
import { examine } from '../doctor/doctor.ts'
import { distributeDatabase } from '../operator/distribute-database.ts'
import { createLog } from '../shared/log.ts'
import { createBrain, startTestApp, testSecret } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'
import { createClusterDatabase, createTestDatabase } from '../test/database.ts'
import { listCursors, readEvents } from '../test/faults/read-events.ts'
import { findFreePort } from '../test/free-port.ts'
import { listenToCommands, reportCommands } from './remote-commands.fixture.ts'
import { defineStatement } from './statements.ts'

const startNode = async (env: Record<string, string>): Promise<void> => {
  const config = readConfig(env, '/')
  const app = await createApp({
    ...{ config, address: config.databaseUrl ?? '', secret: testSecret, log: createLog('silent') },
  })
  await app.close()
}

/** The doctor's findings about the workers, for nodes that connect to them. */
const checkWorkers = async (url: string) => {
  const settings = { NOEMA_SECRET: testSecret, NOEMA_EMBEDDINGS: 'off', NOEMA_PORT: '0' }
  const env = { ...settings, NOEMA_DATABASE_URL: url, NOEMA_DATABASE_WORKER_POOL: '4' }
  const findings = await examine({ env, cwd: '/', isService: async () => false })
  return findings.filter(({ check }) => check === 'Workers')
}

const setUp = async () => {
  const app = await startTestApp({ NOEMA_ROLES: 'http', NOEMA_DATABASE_WORKER_POOL: '0' }, { prepare: reportCommands })
  onTestFinished(() => app.close())
  const node = await app.startNode({ NOEMA_DATABASE_WORKER_POOL: '4' })
  onTestFinished(node.close)
  const brain = await createBrain(app)
  const brainId =
    (await app.app.deps.brainReads.primary.prepared(selectNumber({ id: brain.brain.id })))[0]?.brainId ?? 0
  await expect.poll(() => node.app.deps.brainServers.find(brainId)).toBeDefined()
  return { app, node, brain, brainId }
}

const selectNumber = defineStatement(
  ({ id }: { id: string }) => sql<{ brainId: number }>`
    select brain_id as "brainId" from brain_directory where id = ${id}`,
)

test.skipIf(!isCluster)(
  'a node with connections to the workers writes, reads, lists, searches and reads events there, and the coordinator sends only receipts',
  async () => {
    const { app, node, brain } = await setUp()
    const key = await brain.mintKey(['read', 'write'])
    const record = { kind: 'note', fields: { text: 'The heron eats fish.' } }
    const call = (method: string, below: string, body?: unknown) =>
      node.request(method, brain.path + below, { key, ...(body === undefined ? {} : { body }) })
    // The daily caps of an organization count the writes to all of its Brains, at most once a second.
    app.clock.hold()
    await call('PUT', '/records/r', record)
    const commands: string[] = []
    const stopListening = listenToCommands(({ text, shards }) => {
      if (shards.length > 0 && !/\breceipt/.test(text)) commands.push(text)
    })
    onTestFinished(stopListening)
    const requests: [string, string, unknown?][] = [
      ['POST', '/records', record],
      ['PUT', '/records/s', record],
      ['PATCH', '/records/r', { fields: { text: 'Two herons.' } }],
      ['POST', '/batch', { operations: [{ op: 'document.put', text: 'Reeds', title: 'Reeds' }] }],
      ['GET', '/records/r'],
      ['GET', '/records'],
      ['GET', '/events'],
      ['GET', '/search?q=heron'],
    ]
    const found: Record<string, unknown> = {}
    for (const [method, below, body] of requests) {
      commands.length = 0
      const { status } = await call(method, below, body)
      found[`${method} ${below}`] = { isDone: status < 300, commands: [...commands] }
    }
    expect(found).toEqual(
      Object.fromEntries(requests.map(([method, below]) => [`${method} ${below}`, { isDone: true, commands: [] }])),
    )
  },
)

test.skipIf(!isCluster)(
  'EVT-03 commits on a worker reach live streams of nodes that connect to the coordinator only, and the other way round, in one order',
  async () => {
    const { app, node, brain } = await setUp()
    const stopping = new AbortController()
    onTestFinished(() => stopping.abort())
    const headers = { authorization: `Bearer ${brain.key}` }
    const seen = [app.base, node.base].map((base) => {
      const cursors: string[] = []
      const url = `${base}${brain.path}/events`
      void readEvents({ url, headers, signal: stopping.signal }, cursors).catch(() => undefined)
      return cursors
    })
    for (let index = 0; index < 10; index++) {
      const { request } = index % 2 === 0 ? app : node
      const written = await request('PUT', `${brain.path}/records/r`, {
        ...{ key: brain.key, body: { kind: 'note', fields: { index } } },
      })
      expect(written.status).toBeLessThan(300)
      const other = index % 2 === 0 ? node : app
      const read = await other.request('GET', `${brain.path}/records/r`, { key: brain.key })
      expect(read.body.data.record.fields).toEqual({ index })
    }
    const all = await listCursors(app.base, brain.path, brain.key)
    for (const cursors of seen) await expect.poll(() => cursors).toEqual(all)
  },
)

test('NOEMA_DATABASE_WORKER_POOL is refused where the tables are on one server', async () => {
  const database = await createTestDatabase({ isBlank: true })
  onTestFinished(() => database.drop())
  const env = { NOEMA_DATABASE_URL: database.url, NOEMA_DATABASE_WORKER_POOL: '4', NOEMA_EMBEDDINGS: 'off' }
  await expect(startNode(env)).rejects.toThrow('Unset it, or run `noema distribute` first.')
  expect(await checkWorkers(database.url)).toMatchObject([
    { status: 'failed', message: expect.stringContaining('No node starts.'), fix: expect.stringContaining('Unset it') },
  ])
})

test.skipIf(!isCluster)(
  'SCL-05 the doctor names each worker that does not answer here at its address, and each whose address leads to another server from here',
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const { rows } = await database.pool.query<{ id: number; port: number }>(
      'select nodeid as id, nodeport as port from pg_dist_node where groupid > 0 order by nodeport',
    )
    const [first, second] = rows
    expect(await checkWorkers(database.url)).toMatchObject([
      { status: 'ok', message: expect.stringMatching(new RegExp(`from here: .*:${first?.port}.*:${second?.port}`)) },
    ])
    // The coordinator still reaches both workers, at other addresses.
    await database.pool.query(`insert into pg_dist_poolinfo (nodeid, poolinfo)
      select nodeid, 'host=' || nodename || ' port=' || nodeport from pg_dist_node where groupid > 0`)
    const closed = await findFreePort()
    const move = (id: number | undefined, port: number | undefined) =>
      database.pool.query(`update pg_dist_node set nodename = 'localhost', nodeport = $2 where nodeid = $1`, [id, port])
    await move(first?.id, second?.port)
    const other = {
      ...{ status: 'warning', fix: expect.stringContaining(`psql reaches localhost:${second?.port} from here`) },
      message: `localhost:${second?.port} is used through the coordinator only: Its address leads to another server from here.`,
    }
    expect(await checkWorkers(database.url)).toMatchObject([other])
    await move(second?.id, closed)
    const lost = {
      ...{ status: 'warning', fix: expect.stringContaining(`psql reaches localhost:${closed} from here`) },
      message: expect.stringContaining(`localhost:${closed} is used through the coordinator only: `),
    }
    const found = await checkWorkers(database.url)
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining([expect.objectContaining(other), expect.objectContaining(lost)]))
  },
)

test.skipIf(!isCluster)(
  'nodes, backups, the doctor and `noema distribute` refuse a worker of a cluster, and create nothing there',
  async () => {
    const database = await createClusterDatabase()
    onTestFinished(() => database.drop())
    const { rows } = await database.pool.query<{ port: number }>(
      'select nodeport as port from pg_dist_node where groupid > 0 limit 1',
    )
    const worker = new URL(database.url)
    worker.port = String(rows[0]?.port)
    const env = { NOEMA_DATABASE_URL: worker.href, NOEMA_SECRET: testSecret, NOEMA_EMBEDDINGS: 'off', NOEMA_PORT: '0' }
    const refusal = 'is a worker of a Citus cluster. Set NOEMA_DATABASE_URL to the coordinator'

    await expect(startNode(env)).rejects.toThrow(refusal)
    await expect(startNode({ ...env, NOEMA_DATABASE_DIRECT_URL: database.url })).rejects.toThrow(refusal)
    await expect(backUp({ file: '/of-a-worker.noema', cwd: '/', env })).rejects.toThrow(refusal)
    await expect(distributeDatabase({ dryRun: false, cwd: '/', env })).rejects.toThrow(refusal)
    const findings = await examine({ env, cwd: '/', isService: async () => false })
    expect(findings.find(({ check }) => check === 'Database')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(refusal),
    })
    const client = new pg.Client({ connectionString: worker.href })
    await client.connect()
    const tables = await client.query(
      `select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    await client.end()
    expect(tables.rowCount).toBe(0)
  },
)
