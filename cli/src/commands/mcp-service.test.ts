import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { useApp, useBrain } from '@noema/server/test/harness.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'
import { mcpClients } from './mcp-clients.ts'

const app = useApp()
const brain = useBrain(app)

const main = new URL('../main.ts', import.meta.url).pathname
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

beforeAll(async () => {
  await brain.call('POST', '/documents', { id: 'apollo', text: 'Ada leads Apollo.' })
})

/** Starts the command in a client's settings, and exchanges messages with it like the client. */
const startServer = (command: string, args: readonly string[], env: Record<string, string>) => {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  const ask = async (message: object) => {
    send(message)
    return JSON.parse((await lines.next()).value ?? '')
  }
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const end = () => {
    child.stdin.end()
    return ended
  }
  return { send, ask, end }
}

const useHome = async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-mcp-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const cli = (argv: string[]) =>
    runCli(argv, '', {
      env: { HOME: home, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: brain.key },
      cwd: home,
      self: { command: process.execPath, args: [main] },
    })
  return { home, cli }
}

test('a client that starts its installed server reaches the Brain, with no more than the granted access', async () => {
  const { home, cli } = await useHome()
  const installed = await cli(['mcp', 'install', 'cursor', '--brain', 'brain'])
  expect(installed).toMatchObject({ code: 0, stdout: '' })
  const file = join(home, '.cursor/mcp.json')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const { noema } = JSON.parse(await readFile(file, 'utf8')).mcpServers
  expect(noema.env.NOEMA_API_KEY).toMatch(/^nbk_/)
  const server = startServer(noema.command, noema.args, noema.env)
  expect(await server.ask(initialize)).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } })
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const { result } = await server.ask({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
  const names = result.tools.map(({ name }: { name: string }) => name)
  expect(names).toContain('knowledge_search')
  expect(names.filter((name: string) => /put|assert|propose|batch|decide/.test(name))).toEqual([])
  const call = { name: 'knowledge_search', arguments: { query: 'Apollo' } }
  const found = await server.ask({ jsonrpc: '2.0', id: 'three', method: 'tools/call', params: call })
  expect(found).toMatchObject({ id: 'three' })
  expect(JSON.stringify(found)).toContain('Ada leads Apollo')
  expect(await server.end()).toBe(0)
})

test('the client gets a protocol error for an invalid message and for a service that refuses or is down', async () => {
  const { home } = await useHome()
  const env = { HOME: home, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: 'nbk_wrong' }
  const stdin = new PassThrough()
  stdin.end(`nonsense\n${JSON.stringify(initialize)}\n${JSON.stringify({ jsonrpc: '2.0', method: 'x' })}\n`)
  const { code, stdout } = await runCli(['mcp', '--brain', 'brain'], '', { env, stdin })
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(code).toBe(0)
  expect(answers).toHaveLength(2)
  expect(answers).toContainEqual(
    expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
  )
  expect(answers).toContainEqual(expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32603 }) }))
  const gone = new PassThrough()
  gone.end(`${JSON.stringify(initialize)}\n`)
  const lost = await runCli(['mcp'], '', { env: { ...env, NOEMA_BASE_URL: 'http://127.0.0.1:1' }, stdin: gone })
  expect(JSON.parse(lost.stdout).error.message).toContain('cannot be reached')
})

const ofJson = mcpClients.filter(({ format }) => format === 'json')

test.each(ofJson.map(({ name }) => name))('%s keeps what it had, and a copy of it', async (name) => {
  const { home, cli } = await useHome()
  const client = mcpClients.find((known) => known.name === name)
  const file = client?.file({ home, cwd: home, platform: process.platform, env: {} }) ?? ''
  const shown = await cli(['mcp', 'install', name, '--brain', 'brain', '--print'])
  const printed = JSON.parse(shown.stdout)[client?.key ?? ''].noema
  expect(printed).toMatchObject({ command: process.execPath, env: { NOEMA_API_KEY: 'nbk_…' } })
  await expect(stat(file)).rejects.toThrow('ENOENT')
  expect((await cli(['mcp', 'install', name, '--brain', 'brain'])).code).toBe(0)
  const had = { theme: 'dark', [client?.key ?? '']: { other: { command: 'x' } } }
  await writeFile(file, JSON.stringify(had))
  expect((await cli(['mcp', 'install', name, '--brain', 'brain', '--name', 'crm'])).code).toBe(0)
  const now = JSON.parse(await readFile(file, 'utf8'))
  expect(now.theme).toBe('dark')
  expect(Object.keys(now[client?.key ?? ''])).toEqual(['other', 'crm'])
  const folder = join(file, '..')
  const backup = (await readdir(folder)).find((entry) => entry.includes('.backup-')) ?? ''
  expect(JSON.parse(await readFile(join(folder, backup), 'utf8'))).toEqual(had)
})

const codexFile = `# mine
model = "o9"
[mcp_servers.other]
command = "x"

[mcp_servers.noema]
command = "old"
args = [
  "mcp",
]
[mcp_servers.noema.env]
NOEMA_API_KEY = "nbk_old"

[[profiles]] # kept
name = "work"
`

test('Codex keeps its settings and comments, and the server of that name is replaced', async () => {
  const { home, cli } = await useHome()
  const file = join(home, '.codex/config.toml')
  const install = ['mcp', 'install', 'codex', '--brain', 'brain']
  expect((await cli(install)).code).toBe(0)
  expect(await readFile(file, 'utf8')).toMatch(/^\[mcp_servers\.noema\]\ncommand = "/)
  await writeFile(file, codexFile)
  expect((await cli(install)).code).toBe(0)
  const now = await readFile(file, 'utf8')
  const [kept = '', added = ''] = now.split('\n\n[mcp_servers.noema]\n')
  expect(kept).toBe('# mine\nmodel = "o9"\n[mcp_servers.other]\ncommand = "x"\n\n[[profiles]] # kept\nname = "work"')
  expect(added).toMatch(/^command = ".+"\nargs = \[.*"mcp", "--brain", "brain"\]\n\n\[mcp_servers\.noema\.env\]\n/)
  expect(added).toMatch(/NOEMA_API_KEY = "nbk_\w{46}"\n$/)
  for (const text of ['mcp_servers = {}\n', "note = '''\n[mcp_servers.noema]\n'''\n"]) {
    await writeFile(file, text)
    expect(await cli(install)).toMatchObject({ code: 2, stderr: expect.stringContaining('--print') })
    expect(await readFile(file, 'utf8')).toBe(text)
  }
})

test('a file with comments is left alone, and no key is made for it', async () => {
  const { home, cli } = await useHome()
  await cli(['mcp', 'install', 'zed', '--brain', 'brain'])
  const file = join(home, '.config/zed/settings.json')
  await writeFile(file, '// mine\n{ "theme": "dark" }\n')
  const keys = async () => (await brain.call('GET', '/keys')).body.data.keys.length
  const before = await keys()
  const refused = await cli(['mcp', 'install', 'zed', '--brain', 'brain'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--print') })
  expect(await readFile(file, 'utf8')).toContain('// mine')
  expect(await keys()).toBe(before)
  expect((await cli(['mcp', 'install', 'emacs', '--brain', 'brain'])).stderr).toContain('claude-desktop')
})
