import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ScriptedAnswer, type SeenRequest, startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { onTestFinished } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const found = {
  ...{ context: '> Ada leads Apollo.', items: [{ id: 'apollo' }], evidence: 'strong', receipt: 'rcp_1' },
  budget: { tokens: 1500, used: 9, dropped: 0 },
}
/** The answer to a write. */
export const written = { outcome: 'applied', document: { id: 'x' }, change: null }
const answers = ({ url }: SeenRequest): ScriptedAnswer => ({ data: url.endsWith('/context') ? found : written })

/** A home folder with the profile of a client's hooks, and hooks that go to the service at an address. */
export const useHooks = async (script: (request: SeenRequest) => ScriptedAnswer = answers) => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hook-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const server = await startScriptedServer(script)
  const spool = (client: string) => join(home, '.local/state/noema/hooks', `hooks-${client}`)
  const point = async (baseUrl: string) => {
    await mkdir(join(home, '.config/noema'), { recursive: true })
    const profile = { baseUrl, apiKey: 'nbk_1', brain: 'team' }
    const names = ['claude-code', 'codex', 'cursor', 'gemini-cli', 'vscode', 'opencode']
    const profiles = Object.fromEntries(names.map((name) => [`hooks-${name}`, profile]))
    await writeFile(join(home, '.config/noema/profiles.json'), JSON.stringify({ current: 'default', profiles }))
  }
  await point(server.url)
  const hook = async (client: string, input: unknown) => {
    const stdin = Readable.from([typeof input === 'string' ? input : JSON.stringify(input)])
    const env = { HOME: home, NOEMA_BASE_URL: 'http://127.0.0.1:1', NOEMA_API_KEY: 'nsk_other' }
    const { code, stdout } = await runCli(['hook', client, '--profile', `hooks-${client}`], '', {
      env,
      stdin,
      cwd: home,
    })
    return { code, answer: JSON.parse(stdout) }
  }
  const documents = () =>
    server.requests.filter(({ url }) => url.endsWith('/documents')).map(({ body }) => JSON.parse(body))
  const transcript = async (name: string, lines: readonly object[]) => {
    const file = join(home, name)
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return file
  }
  return { home, server, hook, documents, transcript, point, spool }
}

/** The answer of a hook that adds nothing. */
export const quiet = { code: 0, answer: {} }

/** The fields that most clients send. */
export const common = { cwd: '/projects/apollo', permission_mode: 'default' }
