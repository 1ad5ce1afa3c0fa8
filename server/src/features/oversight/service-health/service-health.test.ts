import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
// No node takes the work that waits here.
const idle = useOwnApp({ NOEMA_ROLES: 'http' })
const brain = useBrain(app)

const read = async (request = app.request) => {
  const answer = await request('GET', '/v1/admin/health', { headers: brain.session })
  expect(answer.status).toBe(200)
  return answer.body.data
}

const report = (list: readonly { name: string; run(): Promise<void> }[]) =>
  list.find(({ name }) => name === 'report this node')?.run()

test('ADM-06 an administrator sees versions, nodes with their workers, queues, and the state of the database', async () => {
  await report(app.app.workers)
  const health = await read()
  expect(health.versions).toEqual({
    service: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.version,
    postgresql: expect.stringMatching(/^\d+/),
    schema: { applied: health.versions.schema.known, known: expect.any(Number) },
  })
  expect(health.nodes).toMatchObject([
    { version: health.versions.service, roles: ['http', 'worker'], alive: true, disk: null },
  ])
  const names = health.nodes[0].workers.map(({ name }: { name: string }) => name)
  expect(names).toEqual(expect.arrayContaining(['erase deleted Brains', 'report this node', 'note the use of keys']))
  expect(health.queues.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['runs', 'outbox', 'deliveries', 'mail', 'Brain webhooks', 'erasures']),
  )
  const { bytes, connections, maxConnections, oldestTransactionSeconds } = health.database
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(connections).toBeGreaterThan(0)
  expect(maxConnections).toBeGreaterThanOrEqual(connections)
  expect(oldestTransactionSeconds).toBeGreaterThanOrEqual(0)
  expect(health.database.builtIn).toBe(true)
  expect(health.backups).toEqual({ last: [], archive: null })
})

test('ADM-06 other nodes appear, a silent one as gone, and one that shut down not at all', async () => {
  const node = await app.startNode({ NOEMA_ROLES: 'http', NOEMA_DATA_DIR: '/tmp' })
  await report(node.workers)
  app.clock.advance({ seconds: 6 })
  const find = async () => (await read()).nodes.find(({ roles }: { roles: string[] }) => roles.length === 1)
  expect(await find()).toMatchObject({ roles: ['http'], alive: true, disk: { freeBytes: expect.any(Number) } })
  app.clock.advance({ seconds: 31 })
  await report(app.app.workers)
  expect(await find()).toMatchObject({ alive: false })
  await node.close()
  app.clock.advance({ seconds: 6 })
  expect(await find()).toBeUndefined()
  await app.database.pool.query(
    `insert into nodes (id, version, roles, started_at, seen_at, workers) values ('old', '0', '{http}', $1, $1, '[]')`,
    [new Date(app.clock.now().getTime() - 2 * 86_400_000)],
  )
  await report(app.app.workers)
  app.clock.advance({ seconds: 6 })
  expect(await find()).toBeUndefined()
})

test('ADM-06 queues count their due rows and the oldest of them, and Brains that are behind show how far', async () => {
  const due = new Date(idle.clock.now().getTime() - 60_000)
  await idle.database.pool.query(
    `insert into outbox (organization_id, event, at, data, due_at)
     select $1, 'run.failed', $2::timestamptz + number * interval '1 second', '{}', $2::timestamptz + number * interval '1 second'
     from generate_series(0, 4) as number`,
    ['nobody', due],
  )
  const { data: health } = (
    await idle.request('GET', '/v1/admin/health', { headers: (await createBrain(idle)).session })
  ).body
  const outbox = health.queues.find(({ name }: { name: string }) => name === 'outbox')
  expect(outbox).toEqual({ name: 'outbox', due: 5, oldestDueAt: due.toISOString() })
  expect(health.lags).toMatchObject({
    index: { brains: expect.any(Number), behind: expect.any(Number) },
    embedding: null,
  })
})

test('ADM-06 the health is read at most once in five seconds for any number of requests', async () => {
  app.clock.advance({ seconds: 6 })
  app.clock.hold()
  const answers = await Promise.all(Array.from({ length: 20 }, () => read()))
  expect(new Set(answers.map(({ at }) => at)).size).toBe(1)
  app.clock.advance({ seconds: 6 })
  expect((await read()).at).not.toBe(answers[0]?.at)
})
