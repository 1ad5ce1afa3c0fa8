import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { createApp } from '../../../app.ts'
import { readConfig } from '../../../config/config.ts'
import { createLog } from '../../../shared/log.ts'
import { createSecretBox } from '../../../shared/secret-box.ts'
import { testSecret } from '../../../test/app.ts'
import { createTestClock } from '../../../test/clock.ts'
import { isCluster } from '../../../test/cluster.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { newEndpointSecret } from '../endpoints/endpoints.ts'
import { secretContext } from './webhook-queries.ts'

// A database as the version before left it: deliveries by a queue of jobs, in a schema of pg-boss's.

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const migrations = new URL('../../../storage/migrations/', import.meta.url)
const lastBefore = 15

const createOldDatabase = async () => {
  const database = await createTestDatabase()
  closers.push(database.drop)
  const { pool } = database
  await pool.query('drop schema public cascade; create schema public')
  await pool.query(`create table schema_migrations (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  for (const name of (await readdir(migrations)).sort()) {
    const number = Number(name.slice(0, 4))
    if (number > lastBefore) continue
    const text = await readFile(new URL(name, migrations), 'utf8')
    await pool.query(text)
    const checksum = createHash('sha256').update(text).digest('hex')
    await pool.query('insert into schema_migrations values ($1, $2, $3)', [number, name, checksum])
  }
  return database
}

const fill = async ({ pool }: Awaited<ReturnType<typeof createOldDatabase>>, url: string) => {
  const { encrypted } = newEndpointSecret(createSecretBox(testSecret, 'signing secrets'), secretContext('whk_1'))
  await pool.query(`insert into organization (id, name, slug, "createdAt") values ('org', 'Org', 'org', now())`)
  await pool.query(
    `insert into organization_webhooks (id, organization_id, url, events, secret, created_at, created_by)
     values ('whk_1', 'org', $1, '{run.completed}', $2, now(), 'mk_1')`,
    [url, encrypted],
  )
}

const addDeliveries = (pool: Awaited<ReturnType<typeof createOldDatabase>>['pool']) =>
  pool.query(`insert into organization_deliveries
      (id, webhook_id, event, body, state, attempts, queued, created_at, next_attempt_at) values
    ('msg_new', 'whk_1', 'run.completed', '"new"', 'pending', 0, false, now(), now()),
    ('msg_queued', 'whk_1', 'run.completed', '"queued"', 'pending', 0, true, now(), now()),
    ('msg_later', 'whk_1', 'run.completed', '"later"', 'pending', 2, true, now(), now() + interval '5 minutes'),
    ('msg_done', 'whk_1', 'run.completed', '"done"', 'delivered', 1, true, now(), null)`)

const addEvent = (pool: Awaited<ReturnType<typeof createOldDatabase>>['pool']) =>
  pool.query(`insert into announcements (organization_id, event, at, agent_id, brain, data)
    values ('org', 'run.completed', now(), null, null, '{"runId": "run_1"}')`)

const startNode = async (address: string) => {
  const clock = createTestClock()
  const config = readConfig({ NOEMA_PORT: '0', NOEMA_EMBEDDINGS: 'off', NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*' }, '/')
  const app = await createApp({ config, address, secret: testSecret, clock, log: createLog('silent') })
  closers.push(app.close)
  await app.listen()
  return { clock }
}

const ids = (deliveries: readonly { headers: object }[]) =>
  deliveries.map(({ headers }) => ('webhook-id' in headers ? headers['webhook-id'] : undefined))

// The versions with a queue of jobs never ran on a cluster.
const onOneServer = test.skipIf(isCluster)

onOneServer(
  'OWH-05 deliveries that waited in the queue of jobs are sent when they are due, and the queue is gone',
  async () => {
    const receiver = await startReceiver()
    closers.push(receiver.close)
    const database = await createOldDatabase()
    const { pool, url } = database
    await fill(database, receiver.url)
    await addDeliveries(pool)
    await addEvent(pool)
    await pool.query(`create schema jobs;
    create table jobs.version (version int primary key);
    create table jobs.queue (name text primary key);
    create table jobs.job (id uuid not null default gen_random_uuid(), name text not null, data jsonb, state text,
      start_after timestamptz) partition by list (name);
    create table jobs.job_common partition of jobs.job default;
    insert into jobs.job (name, data, state, start_after) values
      ('organization-webhooks', '{"delivery": "msg_queued", "turn": 1, "attempt": 1}', 'active', now()),
      ('organization-webhooks', '{"delivery": "msg_later", "turn": 1, "attempt": 3}', 'created', now() + interval '5 minutes')`)
    const { clock } = await startNode(url)
    await receiver.received(3)
    expect(ids(receiver.deliveries)).toEqual(expect.arrayContaining(['msg_new', 'msg_queued']))
    expect(receiver.deliveries.find(({ body }) => body.event === 'run.completed')?.body.data).toEqual({
      runId: 'run_1',
    })
    clock.advance({ minutes: 6 })
    await receiver.received(4)
    expect(ids(receiver.deliveries).at(-1)).toBe('msg_later')
    const left = () => pool.query(`select from organization_deliveries where state = 'pending' or due_at is not null`)
    await expect.poll(async () => (await left()).rowCount).toBe(0)
    const { rows } = await pool.query(`select to_regnamespace('jobs') as jobs`)
    expect(rows).toEqual([{ jobs: null }])
  },
)

onOneServer('OWH-05 deliveries that nodes of the previous version still write are sent', async () => {
  const receiver = await startReceiver()
  closers.push(receiver.close)
  const database = await createOldDatabase()
  const { pool, url } = database
  await fill(database, receiver.url)
  await startNode(url)
  await addEvent(pool)
  await receiver.received(1)
  await pool.query(`insert into organization_deliveries (id, webhook_id, event, body, created_at, next_attempt_at)
    values ('msg_made', 'whk_1', 'run.completed', '"made"', now(), now())`)
  await receiver.received(2)
  const state = async () =>
    (await pool.query(`select state from organization_deliveries where id = 'msg_made'`)).rows[0].state
  await expect.poll(state).toBe('delivered')
  await pool.query(`update organization_deliveries set state = 'pending', turn = turn + 1, attempts = 0, queued = false,
    next_attempt_at = now() where id = 'msg_made'`)
  await receiver.received(3)
  expect(ids(receiver.deliveries).slice(1)).toEqual(['msg_made', 'msg_made'])
  // Old nodes look for such rows and find none.
  expect((await pool.query(`select from organization_deliveries where not queued`)).rowCount).toBe(0)
  expect((await pool.query('select from announcements order by id limit 1')).rowCount).toBe(0)
})

onOneServer('a schema called jobs that is not the queue’s stays', async () => {
  const { pool, url } = await createOldDatabase()
  await pool.query('create schema jobs; create table jobs.job (id int)')
  await startNode(url)
  expect((await pool.query(`select to_regclass('jobs.job') as job`)).rows).toEqual([{ job: 'jobs.job' }])
})
