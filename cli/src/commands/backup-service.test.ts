import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  addBrain,
  createMember,
  startTestApp,
  type TestBrain,
  type TestMember,
  testSecret,
} from '@noema/server/test/app.ts'
import { createTestDatabase } from '@noema/server/test/database.ts'
import { useOwnApp } from '@noema/server/test/harness.ts'
import { startObjectServer } from '@noema/server/test/object-server.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const run = promisify(execFile)
const app = useOwnApp()
let brain: TestBrain
let member: TestMember
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'noema-backup-'))
  // The built-in database may run as another user.
  await chmod(folder, 0o755)
  member = await createMember(app)
  brain = await addBrain(app, member, 'kept')
  await brain.call('POST', '/documents', {
    id: 'kettles',
    text: 'Kettles are descaled with vinegar.\n\\.\nTabs\tand "quotes".',
  })
})
afterAll(() => rm(folder, { recursive: true }))

const cli = (argv: string[], url: string, env: Record<string, string> = {}) =>
  runCli(argv, '', {
    cwd: folder,
    env: { NOEMA_DATABASE_URL: url, NOEMA_SECRET: testSecret, ...env },
    loadBackups: () => import('@noema/server/backups/backups.ts'),
  })

const blankDatabase = async () => {
  const database = await createTestDatabase({ isBlank: true })
  onTestFinished(database.drop)
  return database.url
}

/** Writes records until it is stopped, and counts the acknowledged ones. */
const writeOn = (count = { written: 0 }) => {
  let isOver = false
  const write = async () => {
    while (!isOver) {
      const { status } = await brain.call('POST', '/records', { kind: 'note', fields: { number: count.written } })
      if (status === 201) count.written += 1
    }
  }
  const writers = Promise.all([write(), write(), write()])
  return async () => {
    isOver = true
    await writers
    return count.written
  }
}

const readStream = async (
  request: (path: string) => Promise<{
    body: { data: { events: { cursor: string; type: string; data: object }[]; cursor: string; hasMore: boolean } }
  }>,
) => {
  const events: { type: string; data: object }[] = []
  for (let after = ''; ; ) {
    const { body } = await request(`/v1/brains/kept/events?limit=500${after && `&after=${after}`}`)
    events.push(...body.data.events)
    after = body.data.cursor
    if (!body.data.hasMore) return events
  }
}

test('a backup that is made while others write is one moment: restored elsewhere, keys work, the stream has no gap, search finds', async () => {
  const stop = writeOn()
  await expect.poll(async () => (await brain.call('GET', '')).body.data.brain.counts.records).toBeGreaterThan(20)
  const made = await cli(['backup', 'busy.backup'], app.database.url)
  expect(made).toMatchObject({ code: 0, stdout: `${join(folder, 'busy.backup')}\n` })
  const written = await stop()
  expect((await stat(join(folder, 'busy.backup'))).mode & 0o777).toBe(0o600)
  expect((await cli(['backup', 'verify', 'busy.backup'], '')).stdout).toMatch(/^Whole: \d+ rows/)

  const url = await blankDatabase()
  expect(await cli(['restore', 'busy.backup'], url)).toMatchObject({ code: 0 })
  const restored = await startTestApp({}, { reach: () => url })
  onTestFinished(restored.close)
  const request = (path: string) => restored.request('GET', path, { key: brain.key })
  const { counts, stateVersion } = (await request('/v1/brains/kept')).body.data.brain
  expect(counts.records).toBeGreaterThan(20)
  expect(counts.records).toBeLessThanOrEqual(written)
  expect(stateVersion).toBe(counts.records + 1)
  const accepted = (await readStream(request)).filter(({ type }) => type === 'record.accepted')
  expect(accepted).toHaveLength(counts.records)
  const original = await readStream((path) => app.request('GET', path, { key: brain.key }))
  const theirs = await readStream(request)
  expect(theirs).toEqual(original.slice(0, theirs.length))
  const { body } = await request('/v1/brains/kept/search?q=vinegar&consumerId=test')
  expect(body.data.results[0]).toMatchObject({ id: 'kettles' })
  expect((await request('/v1/brains/kept/documents/kettles')).body.data.document.text).toContain(
    '\n\\.\nTabs\tand "quotes".',
  )
  const next = await restored.request('POST', '/v1/brains/kept/records', { key: brain.key, body: { kind: 'note' } })
  expect(next).toMatchObject({ status: 201, body: { data: { stateVersion: stateVersion + 1 } } })
})

test('FIL-19 files are in a backup with all their versions, byte for byte, and documents still name them', async () => {
  const headers = { authorization: `Bearer ${member.key}`, 'content-type': 'application/octet-stream' }
  const versions = [randomBytes(700_000), randomBytes(300_000), Buffer.from('month,orders\nJuly,12\n')]
  let id = ''
  for (const bytes of versions) {
    const body = new Uint8Array(bytes)
    const sent = await fetch(`${app.base}/v1/artifacts?path=reports/q3.csv`, { method: 'POST', headers, body })
    id = JSON.parse(await sent.text()).data.artifact.id
  }
  const call = { key: member.key }
  await app.request('POST', '/v1/brains/kept/documents', { ...call, body: { id: 'q3', artifact: id } })
  expect((await cli(['backup', 'files.backup'], app.database.url)).code).toBe(0)
  const { url, pool, drop } = await createTestDatabase({ isBlank: true })
  onTestFinished(drop)
  await cli(['restore', 'files.backup'], url)
  const restored = await startTestApp({}, { reach: () => url })
  onTestFinished(restored.close)
  const read = async (version: number) => {
    const answer = await fetch(`${restored.base}/v1/artifacts/${id}/content?version=${version}`, { headers })
    return Buffer.from(await answer.arrayBuffer())
  }
  for (const [index, bytes] of versions.entries()) expect((await read(index + 1)).equals(bytes)).toBe(true)
  const { document } = (await restored.request('GET', '/v1/brains/kept/documents/q3', call)).body.data
  expect(document).toMatchObject({ artifact: { id, version: 3 }, artifactDeleted: false })
  // The restored service counts the bytes, so a deletion gives all of them back.
  await restored.request('DELETE', `/v1/artifacts/${id}`, call)
  const { rows } = await pool.query(
    `select (select bytes from artifact_usage where organization_id = $1)::integer as bytes,
       (select count(*) from artifact_chunks where organization_id = $1)::integer as chunks`,
    [member.organizationId],
  )
  expect(rows).toEqual([{ bytes: 0, chunks: 0 }])
})

test('FIL-23 a backup and a restore say which files they do not have, and noema move-files brings them back into the database', async () => {
  const server = await startObjectServer()
  onTestFinished(server.close)
  const node = await app.startNode(server.settings)
  onTestFinished(node.close)
  const headers = { authorization: `Bearer ${member.key}`, 'content-type': 'text/plain' }
  await fetch(`${node.base}/v1/artifacts?path=stored.txt`, { method: 'POST', headers, body: 'stored' })
  const said =
    /^The bytes of 1 version of files \(6 bytes\) are not in it, but in the store of NOEMA_ARTIFACT_S3_URL: /m
  expect(await cli(['backup', 'elsewhere.backup'], app.database.url)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(said),
  })
  const url = await blankDatabase()
  expect((await cli(['restore', 'elsewhere.backup'], url)).stderr).toMatch(said)
  const moved = await runCli(['move-files', '--to-database'], '', {
    env: { NOEMA_DATABASE_URL: app.database.url, NOEMA_SECRET: testSecret, ...server.settings },
    loadFileMoves: () => import('@noema/server/operator/move-files.ts'),
  })
  expect(moved).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Moved 1 version of files \(6 bytes\) from the store to /),
  })
  expect((await cli(['backup', 'whole-again.backup'], app.database.url)).stderr).not.toContain('not in it, but')
})

test('ADM-06 D-80 every node reports the time of the last backup, and a restored service names the backup of its data', async () => {
  const made = await cli(['backup', 'expected.backup', '--json'], app.database.url)
  const { createdAt, bytes, noted } = JSON.parse(made.stdout)
  expect(noted).toBe(true)
  const readHealth = async (service: Pick<typeof app, 'request' | 'clock'>) => {
    // A recent check is cached.
    service.clock.advance({ seconds: 6 })
    return (await service.request('GET', '/v1/admin/health', { headers: brain.session })).body.data
  }
  const last = [{ kind: 'file', madeAt: createdAt, bytes }]
  expect((await readHealth(app)).backups).toEqual({ last, archive: null })
  const url = await blankDatabase()
  await cli(['restore', 'expected.backup'], url)
  const env = { NOEMA_METRICS_TOKEN: 'metrics-token-metrics-token', NOEMA_DATABASE_URL: url }
  const restored = await startTestApp(env, { reach: () => url })
  onTestFinished(restored.close)
  expect(await readHealth(restored)).toMatchObject({ backups: { last }, database: { builtIn: false } })
  const metrics = await fetch(`${restored.base}/metrics`, {
    headers: { authorization: 'Bearer metrics-token-metrics-token' },
  })
  expect(await metrics.text()).toContain(
    `noema_last_backup_timestamp_seconds{kind="file"} ${Date.parse(createdAt) / 1_000}`,
  )
})

test('a database of an earlier version is backed up, though it cannot note it', async () => {
  const { url, pool, drop } = await createTestDatabase()
  onTestFinished(drop)
  await pool.query('drop table last_backups')
  const made = await cli(['backup', 'earlier.backup'], url)
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('could not record it') })
  expect((await cli(['backup', 'verify', 'earlier.backup'], '')).code).toBe(0)
})

test('a restore refuses a target that holds anything, and a service that runs on it', async () => {
  await cli(['backup', 'small.backup'], app.database.url)
  const running = await cli(['restore', 'small.backup'], app.database.url)
  expect(running).toMatchObject({ code: 5, stderr: expect.stringContaining('a service is running') })
  const url = await blankDatabase()
  await cli(['restore', 'small.backup'], url)
  const again = await cli(['restore', 'small.backup'], url)
  expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('not empty') })
  expect(await cli(['backup', 'small.backup'], app.database.url)).toMatchObject({ code: 5 })
})

test('a backup that was cut or changed, is of a newer version, or has another secret restores nothing', async () => {
  await cli(['backup', 'whole.backup'], app.database.url)
  const bytes = await readFile(join(folder, 'whole.backup'))
  await writeFile(join(folder, 'cut.backup'), bytes.subarray(0, bytes.length - 40))
  await writeFile(join(folder, 'begun.backup'), bytes.subarray(0, 100))
  await writeFile(join(folder, 'none.backup'), 'nothing of the sort')
  const url = await blankDatabase()
  for (const [name, code, said] of [
    ['cut.backup', 1, 'damaged'],
    ['begun.backup', 1, 'damaged'],
    ['none.backup', 6, 'not a backup'],
  ] as const) {
    const expected = { code, stderr: expect.stringContaining(said) }
    expect(await cli(['backup', 'verify', name], '')).toMatchObject(expected)
    expect(await cli(['restore', name], url)).toMatchObject(expected)
  }
  const other = await cli(['restore', 'whole.backup'], url, { NOEMA_SECRET: 'another-secret-another-secret-another' })
  expect(other).toMatchObject({ code: 6, stderr: expect.stringContaining('NOEMA_SECRET') })

  await app.database.pool.query("insert into schema_migrations (number, name, checksum) values (9000, 'later', '')")
  await cli(['backup', 'newer.backup'], app.database.url)
  await app.database.pool.query('delete from schema_migrations where number = 9000')
  expect(await cli(['restore', 'newer.backup'], url)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('newer'),
  })
  expect((await cli(['restore', 'whole.backup'], url)).code).toBe(0)
})

test('the built-in database is backed up and restored by the commands themselves, with the secret of its folder', async () => {
  const main = new URL('../main.ts', import.meta.url).pathname
  const noema = (argv: string[], dataDir: string) => {
    const env = { PATH: process.env.PATH, HOME: folder, NOEMA_DATA_DIR: join(folder, dataDir) }
    return run(process.execPath, [main, ...argv], { cwd: folder, env })
  }
  const minted = await noema(['keys', 'mint', '--create', '--json'], 'first')
  const { key } = JSON.parse(minted.stdout)
  const { findings } = JSON.parse((await noema(['doctor', '--json'], 'first')).stdout)
  const fix = expect.stringContaining('noema backup')
  expect(findings).toContainEqual({ check: 'Backup', status: 'warning', message: 'None has been made yet.', fix })
  await expect(noema(['backup', 'nowhere/built-in.backup'], 'first')).rejects.toMatchObject({
    code: 6,
    stderr: expect.stringContaining('Create it first'),
  })
  const made = await noema(['backup', 'built-in.backup'], 'first')
  expect(made.stderr).toContain('It contains the secret of the data folder')
  expect(made.stderr).toMatch(/^Backed up \d+ rows of .+, [1-9][\d.]* KiB\.$/m)
  await noema(['restore', 'built-in.backup'], 'second')
  expect((await noema(['keys', 'list'], 'second')).stdout).toContain(key.id)
  const read = (name: string) => readFile(join(folder, name, 'secret'), 'utf8')
  expect(await read('second')).toBe(await read('first'))
  await expect(noema(['restore', 'built-in.backup'], 'first')).rejects.toMatchObject({ code: 5 })
})
