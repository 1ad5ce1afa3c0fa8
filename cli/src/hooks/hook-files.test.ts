import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { aiClients } from '@noema/contracts/ai-clients.ts'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'
import { hookClients } from './hook-clients.ts'

const useHome = async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hooks-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const server = await startScriptedServer([])
  const env = { HOME: home, NOEMA_BASE_URL: server.url, NOEMA_API_KEY: 'nbk_given' }
  const self = { command: '/opt/my node', args: ['/opt/noema.js'] }
  const cli = (...argv: string[]) => runCli(argv, '', { env, cwd: home, self })
  const files = async () =>
    (await readdir(home, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length))
  const find = (name: string) =>
    hookClients.find((client) => client.name === name)?.file({ home, cwd: home, platform: 'linux', env }) ?? ''
  return { home, cli, files, find }
}

const names = hookClients.map(({ name }) => name)

test('HOK-04 the list of clients says of each whether it has hooks', () => {
  const known = aiClients.filter(({ hasHooks }) => hasHooks).map(({ name }) => name)
  expect(known.sort()).toEqual([...names].sort())
})

test.each(names)(
  'HOK-04 %s: hooks are installed once, with no key in the file, and removed without a trace',
  async (name) => {
    const { cli, files, find, home } = await useHome()
    const install = () => cli('hooks', 'install', name, '--brain', 'team')
    expect(await install()).toMatchObject({ code: 0 })
    const text = await readFile(find(name), 'utf8')
    expect(text).toContain(`hooks-${name}`)
    expect(text).not.toContain('nbk_')
    expect((await stat(find(name))).mode & 0o777).toBe(0o600)
    const profiles = await readFile(join(home, '.config/noema/profiles.json'), 'utf8')
    expect(JSON.parse(profiles).profiles[`hooks-${name}`]).toMatchObject({ apiKey: 'nbk_given', brain: 'team' })
    expect((await install()).stderr).toContain('already')
    expect(await readFile(find(name), 'utf8')).toBe(text)
    expect((await files()).length).toBe(2)
    expect((await cli('hooks', 'uninstall', name)).stderr).toContain('Removed')
    expect(await files()).toEqual([])
    expect((await cli('hooks', 'uninstall', name)).stderr).toContain('none of our hooks')
  },
)

const other = { type: 'command', command: 'other hook', timeout: 5 }
const theirs: Record<string, object> = {
  'claude-code': {
    model: 'opus',
    hooks: { Stop: [{ matcher: '*', hooks: [other] }], PreToolUse: [{ matcher: 'Bash', hooks: [other] }] },
  },
  codex: { hooks: { SessionStart: [{ matcher: 'startup', hooks: [other] }] } },
  cursor: { version: 1, hooks: { stop: [{ command: './audit.sh' }], afterFileEdit: [{ command: './format.sh' }] } },
  'gemini-cli': { theme: 'dark', hooks: { BeforeAgent: [{ hooks: [other] }] } },
}

test.each(Object.keys(theirs))('HOK-04 %s: hooks and settings of others stay, to the letter', async (name) => {
  const { cli, find } = await useHome()
  const file = find(name)
  await mkdir(dirname(file), { recursive: true })
  for (const indent of [2, 4, '\t']) {
    const before = `${JSON.stringify(theirs[name], undefined, indent)}\n`
    await writeFile(file, before)
    await cli('hooks', 'install', name, '--brain', 'team')
    const installed = await readFile(file, 'utf8')
    for (const command of JSON.stringify(theirs[name]).match(/"command":"[^"]+"/g) ?? [])
      expect(JSON.stringify(JSON.parse(installed))).toContain(command)
    expect(installed.match(/'\/opt\/my node' \/opt\/noema\.js hook [\w-]+ --profile/g)?.length).toBeGreaterThan(1)
    await cli('hooks', 'uninstall', name)
    expect(await readFile(file, 'utf8')).toBe(before)
  }
})

test('HOK-04 without capture nothing is sent: only the hooks that add context are there', async () => {
  const { cli, find } = await useHome()
  await cli('hooks', 'install', 'claude-code', '--brain', 'team')
  await cli('hooks', 'install', 'claude-code', '--brain', 'team', '--no-capture')
  const { hooks } = JSON.parse(await readFile(find('claude-code'), 'utf8'))
  expect(Object.keys(hooks)).toEqual(['SessionStart', 'UserPromptSubmit'])
  await cli('hooks', 'install', 'opencode', '--brain', 'team', '--no-capture')
  expect(await readFile(find('opencode'), 'utf8')).not.toContain('session.idle')
})

test('HOK-04 a file that a program cannot change without a loss is left alone, and so is one of another author', async () => {
  const { cli, find, files } = await useHome()
  const given: [string, string][] = [
    ['gemini-cli', '// mine\n{ "theme": "dark" }\n'],
    ['claude-code', '{"hooks": []}'],
    ['opencode', 'export const Mine = async () => ({})\n'],
  ]
  for (const [name, text] of given) {
    await mkdir(dirname(find(name)), { recursive: true })
    await writeFile(find(name), text)
    expect(await cli('hooks', 'install', name, '--brain', 'team')).toMatchObject({ code: 2 })
    expect(await readFile(find(name), 'utf8')).toBe(text)
  }
  expect((await files()).length).toBe(given.length)
  expect((await cli('hooks', 'install', 'emacs', '--brain', 'team')).stderr).toContain('claude-code')
})
