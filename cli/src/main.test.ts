import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

const start = (argv: readonly string[], url: string, more: Record<string, string> = {}) => {
  const { NODE_COMPILE_CACHE } = process.env
  const env = { NODE_COMPILE_CACHE, NOEMA_BASE_URL: url, NOEMA_API_KEY: 'nsk_test', ...more }
  const child = spawn(process.execPath, [main, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise((resolve) => child.once('exit', resolve))
  return { child, code, stderr: text(child.stderr) }
}

const events = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    cursor: `c${index}`,
    type: 'change.staged',
    occurredAt: '2026-03-01T12:00:00.000Z',
    data: { change: `chg_${index}` },
  }))

const tail = ['events', 'follow', '--brain', 'crm']

test('Ctrl-C ends a tail with exit code 130 and the cursor to continue from', async () => {
  const stream = events(1).map((event) => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`)
  const { url } = await startScriptedServer([{ stream, ending: 'stay' }])
  const { child, code, stderr } = start(tail, url)
  child.stdout.once('data', () => child.kill('SIGINT'))
  expect(await code).toBe(130)
  expect(await stderr).toBe('Continue with --after c0\n')
})

test('a reader that closes the pipe early ends the command quietly', async () => {
  const { url } = await startScriptedServer(() => ({ data: { events: events(500), cursor: 'c', hasMore: true } }))
  const { child, code, stderr } = start([...tail, '--once'], url)
  child.stdout.once('data', () => child.stdout.destroy())
  expect(await code).toBe(0)
  expect(await stderr).toBe('')
})

test('a server that cannot start exits 1', async () => {
  const { code, stderr } = start(['serve'], '', { NOEMA_PORT: 'none' })
  expect(await code).toBe(1)
  expect(await stderr).toContain('NOEMA_PORT')
})

test('compiled modules are kept for the next start, in the home of the person alone', async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-home-'))
  const run = (HOME: string) => start(['--help'], '', { HOME, NODE_COMPILE_CACHE: '' }).code
  expect(await run(join(home, 'missing'))).toBe(0)
  expect(await readdir(home)).toEqual([])
  expect(await run(home)).toBe(0)
  const kept = await readdir(join(home, '.cache', 'noema', 'compiled'), { recursive: true })
  expect(kept.length).toBeGreaterThan(10)
  await rm(home, { recursive: true })
})
