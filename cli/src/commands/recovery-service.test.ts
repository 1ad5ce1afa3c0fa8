import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

// The commands as an operator runs them, on separate built-in databases.

const run = promisify(execFile)
const main = new URL('../main.ts', import.meta.url).pathname

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'noema-recovery-'))
  // The built-in database may run as another user.
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

const environment = (dataDir: string, more: Record<string, string> = {}) => ({
  ...{ PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, HOME: folder },
  ...{ NOEMA_EMBEDDINGS: 'off', NOEMA_PORT: '0' },
  ...{ NOEMA_DATA_DIR: join(folder, dataDir), NOEMA_WAL_ARCHIVE: join(folder, 'archive'), ...more },
})

const noema = (argv: string[], dataDir: string, more: Record<string, string> = {}) =>
  run(process.execPath, [main, ...argv], { cwd: folder, env: environment(dataDir, more) })

/** Runs the service on a data folder; resolves when it is ready. */
const serve = async (dataDir: string) => {
  const child = spawn(process.execPath, [main, 'serve'], {
    cwd: folder,
    env: environment(dataDir),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await exited
  }
  onTestFinished(() => stop('SIGKILL'))
  let output = ''
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    output += chunk
    const ready = /ready at (http:\S+)/.exec(output)?.[1]
    if (ready !== undefined) return { base: ready, stop, pid: child.pid }
  }
  throw new Error(`The service ended:\n${output}`)
}

const call = async (base: string, key: string, method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) }
  const response = await fetch(base + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  return JSON.parse(await response.text()).data
}

test('the built-in database is restored as of a moment between two writes, and continues from there', async () => {
  const key = (await noema(['keys', 'mint', '--create'], 'lost')).stdout.trim()
  const first = await serve('lost')
  await call(first.base, key, 'PUT', '/v1/brains/notes', {})
  await call(first.base, key, 'PUT', '/v1/brains/notes/records/early', { kind: 'note' })
  const made = await noema(['backup', '--base', '--json'], 'lost')
  expect(JSON.parse(made.stdout)).toMatchObject({
    folder: expect.stringContaining(join('archive', 'base')),
    noted: true,
  })
  await call(first.base, key, 'PUT', '/v1/brains/notes/records/expected', { kind: 'note' })
  const { createdAt } = (await call(first.base, key, 'GET', '/v1/brains/notes/records/expected')).record
  const moment = new Date(Date.parse(createdAt) + 500).toISOString()
  // Later writes have a later time than the moment, by the log's clock.
  await expect.poll(() => Date.now() > Date.parse(moment) + 100, { interval: 50 }).toBe(true)
  await call(first.base, key, 'PUT', '/v1/brains/notes/records/mistake', { kind: 'note' })
  const { findings } = JSON.parse((await noema(['doctor', '--json'], 'lost')).stdout)
  const message = expect.stringContaining('a base backup')
  expect(findings).toContainEqual({ check: 'Backup', status: 'ok', message })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'Log archive', status: 'ok' }))
  await first.stop()

  const archive = join(folder, 'archive')
  const unreachable = noema(['restore', '--base', archive, '--to', '2999-01-01T00:00:00Z'], 'later')
  await expect(unreachable).rejects.toMatchObject({ code: 6, stderr: expect.stringContaining('does not reach') })
  const early = noema(['restore', '--base', archive, '--to', '2020-01-01T00:00:00Z'], 'later')
  await expect(early).rejects.toMatchObject({ code: 6, stderr: expect.stringContaining('first base backup') })
  const restored = await noema(['restore', '--base', archive, '--to', moment], 'found')
  expect(restored.stderr).toContain(moment)
  await expect(noema(['restore', '--base', archive], 'found')).rejects.toMatchObject({ code: 5 })

  const second = await serve('found')
  const { records } = await call(second.base, key, 'GET', '/v1/brains/notes/records')
  expect(records.map(({ id }: { id: string }) => id)).toEqual(['early', 'expected'])
  await call(second.base, key, 'PUT', '/v1/brains/notes/records/after', { kind: 'note' })
  const { events } = await call(second.base, key, 'GET', '/v1/brains/notes/events')
  expect(events.filter(({ type }: { type: string }) => type === 'record.accepted')).toHaveLength(3)
  await second.stop()
}, 300_000)

test('commands of the operator replace the folder; unarchived log of a lost server is used', async () => {
  const store = join(folder, 'store')
  await mkdir(store)
  await chmod(store, 0o777)
  const env = {
    NOEMA_WAL_ARCHIVE: '',
    NOEMA_WAL_ARCHIVE_COMMAND: `cp %p ${store}/%f`,
    NOEMA_WAL_RESTORE_COMMAND: `cp ${store}/%f %p`,
  }
  await noema(['keys', 'mint', '--create'], 'broken', env)
  await noema(['backup', '--base', 'copy'], 'broken', env)
  expect((await readdir(store)).some((name) => /^[0-9A-F]{24}$/.test(name))).toBe(true)
  const late = (await noema(['keys', 'mint', '--name', 'late', '--json'], 'broken', env)).stdout
  const stuck = { ...env, NOEMA_WAL_ARCHIVE_COMMAND: 'false' }
  await noema(['keys', 'mint', '--name', 'unarchived'], 'broken', stuck)
  const examine = () => noema(['doctor', '--json'], 'broken', stuck).catch(({ stdout }) => ({ stdout }))
  await expect
    .poll(async () => JSON.parse((await examine()).stdout).findings, { timeout: 150_000 })
    .toContainEqual(expect.objectContaining({ check: 'Log archive', status: 'failed' }))
  const wal = join(folder, 'broken/postgres/pg_wal')
  await noema(['restore', '--base', 'copy', '--wal', wal], 'whole', env)
  const plain = { NOEMA_WAL_ARCHIVE: '' }
  expect((await noema(['keys', 'list'], 'whole', plain)).stdout).toContain(JSON.parse(late).key.id)
}, 300_000)

test('a base backup that was changed restores nothing, and one without an archive is refused', async () => {
  await expect(noema(['backup', '--base', 'x'], 'none', { NOEMA_WAL_ARCHIVE: '' })).rejects.toMatchObject({ code: 6 })
  const nothing = noema(['backup', '--base', 'x'], 'none')
  await expect(nothing).rejects.toMatchObject({ code: 4, stderr: expect.stringContaining('no data') })
  await writeFile(join(folder, 'copy/data/PG_VERSION'), '17\n')
  const damaged = noema(['restore', '--base', 'copy'], 'unmade')
  await expect(damaged).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
  expect(await readdir(join(folder, 'unmade'))).toEqual([])
})
