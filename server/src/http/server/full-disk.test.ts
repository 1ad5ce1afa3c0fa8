import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { isCluster } from '../../test/cluster.ts'

// A disk that is full as its clients see it: PostgreSQL refuses writes with the code 53100, and reads go on.

let app: TestApp
let brain: TestBrain
beforeAll(async () => {
  app = await startTestApp({ NOEMA_METRICS_TOKEN: 'metrics-token-of-a-test' })
  brain = await createBrain(app)
})
afterAll(() => app.close())

const readGauge = async () => {
  const response = await fetch(`${app.base}/metrics`, { headers: { authorization: 'Bearer metrics-token-of-a-test' } })
  return /^noema_database_disk_full\S* (\d)$/m.exec(await response.text())?.[1]
}

// Distributed tables have no triggers.
test.skipIf(isCluster)(
  'D-80 while the disk of the database is full, a node stays ready for reads and says that nothing can be written',
  async () => {
    expect((await app.request('GET', '/readyz')).body.data).toMatchObject({ ready: true, writable: true })
    expect(await readGauge()).toBe('0')
    await app.database.pool.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await app.database.pool.query('create trigger full_disk before insert on brains execute function refuse()')
    const refused = await app.request('PUT', '/v1/brains/another', { key: brain.key })
    expect(refused.status).toBe(503)
    expect(refused.headers.has('retry-after')).toBe(true)
    expect((await brain.call('GET', '')).status).toBe(200)
    expect(await app.request('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { data: { ready: true, writable: false } },
    })
    expect(await readGauge()).toBe('1')
  },
)
