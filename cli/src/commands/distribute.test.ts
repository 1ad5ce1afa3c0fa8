import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createBrain, createRequester, startTestApp, testSecret } from '@noema/server/test/app.ts'
import { isCluster } from '@noema/server/test/cluster.ts'
import { createClusterDatabase, createTestDatabase } from '@noema/server/test/database.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const needsCluster = 'a Citus cluster: npm run test:citus'

const toEnvironment = (url: string) => ({
  NOEMA_DATABASE_URL: url,
  NOEMA_SECRET: testSecret,
  NOEMA_PORT: '0',
  NOEMA_EMBEDDINGS: 'off',
})

const runOn = async (url: string, ...argv: string[]) => {
  const ended = await runCli(argv, '', {
    env: toEnvironment(url),
    loadDistribution: () => import('@noema/server/operator/distribute-database.ts'),
    loadDoctor: () => import('@noema/server/doctor/doctor.ts'),
  })
  return { ...ended, json: () => JSON.parse(ended.stdout) }
}

const distribute = (url: string, ...more: string[]) => runOn(url, 'distribute', ...more)

const readCluster = async (url: string) => {
  const { findings } = (await runOn(url, 'doctor', '--json')).json()
  return findings.filter(({ check }: { check: string }) => check === 'Cluster')
}

test('a database without Citus is refused in a sentence, and so is the built-in one', async () => {
  const database = await createTestDatabase({ isBlank: true })
  onTestFinished(() => database.drop())
  const refused = await distribute(database.url, '--dry-run')
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toMatch(/create extension citus/)
  const builtIn = await runCli(['distribute'], '', {
    env: {},
    loadDistribution: () => import('@noema/server/operator/distribute-database.ts'),
  })
  expect(builtIn.code).not.toBe(0)
  expect(builtIn.stderr).toContain('Set NOEMA_DATABASE_URL to the coordinator of a Citus cluster.')
})

/** Runs the command as a program, and kills it once it has divided so many tables. */
const killAfter = async (url: string, tables: number): Promise<number> => {
  const program = join(import.meta.dirname, '../main.ts')
  const child = spawn(process.execPath, [program, 'distribute', '--shards', '6'], {
    env: { ...process.env, ...toEnvironment(url) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'exit')
  let text = ''
  child.stderr.on('data', (chunk) => {
    text += chunk
    if (text.split('\n').length > tables) child.kill('SIGKILL')
  })
  await exit
  return text.split('\n').length - 1
}

test.skipIf(!isCluster)(
  'an existing database is distributed table by table, also after kill -9, with all content and every Brain in one place',
  async ({ skip }) => {
    if (!isCluster) skip(needsCluster)
    const app = await startTestApp({}, { create: createClusterDatabase })
    onTestFinished(() => app.database.drop())
    const { url } = app.database
    const brain = await createBrain(app)
    for (const handle of ['second', 'third', 'fourth'])
      await app.request('PUT', `/v1/brains/${handle}`, { key: brain.key, body: {} })
    for (let index = 0; index < 20; index++)
      await brain.call('PUT', `/records/r${index}`, { kind: 'note', fields: { text: `Heron number ${index}` } })
    const before = await brain.call('GET', '/records')

    // A node runs.
    expect((await distribute(url)).stderr).toContain('Stop every node first')
    await app.app.close()

    // Patroni keeps a connection.
    const watching = await app.database.pool.connect()
    onTestFinished(() => watching.release())
    await watching.query("set application_name = 'Patroni'")

    const plan = (await distribute(url, '--dry-run', '--json')).json()
    expect(plan.isDone).toBe(false)
    expect(plan.servers).toHaveLength(2)
    expect(plan.tables[0]).toMatchObject({ table: 'brains', isDistributed: false })
    expect(plan.tables.every(({ bytes, estimatedSeconds }: Record<string, number>) => bytes && estimatedSeconds)).toBe(
      true,
    )
    expect(await readCluster(url)).toEqual([
      expect.objectContaining({ status: 'warning', fix: expect.stringContaining('noema distribute') }),
    ])

    const tooMany = await distribute(url, '--shards', '2000')
    expect(tooMany.code).not.toBe(0)
    expect(tooMany.stderr).toContain('1 to 1024 shards')

    const divided = await killAfter(url, 5)
    expect(divided).toBeGreaterThanOrEqual(5)
    const rest = (await distribute(url, '--dry-run', '--json')).json()
    const done = rest.tables.filter(({ isDistributed }: { isDistributed: boolean }) => isDistributed)
    expect(done.length).toBeGreaterThanOrEqual(5)
    expect(done.length).toBeLessThan(rest.tables.length)
    expect(await readCluster(url)).toEqual([
      expect.objectContaining({ status: 'failed', fix: 'Run: noema distribute' }),
    ])
    await expect(app.startNode()).rejects.toThrow('Run `noema distribute`')

    const finished = (await distribute(url, '--json')).json()
    expect(finished.isDone).toBe(true)
    expect(await readCluster(url)).toEqual([expect.objectContaining({ status: 'ok' })])
    const { rows: local } = await app.database.pool.query(`select relname from pg_class
      where oid in (select logicalrelid from pg_dist_partition) and pg_relation_size(oid) > 0`)
    expect(local).toEqual([])
    // The first run chose the number.
    const { rows: counts } = await app.database.pool.query(
      `select distinct count(*)::integer as count from pg_dist_shard join pg_dist_partition using (logicalrelid)
       where partmethod = 'h' group by logicalrelid`,
    )
    expect(counts).toEqual([{ count: 6 }])

    const node = await app.startNode()
    onTestFinished(() => node.close())
    const request = createRequester(node.base)
    const call = (method: string, below: string, body?: unknown) =>
      request(method, `${brain.path}${below}`, { key: brain.key, ...(body ? { body } : {}) })
    expect((await call('GET', '/records')).body.data).toEqual(before.body.data)
    const written = await call('PUT', '/records/later', { kind: 'note', fields: { text: 'A later heron' } })
    expect(written.status).toBe(201)
    // A new Brain gets a number that no other has.
    expect((await request('PUT', '/v1/brains/fifth', { key: brain.key, body: {} })).status).toBe(201)
    expect((await distribute(url)).stderr).toContain('are distributed over')
  },
)
