import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import { writePlugin } from '../hooks/opencode-plugin.ts'

const main = new URL('../main.ts', import.meta.url).pathname

/** A transcript of 50 MB: words, and results of tools that are much longer. */
const writeTranscript = async (file: string): Promise<number> => {
  const stream = createWriteStream(file)
  const line = (type: string, content: unknown) => `${JSON.stringify({ type, message: { role: type, content } })}\n`
  let turns = 0
  for (let bytes = 0; bytes < 50 * 1024 * 1024; turns++) {
    const huge = turns % 10 === 0 ? 2 * 1024 * 1024 : 60_000
    const text =
      line('user', `Question ${turns} about the engine?`) +
      line('user', [{ type: 'tool_result', content: 'x'.repeat(huge) }]) +
      line('assistant', [{ type: 'text', text: `Answer ${turns}.` }])
    bytes += text.length
    if (!stream.write(text)) await once(stream, 'drain')
  }
  stream.end()
  await finished(stream)
  return turns
}

test('HOK-02 HOK-03 a transcript of 50 MB is sent by a separate process with little memory, and the agent does not wait for it', async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hook-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const server = await startScriptedServer(() => ({
    data: { outcome: 'applied', document: { id: 'x' }, change: null },
  }))
  const hostile = await startScriptedServer([])
  const saveProfile = async (folder: string, baseUrl: string) => {
    const profile = { baseUrl, apiKey: 'nbk_1', brain: 'team' }
    await mkdir(folder, { recursive: true })
    const profiles = { current: 'default', profiles: { 'hooks-claude-code': profile } }
    await writeFile(join(folder, 'profiles.json'), JSON.stringify(profiles))
  }
  await saveProfile(join(home, '.config/noema'), server.url)
  // The project that the agent works in wants to decide where its words are sent.
  const project = join(home, 'project')
  await saveProfile(join(project, 'config'), hostile.url)
  await writeFile(join(project, '.env'), `NOEMA_CONFIG_DIR=${join(project, 'config')}\nNOEMA_BASE_URL=${hostile.url}\n`)
  const transcript = join(home, 'long.jsonl')
  const turns = await writeTranscript(transcript)
  const input = { session_id: 's', transcript_path: transcript, cwd: project, hook_event_name: 'Stop' }
  const env = { HOME: home, PATH: process.env.PATH, NODE_OPTIONS: '--max-old-space-size=48' }
  const args = [main, 'hook', 'claude-code', '--profile', 'hooks-claude-code']
  const child = spawn(process.execPath, args, { cwd: project, env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(input))
  const [chunks, code] = await Promise.all([
    child.stdout.toArray() as Promise<Buffer[]>,
    new Promise((resolve) => child.once('exit', resolve)),
  ])
  expect([Buffer.concat(chunks).toString(), code]).toEqual(['{}\n', 0])
  const read = () => server.requests.map(({ body }) => JSON.parse(body).text).join('\n\n')
  await expect.poll(read).toContain(`Agent: Answer ${turns - 1}.`)
  const lines = read().split('\n\n')
  expect(lines).toEqual(
    Array.from({ length: turns }, (_, turn) => [
      `Person: Question ${turn} about the engine?`,
      `Agent: Answer ${turn}.`,
    ]).flat(),
  )
  expect(hostile.requests).toEqual([])
})

/** A program in place of ours: it keeps its input and adds a context. */
const stand = `
let text = ''
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  require('node:fs').appendFileSync(process.argv[2], text + '\\n')
  const { hook_event_name: name } = JSON.parse(text)
  console.log(JSON.stringify({ hookSpecificOutput: { additionalContext: 'context of ' + name } }))
})`

test('HOK-01 HOK-02 the plugin of opencode adds context to the session, and sends each turn once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'noema-hook-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const [log, program, plugin] = [join(home, 'log'), join(home, 'stand.cjs'), join(home, 'plugin.mjs')]
  await writeFile(program, stand)
  await writeFile(plugin, writePlugin([process.execPath, program, log], true))
  const { NoemaHooks } = await import(plugin)
  const say = (role: string, text: string) => ({ info: { role }, parts: [{ type: 'text', text }, { type: 'tool' }] })
  const data = [say('user', 'Who leads Apollo?'), say('assistant', 'Ada does.')]
  const hooks = await NoemaHooks({ client: { session: { messages: async () => ({ data }) } }, directory: '/apollo' })
  const idle = { event: { type: 'session.idle', properties: { sessionID: 's' } } }
  const readContext = async () => {
    const system: string[] = []
    await hooks['experimental.chat.system.transform']({ sessionID: 's' }, { system })
    return system
  }
  expect(await readContext()).toEqual([])
  await hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text: 'Who leads Apollo?' }] })
  expect(await readContext()).toEqual(['context of SessionStart'])
  await hooks.event(idle)
  await hooks.event(idle)
  data.push(say('user', 'And Mars?'))
  await hooks.event(idle)
  const inputs = (await readFile(log, 'utf8')).trim().split('\n')
  expect(inputs.map((line) => JSON.parse(line))).toMatchObject([
    { hook_event_name: 'SessionStart', session_id: 's', cwd: '/apollo', prompt: 'Who leads Apollo?' },
    {
      hook_event_name: 'Stop',
      messages: [
        { role: 'user', text: 'Who leads Apollo?' },
        { role: 'assistant', text: 'Ada does.' },
      ],
    },
    { hook_event_name: 'Stop', messages: [{ role: 'user', text: 'And Mars?' }] },
  ])
})
