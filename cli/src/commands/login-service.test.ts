import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { useApp, useBrain } from '@noema/server/test/harness.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { Context } from '../context.ts'
import { runCli } from '../test/run-cli.ts'

const app = useApp()
const brain = useBrain(app)

/** A new home folder for a test, and commands that use it. */
const useHome = async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-home-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const cli = (argv: string[], env: Record<string, string> = {}, given: Partial<Context> = {}) =>
    runCli(argv, '', { env: { HOME: home, ...env }, ...given })
  return { cli, file: join(home, '.config/noema/profiles.json') }
}

test('a login checks its key, saves it for its owner alone, and later commands use it', async () => {
  const { cli, file } = await useHome()
  const stdin = Readable.from([`${brain.key}\n`])
  const saved = await cli(['login', app.base, '--brain', 'brain'], {}, { stdin })
  expect(saved).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('management key') })
  expect(saved.stderr).not.toContain(brain.key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await cli(['records', 'list'])).code).toBe(0)
  expect((await cli(['whoami'])).stdout).toContain(app.base)
  expect((await cli(['logout'])).code).toBe(0)
  expect((await cli(['whoami'])).code).toBe(3)
  expect(await readFile(file, 'utf8')).not.toContain(brain.key)
})

test('a wrong key is not saved', async () => {
  const { cli, file } = await useHome()
  expect((await cli(['login', app.base, '--api-key', 'nsk_wrong'])).code).toBe(3)
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('options win over a named profile, that over the environment, and that over the saved profile', async () => {
  const { cli } = await useHome()
  const brainKey = await brain.mintKey(['read'])
  await cli(['login', app.base, '--profile', 'work', '--api-key', brainKey])
  await cli(['login', app.base, '--api-key', brain.key])
  expect((await cli(['whoami', '--profile', 'work'])).stdout).toContain('a key of the Brain')
  expect((await cli(['whoami'])).stdout).toContain('a management key')
  expect((await cli(['whoami'], { NOEMA_PROFILE: 'work' })).stdout).toContain('a key of the Brain')
  expect((await cli(['whoami'], { NOEMA_API_KEY: brainKey })).stdout).toContain('a key of the Brain')
  expect((await cli(['whoami', '--profile', 'default'], { NOEMA_API_KEY: brainKey })).stdout).toContain(
    'a management key',
  )
  expect((await cli(['whoami', '--profile', 'work', '--api-key', brain.key])).stdout).toContain('a management key')
  expect((await cli(['whoami', '--profile', 'none'])).stderr).toContain('noema login --profile none')
})

test('the key of a profile is never sent to another address', async () => {
  const { cli } = await useHome()
  await cli(['login', app.base, '--api-key', brain.key])
  const { url, requests } = await startScriptedServer(() => ({ data: {} }))
  expect((await cli(['whoami', '--base-url', url])).code).toBe(3)
  expect((await cli(['whoami'], { NOEMA_BASE_URL: url })).code).toBe(3)
  expect(requests).toEqual([])
})

test('without an address, a login goes to the port that the .env of a service on this machine names', async () => {
  const { cli } = await useHome()
  const argv = ['login', '--api-key', brain.key]
  expect((await cli(argv, { NOEMA_PORT: new URL(app.base).port })).stderr).toContain(`Logged in to ${app.base}`)
})
