import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hasEnded, readCommandLine } from '../../storage/embedded/processes.ts'

// A run of tests, like vitest's: it starts a guardian, prints its environment, and runs until it is killed.
const run = `
  import { startGuardian } from ${JSON.stringify(join(import.meta.dirname, 'start-guardian.ts'))}
  import { readFileSync } from 'node:fs'
  import { spawn } from 'node:child_process'
  import { join } from 'node:path'
  const { folder, pid } = await startGuardian()
  const postgres = Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\\n')[0])
  const program = spawn('sleep', ['600'], { cwd: folder, detached: true, stdio: 'ignore' })
  console.log(JSON.stringify({ folder, guardian: pid, postgres, program: program.pid }))
  setInterval(() => {}, 1000)`

const limit = 60_000

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'a run that %s ends leaves no PostgreSQL, no program and no folder behind',
  async (signal) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', run], {
      // So that a signal to the terminal's foreground group reaches it like vitest.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [reported] = await once(child.stdout, 'data')
    const { folder, ...pids } = JSON.parse(String(reported))
    expect(await readCommandLine(pids.postgres)).toContain(folder)
    const exit = once(child, 'exit')
    process.kill(-Number(child.pid), signal)
    await exit
    for (const pid of Object.values<number>(pids)) expect(await hasEnded(pid, limit)).toBe(true)
    expect(existsSync(folder)).toBe(false)
  },
)

test('the next guardian cleans up after a killed one', async () => {
  const first = spawn(process.execPath, ['--input-type=module', '-e', run], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [reported] = await once(first.stdout, 'data')
  const { folder, guardian, postgres, program } = JSON.parse(String(reported))
  process.kill(guardian, 'SIGKILL')
  first.kill('SIGKILL')
  expect(await hasEnded(guardian, limit)).toBe(true)
  expect(existsSync(folder)).toBe(true)
  const guardianFile = join(import.meta.dirname, 'guardian.ts')
  const next = spawn(process.execPath, [guardianFile, 'postgres://given/?'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const second = text(next.stdout)
  next.stdin.end()
  await once(next, 'exit')
  expect(JSON.parse(await second).url).toBe('postgres://given/?')
  for (const pid of [postgres, program]) expect(await hasEnded(pid, limit)).toBe(true)
  expect(existsSync(folder)).toBe(false)
})
