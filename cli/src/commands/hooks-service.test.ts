import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const app = useApp()
const member = useMember(app)

/** The hooks that a client's file has, by event. */
type Hooks = { [event: string]: { hooks: { command: string }[] }[] }

test('HOK-01 HOK-02 hooks that were installed give an agent what the Brain knows, and its words start the agent of the pack', async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hooks-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const read = async (path: string) => (await app.request('GET', path, { key: member.key })).body.data
  const pack = '/v1/packs/people-and-conversations/install'
  await app.request('PUT', '/v1/brains/crew', { key: member.key, body: { mode: 'direct' } })
  expect((await app.request('POST', pack, { key: member.key, body: { brain: 'crew' } })).status).toBeLessThan(300)
  const document = { id: 'apollo', title: 'Apollo', text: 'Ada Martin leads the project Apollo since May.' }
  await app.request('POST', '/v1/brains/crew/documents', { key: member.key, body: document })
  const env = { HOME: home, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  const installed = await runCli(['hooks', 'install', 'claude-code', '--brain', 'crew'], '', { env, cwd: home })
  expect(installed).toMatchObject({ code: 0, stdout: '' })
  const { keys } = await read('/v1/brains/crew/keys')
  expect(keys).toMatchObject([{ name: 'Hooks: Claude Code', capabilities: ['read', 'write'] }])
  const { hooks }: { hooks: Hooks } = JSON.parse(await readFile(join(home, '.claude/settings.json'), 'utf8'))
  /** Runs the command of an event as the client does, without its environment. */
  const fire = async (name: string, input: object) => {
    const [, ...args] = hooks[name]?.[0]?.hooks[0]?.command.split(' ') ?? []
    const stdin = Readable.from([JSON.stringify({ session_id: 's', cwd: home, hook_event_name: name, ...input })])
    return JSON.parse((await runCli(args, '', { env: { HOME: home }, cwd: home, stdin })).stdout)
  }
  const answer = await fire('UserPromptSubmit', { prompt: 'Who leads the project Apollo?' })
  expect(answer.hookSpecificOutput.additionalContext).toContain('Ada Martin leads the project Apollo')
  const transcript = join(home, 't.jsonl')
  const said = { type: 'user', message: { role: 'user', content: 'Bo Lind works at Engine Company now.' } }
  await writeFile(transcript, `${JSON.stringify(said)}\n`)
  expect(await fire('Stop', { transcript_path: transcript })).toEqual({})
  const { documents } = await read('/v1/brains/crew/documents')
  const sent = documents.find(({ source }: { source: { name: string } | null }) => source?.name === 'claude-code')
  expect(sent).toMatchObject({ status: 'served', provenance: { key: keys[0].id } })
  const findRun = async () =>
    (await read('/v1/runs?limit=100')).runs.filter(({ input }: { input: unknown }) =>
      JSON.stringify(input).includes(sent.id),
    )
  await expect.poll(async () => (await findRun()).length).toBeGreaterThan(0)
  // Uninstalled hooks leave no valid key.
  const uninstalled = await runCli(['hooks', 'uninstall', 'claude-code'], '', { env, cwd: home })
  expect(uninstalled.stderr).toContain(`Revoked the key "Hooks: Claude Code" (${keys[0].id})`)
  expect((await read('/v1/brains/crew/keys')).keys).toMatchObject([{ status: 'revoked' }])
})

test('HOK-01 a key that cannot be revoked is named', async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hooks-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const env = { HOME: home, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  await app.request('PUT', '/v1/brains/crew', { key: member.key, body: {} })
  expect((await runCli(['hooks', 'install', 'codex', '--brain', 'crew'], '', { env, cwd: home })).code).toBe(0)
  const away = { ...env, NOEMA_BASE_URL: 'http://127.0.0.1:1' }
  const { code, stderr } = await runCli(['hooks', 'uninstall', 'codex'], '', { env: away, cwd: home })
  expect([code, stderr]).toEqual([0, expect.stringContaining(`at ${app.base}: it is still valid`)])
})
