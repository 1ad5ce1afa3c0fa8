import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { distributeDatabase } from '../operator/distribute-database.ts'
import { addBrain, createBrain, createRequester, startTestApp, type TestBrain, testSecret } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'
import { createClusterDatabase, createTestDatabase } from '../test/database.ts'
import { backUp, restoreBackup } from './backups.ts'

// Backups of a database whose tables are divided over the servers of a Citus cluster.

const readAll = async (base: string, { path, key }: Pick<TestBrain, 'path' | 'key'>) => {
  const read = async (below: string) => (await createRequester(base)('GET', `${path}${below}`, { key })).body.data
  return { records: await read('/records'), events: await read('/events') }
}

test.skipIf(!isCluster)(
  'a backup of a distributed database is restored into a distributed one and into one of a single server, and both go on',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'noema-divided-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const app = await startTestApp()
    onTestFinished(() => app.close())
    const first = await createBrain(app, 'first')
    const brains = [first, await addBrain(app, first, 'second'), await addBrain(app, first, 'third')]
    for (const brain of brains)
      for (const id of ['r', 's']) await brain.call('PUT', `/records/${id}`, { kind: 'note', fields: { id } })
    const before = await Promise.all(brains.map((brain) => readAll(app.base, brain)))
    const toRequest = (url: string) => ({
      file: join(folder, 'whole.backup'),
      cwd: '/',
      env: { NOEMA_DATABASE_URL: url, NOEMA_SECRET: testSecret },
    })
    await backUp(toRequest(app.database.url))

    const distributed = await createClusterDatabase()
    await distributeDatabase({ ...toRequest(distributed.url), dryRun: false, shards: 4 })
    for (const target of [distributed, await createTestDatabase({ isBlank: true })]) {
      await restoreBackup(toRequest(target.url))
      const restored = await startTestApp({}, { create: async () => target })
      onTestFinished(() => restored.close())
      expect(await Promise.all(brains.map((brain) => readAll(restored.base, brain)))).toEqual(before)
      const request = createRequester(restored.base)
      const body = { kind: 'note', fields: { id: 'later' } }
      expect((await request('PUT', `${first.path}/records/later`, { key: first.key, body })).status).toBe(201)
      // Its number is one that no Brain has.
      expect((await request('PUT', '/v1/brains/fourth', { key: first.key, body: {} })).status).toBe(201)
    }
  },
)
