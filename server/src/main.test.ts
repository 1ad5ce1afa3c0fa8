import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from './test/database.ts'
import { findFreePort } from './test/free-port.ts'

const program = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url))

let folder: string
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'noema-main-'))
  database = await createTestDatabase()
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

/** Runs the program in an empty folder; `spoken` collects what it writes to standard error. */
const start = (argv: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: folder,
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NOEMA_EMBEDDINGS: 'off',
      NOEMA_DATA_DIR: join(folder, 'noema-data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, code, stdout: text(child.stdout), stderr: child.stderr }
}

const run = async (argv: readonly string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = start(argv, env)
  const [reported, written, ended] = await Promise.all([text(stderr), stdout, code])
  return { code: ended, stdout: written, stderr: reported }
}

/** A port on which another program listens. */
const takePort = async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  return { port: (other.address() as AddressInfo).port, free: () => other.close() }
}

test('a taken port ends the start with one line, before any database is made', async () => {
  const taken = await takePort()
  for (const [name, more] of [
    ['NOEMA_PORT', {}],
    ['NOEMA_METRICS_PORT', { NOEMA_PORT: '0' }],
  ] as const) {
    const ended = await run(['serve'], { ...more, [name]: String(taken.port) })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^noema: .*EADDRINUSE.*set NOEMA_PORT\.\n$/)
  }
  expect(existsSync(join(folder, 'noema-data'))).toBe(false)
  const asJson = await run(['serve', '--json'], { NOEMA_PORT: String(taken.port) })
  expect(JSON.parse(asJson.stderr)).toEqual({
    error: { kind: 'internal', message: expect.stringContaining('EADDRINUSE') },
  })
  taken.free()
})

test('D-84 keys mint makes no data by accident, and names the folder that it looked in', async () => {
  const ended = await run(['keys', 'mint'])
  expect(ended).toMatchObject({ code: 4, stdout: '' })
  expect(ended.stderr).toContain(join(folder, 'noema-data'))
  expect(ended.stderr).toContain('--create')
  expect(existsSync(join(folder, 'noema-data'))).toBe(false)
})

test('D-84 keys mint names the key as the API does, and says which database it is of', async () => {
  const env = { NOEMA_DATABASE_URL: database.url, NOEMA_SECRET: 'a secret of the tests, 32 characters' }
  const nameless = await run(['keys', 'mint', '--name', ''], env)
  expect(nameless).toMatchObject({ code: 6, stdout: '' })
  const minted = await run(['keys', 'mint', '--name', 'ci'], env)
  expect(minted.code).toBe(0)
  expect(minted.stdout).toMatch(/^nsk_\w{46}\n$/)
  expect(minted.stderr).toContain(`in PostgreSQL ${new URL(database.url).hostname}`)
})

test('D-12 without a mail server the operator reads the link of a mail in the terminal', async () => {
  const port = String(await findFreePort())
  const url = `http://127.0.0.1:${port}`
  const { child, code, stderr } = start(['serve'], {
    NOEMA_DATABASE_URL: database.url,
    NOEMA_SECRET: 'a secret of the tests, 32 characters',
    NOEMA_PORT: port,
  })
  child.stdout.resume()
  let reported = ''
  let isSignedUp = false
  for await (const chunk of stderr) {
    reported += String(chunk)
    if (!isSignedUp && reported.includes('Noema is ready')) {
      isSignedUp = true
      await fetch(`${url}/api/auth/sign-up/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' }),
      })
    }
    if (reported.includes('verify-email')) child.kill('SIGTERM')
  }
  expect(reported).toMatch(/\| To: ada@example\.com\n/)
  expect(reported).toMatch(/\| http:\/\/127\.0\.0\.1:\d+\/api\/auth\/verify-email\?token=\S+\n/)
  expect(await code).toBe(0)
})
