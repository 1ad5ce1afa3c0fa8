import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from '@noema/server/test/database.ts'
import { useOwnApp } from '@noema/server/test/harness.ts'
import { startObjectServer } from '@noema/server/test/object-server.ts'
import { writeRelevanceModel } from '@noema/server/test/word-model.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../context.ts'
import { runCli } from '../test/run-cli.ts'

const app = useOwnApp()
let database: Awaited<ReturnType<typeof createTestDatabase>>
let cwd: string
beforeAll(async () => {
  database = await createTestDatabase()
  cwd = await mkdtemp(join(tmpdir(), 'noema-doctor-'))
})
afterAll(async () => {
  await database.drop()
  await rm(cwd, { recursive: true })
})

const strong = 'a-secret-that-nobody-guesses-0123456789'
const examine = async (env: Record<string, string>, folder = cwd) => {
  const sane = { NOEMA_PORT: '0', NOEMA_SECRET: strong, NOEMA_EMBEDDINGS: 'off', NOEMA_DATABASE_URL: database.url }
  const loadDoctor = () => import('@noema/server/doctor/doctor.ts')
  const ended = await runCli(['doctor', '--json'], '', { cwd: folder, loadDoctor, env: { ...sane, ...env } })
  const { findings }: { findings: Finding[] } = JSON.parse(ended.stdout)
  const find = (check: string) => findings.filter((finding) => finding.check === check)
  return { code: ended.code, findings, find, failed: findings.filter(({ status }) => status === 'failed') }
}

test('an installation that works exits 0, with notes on optional checks', async () => {
  const { code, find, failed } = await examine({})
  expect(failed).toEqual([])
  expect(code).toBe(0)
  expect(find('PostgreSQL')[0]?.message).toMatch(/^Version 1\d/)
  expect(find('Migrations')[0]).toMatchObject({ status: 'ok' })
  expect(find('Clock')[0]).toMatchObject({ status: 'ok' })
  expect(find('Mail')[0]).toMatchObject({ status: 'warning', fix: expect.stringContaining('NOEMA_SMTP_URL') })
})

test('people read words, and every finding that is not ok says what to do', async () => {
  const loadDoctor = () => import('@noema/server/doctor/doctor.ts')
  const env = { NOEMA_PORT: '0', NOEMA_EMBEDDINGS: 'off', NOEMA_DATABASE_URL: database.url }
  const { stdout } = await runCli(['doctor'], '', { cwd, loadDoctor, env })
  expect(stdout).toContain('warning  Secrets: NOEMA_SECRET is unset')
  expect(stdout).toContain('         Set it to the output of: openssl rand -base64 48\n')
  const { findings } = await examine({ NOEMA_SECRET: 'x'.repeat(40), NOEMA_HOST: '0.0.0.0' })
  expect(findings.filter(({ status, fix }) => status !== 'ok' && !fix)).toEqual([])
})

test('a reranker is checked where one is set up, and a model that cannot be used is named with its setting', async () => {
  expect((await examine({})).find('Reranking')).toEqual([])
  const model = await writeRelevanceModel(join(cwd, 'reranker'))
  const { find } = await examine({ NOEMA_RERANK_MODEL: model })
  expect(find('Reranking')).toEqual([
    expect.objectContaining({ status: 'ok', message: expect.stringMatching(/works \(a relevance of 0\.\d\d\)/) }),
  ])
  await rm(join(model, 'tokenizer.json'))
  expect((await examine({ NOEMA_RERANK_MODEL: model })).find('Reranking')[0]).toMatchObject({
    ...{ status: 'failed', message: expect.stringContaining('no tokenizer.json') },
    fix: expect.stringContaining('NOEMA_RERANK_MODEL'),
  })
})

test.each([
  ['a setting that cannot be read', { NOEMA_PORT: 'none' }, 'Settings', 'failed'],
  ['a name that is no setting', { NOEMA_PROT: '80' }, 'Settings', 'warning'],
  ['a secret that can be guessed', { NOEMA_SECRET: 'x'.repeat(40) }, 'Secrets', 'failed'],
  ['an address that is not encrypted', { NOEMA_PUBLIC_URL: 'http://noema.example.com' }, 'Address', 'warning'],
  ['a proxy that is not trusted', { NOEMA_PUBLIC_URL: 'https://noema.example.com' }, 'Proxies', 'warning'],
  ['an origin that is not encrypted', { NOEMA_TRUSTED_ORIGINS: 'http://a.example.com' }, 'Origins', 'warning'],
  ['a database that is not there', { NOEMA_DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, 'Database', 'failed'],
  [
    'a replica that is not there',
    { NOEMA_DATABASE_REPLICA_URLS: 'postgres://x@127.0.0.1:1/x' },
    'Replica 1',
    'warning',
  ],
  ['a server without pgvector', { NOEMA_VECTOR_INDEX: 'pgvector' }, 'pgvector', 'failed'],
  [
    'a mail server that is not there',
    { NOEMA_SMTP_URL: 'smtp://127.0.0.1:1', NOEMA_MAIL_FROM: 'a@b.example' },
    'Mail',
    'failed',
  ],
  [
    'an endpoint that embeds nothing',
    { NOEMA_EMBEDDINGS: 'on', NOEMA_EMBEDDINGS_URL: 'http://127.0.0.1:1', NOEMA_EMBEDDINGS_MODEL: 'm' },
    'Embeddings',
    'failed',
  ],
])('%s is found', async (_what, env: Record<string, string>, check, status) => {
  const { code, find } = await examine(env)
  expect(find(check)).toContainEqual(expect.objectContaining({ status, fix: expect.any(String) }))
  expect(code).toBe(status === 'failed' ? 1 : 0)
})

test('a port that another program has is distinguished from one that the service has', async () => {
  const other = createServer((socket) => socket.end('no')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const address = other.address()
  const taken = typeof address === 'object' && address !== null ? String(address.port) : ''
  expect((await examine({ NOEMA_PORT: taken })).find('Port')[0]).toMatchObject({ status: 'failed' })
  const running = await examine({ NOEMA_PORT: new URL(app.base).port })
  expect(running.find('Port')[0]).toMatchObject({ status: 'ok', message: expect.stringContaining('running') })
})

test('a .env that others can read, and a data folder that is a file, are found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '.env'), '')
  await chmod(join(folder, '.env'), 0o644)
  await writeFile(join(folder, 'data'), '')
  const { find } = await examine({ NOEMA_DATABASE_URL: '', NOEMA_DATA_DIR: 'data' }, folder)
  expect(find('Secrets on disk')[0]).toMatchObject({ status: 'failed', fix: expect.stringContaining('chmod 600') })
  expect(find('Data folder')[0]).toMatchObject({ status: 'failed' })
})

test('a server that follows no other is no replica', async () => {
  const { find } = await examine({ NOEMA_DATABASE_REPLICA_URLS: database.url })
  expect(find('Replica 1')[0]).toMatchObject({ status: 'failed', message: expect.stringContaining('not a standby') })
})

test('ADM-06 the doctor reports an old backup, but no missing backup on a server that has its own backup tools', async () => {
  const { pool, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  const find = async () => (await examine({ NOEMA_DATABASE_URL: url })).find('Backup')[0]
  expect(await find()).toMatchObject({ status: 'ok', message: expect.stringContaining('cannot see') })
  const note = (hours: number) =>
    pool.query(
      `insert into last_backups (kind, made_at, bytes) values ('file', now() - $1 * interval '1 hour', 1)
       on conflict (kind) do update set made_at = excluded.made_at`,
      [hours],
    )
  await note(5)
  expect(await find()).toMatchObject({ status: 'ok', message: 'The last one was made 5 hours ago (a file).' })
  await note(75)
  expect(await find()).toMatchObject({ status: 'warning', message: expect.stringContaining('3 days ago') })
  await pool.query('drop table last_backups')
  expect(await find()).toMatchObject({ status: 'ok' })
})

test('pending migrations, and a database that a newer version has used, are reported', async () => {
  const { pool, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  await pool.query('delete from schema_migrations where number > 40')
  expect((await examine({ NOEMA_DATABASE_URL: url })).find('Migrations')[0]).toMatchObject({ status: 'warning' })
  await pool.query("insert into schema_migrations (number, name, checksum) values (9000, 'later', '')")
  expect((await examine({ NOEMA_DATABASE_URL: url })).find('Migrations')[0]).toMatchObject({ status: 'failed' })
})

test('a full disk of the database fails the check, and says what to do', async () => {
  const { pool, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  await pool.query(`create function refuse() returns event_trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  await pool.query('create event trigger full_disk on ddl_command_start execute function refuse()')
  expect((await examine({ NOEMA_DATABASE_URL: url })).find('Disk')[0]).toMatchObject({
    ...{ status: 'failed', fix: 'Make space on the disk of the database.' },
  })
})

test('FIL-21 the store of files is tested by an object, and a failure names its reason', async () => {
  const server = await startObjectServer()
  onTestFinished(server.close)
  const { settings } = server
  const ask = async (env: Record<string, string>) => (await examine(env)).find('Store of files')
  expect(await ask({})).toEqual([])
  expect(await ask(settings)).toMatchObject([{ status: 'ok', message: expect.stringContaining('writes, reads and') }])
  expect([...(await server.list())]).toEqual([])
  const forbidden = await ask({ ...settings, NOEMA_ARTIFACT_S3_SECRET_ACCESS_KEY: 'wrong' })
  expect(forbidden).toMatchObject([{ status: 'failed', message: expect.stringContaining('It answered 403 (') }])
  const gone = await ask({ ...settings, NOEMA_ARTIFACT_S3_URL: new URL('/other', settings.NOEMA_ARTIFACT_S3_URL).href })
  expect(gone).toMatchObject([{ status: 'failed', message: expect.stringContaining('It answered 404 (NoSuchBucket)') }])
  server.cut()
  expect(await ask(settings)).toMatchObject([
    { status: 'failed', fix: expect.stringContaining('NOEMA_ARTIFACT_S3_URL') },
  ])
})
