import { testTiming } from '@noema/sdk/test/test-timing.ts'
import { useApp, useBrain } from '@noema/server/test/harness.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const app = useApp()
const brain = useBrain(app)

const cli = (argv: string[], options: Parameters<typeof runCli>[2] = {}) =>
  runCli(argv, '', { env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: brain.key }, ...options })

test('a client gets what connects it on standard output, and advice on standard error', async () => {
  const { code, stdout, stderr } = await cli(['connect', 'claude-code', '--brain', 'brain'])
  expect(code).toBe(0)
  expect(stdout).toBe(`claude mcp add --scope user --transport http noema-brain ${app.base}/v1/brains/brain/mcp\n`)
  expect(stderr).toContain('type /mcp')
  expect((await cli(['connect', 'claude', '--brain', 'brain'])).stderr).toContain('reaches public https URLs only')
  expect(await cli(['connect', 'unknown-client', '--brain', 'brain'])).toMatchObject({ code: 2 })
})

test('a client that used the Brain is listed with the time, and waited for', async () => {
  const find = async () => {
    const { stdout } = await cli(['connect', '--brain', 'brain', '--json'])
    const rows = stdout.trim().split('\n')
    return rows.map((row) => JSON.parse(row)).find(({ client }) => client === 'cursor').lastUsedAt
  }
  expect(await find()).toBeNull()
  const minted = await brain.call('POST', '/keys', { name: 'MCP: Cursor', capabilities: ['read'] })
  const { secret } = minted.body.data
  const use = async () => {
    await app.request('GET', '/v1/brains/brain', { key: secret })
    await app.app.workers.find(({ name }) => name === 'note the use of keys')?.run()
  }
  const timing = { ...testTiming().timing, sleep: use }
  const waited = await cli(['connect', 'cursor', '--brain', 'brain', '--wait'], { timing })
  expect(waited.stderr).toMatch(/Connected: it used the Brain at 20/)
  expect(await find()).toMatch(/^20/)
})
