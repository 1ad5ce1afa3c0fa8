import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const loadOperator = () => import('@noema/server/operator/operator.ts')

const init = async (...argv: string[]) => {
  const cwd = await mkdtemp(join(tmpdir(), 'noema-init-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const run = () => runCli(['init', ...argv], '', { cwd, loadOperator, env: {} })
  return { run, file: join(cwd, '.env') }
}

test('init writes a .env that only its owner can read, comments out every other setting, and prints the next step', async () => {
  const { run, file } = await init('--port', '8080', '--public-url', 'https://noema.example.com')
  const made = await run()
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('noema serve') })
  const text = await readFile(file, 'utf8')
  expect(parseEnv(text)).toEqual({ NOEMA_PORT: '8080', NOEMA_PUBLIC_URL: 'https://noema.example.com' })
  expect(text).toContain('# NOEMA_SMTP_URL=')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('with a separate database a service gets a secret, which its other nodes share', async () => {
  const { run, file } = await init('--database-url', 'postgres://noema@db.example.com/noema')
  await run()
  expect(parseEnv(await readFile(file, 'utf8')).NOEMA_SECRET).toMatch(/^.{64}$/)
})

test('a .env that is there is not replaced, and wrong settings are not written', async () => {
  const { run } = await init()
  await run()
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') })
  const wrong = await init('--port', 'none')
  expect(await wrong.run()).toMatchObject({ code: 2, stderr: expect.stringContaining('NOEMA_PORT') })
  await expect(stat(wrong.file)).rejects.toThrow('ENOENT')
})
