import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { mcp, organizationMcp } from '@noema/contracts/mcp.ts'
import { beforeAll, expect, test } from 'vitest'
import { organizationTools } from '../api/tools/organization-tools.ts'
import { tools } from '../api/tools/tools.ts'
import { createBrain, type TestBrain } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { connectClient } from './mcp-client.fixture.ts'

// The snippets in docs/mcp.md are valid, lead to this service, and carry the key where it is read.

const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8')
const snippets = [...page.matchAll(/^```(json|sh|toml) name=(\S+)\n(.*?)^```/gms)].map(
  ([, language = '', name = '', text = '']) => ({ language, name, text }),
)
const inPage = 'http://127.0.0.1:4100'

const app = useApp()
let brain: TestBrain
beforeAll(async () => {
  brain = await createBrain(app, 'docs')
})

test('D-55 there is a snippet for each common client', () => {
  const clients = ['claude-code', 'claude-desktop', 'cursor', 'vs-code', 'windsurf', 'gemini-cli', 'codex']
  expect(clients.filter((client) => !snippets.some(({ name }) => name === client))).toEqual([])
})

test.each(snippets)('D-55 the snippet $name is valid $language', ({ language, text }) => {
  if (language === 'json') expect(JSON.parse(text)).toBeTypeOf('object')
  else if (language === 'sh') execFileSync('bash', ['-n'], { input: text })
  else for (const line of text.trim().split('\n')) expect(line).toMatch(/^(\[[\w.]+\]|\w+ = ".+")$/)
})

const isOfAgents = ({ name }: { name: string }) => name.startsWith('agents-')

test.each(snippets.filter((snippet) => snippet.name !== 'key' && !isOfAgents(snippet)))(
  'D-55 the snippet $name connects: its address is a Brain of this service, its key a bearer token',
  async ({ text }) => {
    const url = new URL(/http:[^\s"\\]+/.exec(text)?.[0] ?? '')
    expect(url.href).toBe(inPage + mcp.path.replace('{handle}', 'docs'))
    expect(text).toMatch(/Bearer (\$|nbk_)|bearer_token_env_var = "NOEMA_BRAIN_KEY"/)
    const handle = url.pathname.split('/').at(-2) ?? ''
    const { toolNames, close } = await connectClient(app, { key: await brain.mintKey(['read']), handle })
    expect(await toolNames()).toContain('knowledge_read')
    await close()
  },
)

test.each(snippets.filter(isOfAgents))(
  'the snippet $name connects: its address is the organization, its key a management key',
  async ({ text }) => {
    const url = new URL(/http:[^\s"\\]+/.exec(text)?.[0] ?? '')
    expect(url.href).toBe(inPage + organizationMcp.path)
    expect(text).toMatch(/Bearer \$\{?NOEMA_API_KEY/)
    const { toolNames, close } = await connectClient(app, { key: brain.key, path: url.pathname })
    expect(await toolNames()).toContain('runs_start')
    await close()
  },
)

test('D-55 the command on the page that mints the key works', async () => {
  const text = snippets.find(({ name }) => name === 'key')?.text ?? ''
  const script = text.replace(inPage, app.base)
  const env = { ...process.env, NOEMA_API_KEY: brain.key }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
  const { toolNames, close } = await connectClient(app, { key: JSON.parse(stdout).data.secret, handle: 'docs' })
  expect(await toolNames()).toContain('knowledge_read')
  await close()
})

test('D-55 the page lists every tool there is', () => {
  const listed = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect(listed).toEqual([...organizationTools, ...tools].map(({ name }) => name))
})
