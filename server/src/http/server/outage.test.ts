import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newToken } from '../../features/accounts/keys/token.ts'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { isCluster } from '../../test/cluster.ts'
import { startDatabaseProxy } from '../../test/database-proxy.ts'
import { holdBrain, untilOneWaits } from '../../test/held-brain.ts'

let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>
let app: TestApp
let brain: TestBrain
beforeAll(async () => {
  proxy = await startDatabaseProxy()
  app = await startTestApp({}, { reach: proxy.reach })
  brain = await createBrain(app)
})
afterEach(async () => {
  proxy.open()
  // The pool replaces what broke by itself; nothing is restarted.
  await expect.poll(async () => (await app.request('GET', '/readyz')).status).toBe(200)
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})

type Attempt = [method: string, path: string, options?: Parameters<TestApp['request']>[2]]

const attempts = (): Record<string, Attempt> => {
  const { key, session } = brain
  const origin = { origin: session.origin }
  const credentials = { email: brain.email, password: 'correct horse battery' }
  return {
    'a read': ['GET', brain.path, { key }],
    'a list': ['GET', `${brain.path}/records`, { key }],
    'the events': ['GET', `${brain.path}/events`, { key }],
    'a write': ['POST', `${brain.path}/records`, { key, body: { kind: 'lost' } }],
    'a batch': ['POST', `${brain.path}/batch`, { key, body: { operations: [{ op: 'record.create', kind: 'lost' }] } }],
    'a new Brain': ['PUT', '/v1/brains/lost', { key }],
    'a deletion': ['DELETE', brain.path, { key }],
    'minting a Brain key': ['POST', `${brain.path}/keys`, { key, body: { name: 'lost', capabilities: ['read'] } }],
    'a key that nobody knows': ['GET', '/v1/whoami', { key: newToken('nsk') }],
    'a Brain key that nobody knows': ['GET', brain.path, { key: newToken('nbk') }],
    'whoami by session': ['GET', '/v1/whoami', { headers: session }],
    'the keys by session': ['GET', '/v1/keys', { headers: session }],
    'minting by session': ['POST', '/v1/keys', { headers: session, body: { name: 'lost' } }],
    'signing in': ['POST', '/api/auth/sign-in/email', { headers: origin, body: credentials }],
    'signing up': [
      'POST',
      '/api/auth/sign-up/email',
      { headers: origin, body: { ...credentials, email: 'lost@example.com', name: 'Lost' } },
    ],
    'the session': ['GET', '/api/auth/get-session', { headers: session }],
  }
}

/** Every attempt at once, by name: its status and whether it says when to come back. */
const tryAll = async () => {
  const answers = Object.entries(attempts()).map(async ([name, attempt]) => {
    const { status, headers, body } = await app.request(...attempt)
    const kind: string = attempt[1].startsWith('/v1/') ? body.error?.kind : body.code
    return [name, `${status} ${kind} ${headers.has('retry-after')}`]
  })
  return Object.fromEntries(await Promise.all(answers))
}

const everyOneUnavailable = () =>
  Object.fromEntries(
    Object.entries(attempts()).map(([name, [, path]]) => [
      name,
      `503 ${path.startsWith('/v1/') ? 'unavailable' : 'UNAVAILABLE'} true`,
    ]),
  )

const silent = 'The database does not answer.'

/** Why requests were refused since this was last asked, as the log says of each. */
const takeReasons = (): string[] =>
  app.logLines
    .splice(0)
    .map((line) => JSON.parse(line))
    .flatMap(({ requestId, error }) => (requestId === undefined || error === undefined ? [] : [String(error)]))
    .map((reason) => (reason.endsWith(silent) ? silent : reason))

/** The error of a request that waited as long as a statement may take. */
const statementTimeout = /read timeout|statement timeout/

const expectHealed = async () => {
  expect((await brain.call('POST', '/records', { kind: 'after' })).status).toBe(201)
  const { body } = await brain.call('GET', '/records?limit=500')
  expect(body.data.records.every(({ kind }: { kind: string }) => kind === 'after')).toBe(true)
  expect((await app.request('GET', '/v1/keys', { headers: brain.session })).body.data.keys).toHaveLength(1)
}

test('SUR-09 SUR-10 D-80 while the database refuses connections everything is 503 with Retry-After, and it heals by itself', async () => {
  proxy.cut()
  expect(await tryAll()).toEqual(everyOneUnavailable())
  const ready = await app.request('GET', '/readyz')
  expect(ready).toMatchObject({ status: 503, body: { error: { kind: 'unavailable' } } })
  expect((await app.request('GET', '/livez')).status).toBe(200)
  proxy.open()
  await expect.poll(async () => (await brain.call('GET', '')).status).toBe(200)
  await expectHealed()
})

test('SUR-09 a database that accepts connections and says nothing is 503 sooner than any statement could be, never a hang', async () => {
  proxy.silence()
  takeReasons()
  const [answers, ready] = await Promise.all([tryAll(), app.request('GET', '/readyz')])
  expect(answers).toEqual(everyOneUnavailable())
  expect(ready.status).toBe(503)
  expect(takeReasons().filter((reason) => statementTimeout.test(reason))).toEqual([])
})

test('SUR-09 a database that stops in the middle of everything is 503 when it was asked and did not answer, and from then on without being asked until it answers', async () => {
  await Promise.all(Array.from({ length: 8 }, () => brain.call('GET', '/records')))
  proxy.stall()
  takeReasons()
  expect(await tryAll()).toEqual(everyOneUnavailable())
  const waited = takeReasons()
  expect(waited).toHaveLength(Object.keys(attempts()).length)
  expect(waited.filter((reason) => statementTimeout.test(reason))).toEqual([])
  expect(await tryAll()).toEqual(everyOneUnavailable())
  expect(takeReasons()).toEqual(Object.keys(attempts()).map(() => silent))
  proxy.open()
  await expect.poll(async () => (await brain.call('GET', '')).status).toBe(200)
  await expectHealed()
})

test('SUR-09 a database that ends sessions and takes no new ones is 503', async () => {
  const { pool } = app.database
  const { rows } = await pool.query('select current_database() as name')
  const { default: pg } = await import('pg')
  const url = new URL(app.database.url)
  url.pathname = '/postgres'
  const admin = new pg.Client({ connectionString: url.href.replace('///', '//localhost/') })
  pool.on('error', () => {})
  await admin.connect()
  try {
    await admin.query(`alter database ${rows[0].name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [rows[0].name])
    expect(await tryAll()).toEqual(everyOneUnavailable())
  } finally {
    await admin.query(`alter database ${rows[0].name} allow_connections true`)
    await admin.end()
  }
  await expect.poll(async () => (await brain.call('GET', '')).status).toBe(200)
  await expectHealed()
})

test('SUR-09 a write that the outage met is 503 and was not done', async () => {
  const release = await holdBrain(app.database, brain.brain.id)
  const written = brain.call('POST', '/records', { kind: 'after' }, { headers: { 'idempotency-key': 'met' } })
  await untilOneWaits(app.database)
  proxy.cut()
  expect((await written).status).toBe(503)
  await release()
  proxy.open()
  await expect.poll(async () => (await brain.call('GET', '')).status).toBe(200)
  const again = await brain.call('POST', '/records', { kind: 'after' }, { headers: { 'idempotency-key': 'met' } })
  expect(again.status).toBe(201)
})

// Distributed tables have no triggers.
test.skipIf(isCluster)(
  'SUR-09 while the disk of the database is full a write is 503, and it is taken as soon as there is room',
  async () => {
    const { pool } = app.database
    await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`)
    await pool.query('create trigger disk_is_full before insert on record_versions execute function refuse()')
    const full = await brain.call('POST', '/records', { kind: 'after' })
    expect(full).toMatchObject({ status: 503, body: { error: { kind: 'unavailable' } } })
    expect(full.headers.get('retry-after')).not.toBeNull()
    expect((await brain.call('GET', '/records')).status).toBe(200)
    await pool.query('drop trigger disk_is_full on record_versions')
    await expectHealed()
  },
)

test('D-80 a database that is not migrated is not ready, and the node lives', async () => {
  const pool = app.database.pool
  await pool.query('update schema_migrations set number = number + 1000')
  const ready = await app.request('GET', '/readyz')
  await pool.query('update schema_migrations set number = number - 1000')
  expect(ready).toMatchObject({ status: 503, body: { error: { kind: 'unavailable' } } })
  expect(ready.headers.get('retry-after')).not.toBeNull()
  expect(await app.request('GET', '/readyz')).toMatchObject({ status: 200, body: { data: { ready: true } } })
  expect(await app.request('GET', '/livez')).toMatchObject({ status: 200, body: { data: { live: true } } })
})
