import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  closedUrl,
  type ScriptedAnswer,
  type SeenRequest,
  startScriptedServer,
} from '@noema/sdk/test/scripted-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const found = {
  ...{ context: '> Ada leads Apollo.', items: [{ id: 'apollo' }], evidence: 'strong', receipt: 'rcp_1' },
  budget: { tokens: 1500, used: 9, dropped: 0 },
}
const written = { outcome: 'applied', document: { id: 'x' }, change: null }
const answers = ({ url }: SeenRequest): ScriptedAnswer => ({ data: url.endsWith('/context') ? found : written })

/** A home folder with the profile of a client's hooks, and hooks that go to the service at an address. */
const useHooks = async (script: (request: SeenRequest) => ScriptedAnswer = answers) => {
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

const quiet = { code: 0, answer: {} }
const context = expect.stringContaining('> Ada leads Apollo.')
const inWords = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: context } })

// The inputs have the fields that each client documents.
const common = { cwd: '/work/apollo', permission_mode: 'default' }
const starts: [string, object, object][] = [
  [
    'claude-code',
    { session_id: 'a', transcript_path: '/t.jsonl', ...common, hook_event_name: 'SessionStart', source: 'startup' },
    inWords('SessionStart'),
  ],
  [
    'claude-code',
    {
      session_id: 'a',
      transcript_path: '/t.jsonl',
      ...common,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Who leads Apollo?',
    },
    inWords('UserPromptSubmit'),
  ],
  [
    'codex',
    {
      session_id: 'b',
      transcript_path: null,
      ...common,
      hook_event_name: 'SessionStart',
      model: 'gpt',
      source: 'startup',
    },
    inWords('SessionStart'),
  ],
  [
    'cursor',
    {
      ...{
        conversation_id: 'c',
        generation_id: 'g',
        model: 'm',
        hook_event_name: 'sessionStart',
        cursor_version: '3.1',
      },
      ...{ session_id: 'c', workspace_roots: ['/work/apollo'], user_email: null, transcript_path: null },
      ...{ is_background_agent: false, composer_mode: 'agent' },
    },
    { additional_context: context },
  ],
  [
    'gemini-cli',
    {
      ...{ session_id: 'd', transcript_path: '/t.json', cwd: '/work/apollo', hook_event_name: 'BeforeAgent' },
      ...{ timestamp: '2026-11-24T10:00:00Z', prompt: 'Who leads Apollo?' },
    },
    inWords('BeforeAgent'),
  ],
  [
    'vscode',
    {
      ...{ timestamp: '2026-11-24T10:00:00Z', cwd: '/work/apollo', sessionId: 'e', hookEventName: 'SessionStart' },
      ...{ transcript_path: '/t.json', source: 'new' },
    },
    inWords('SessionStart'),
  ],
]

test.each(starts)('HOK-01 %s gets what the Brain knows, in its own words', async (client, input, expected) => {
  const { hook, server } = await useHooks()
  expect(await hook(client, input)).toEqual({ code: 0, answer: expected })
  const [{ headers, url, body } = { headers: {}, url: '', body: '{}' }] = server.requests
  expect([url, headers.authorization]).toEqual(['/v1/brains/team/context', 'Bearer nbk_1'])
  expect(JSON.parse(body).query).toMatch(/Apollo/i)
})

test('HOK-01 HOK-02 a prompt loses its credentials before it is asked, and a command or a few words are not asked at all', async () => {
  const { hook, server } = await useHooks()
  const ask = (prompt: string) => hook('claude-code', { session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt })
  await ask(`Use ghp_${'a1B2'.repeat(10)} to push, please.`)
  expect(server.requests[0]?.body).toContain('Use [GitHub token removed] to push')
  for (const prompt of ['/clear everything now', 'yes', 'go on']) expect(await ask(prompt)).toEqual(quiet)
  expect(server.requests).toHaveLength(1)
})

const says = (type: string, content: unknown, more: object = {}) => ({
  type,
  message: { role: type, content },
  ...more,
})
const transcripts: [string, string, object[]][] = [
  [
    'claude-code',
    'Stop',
    [
      { type: 'summary', summary: 'Earlier' },
      says('user', 'Who leads Apollo?'),
      says('assistant', [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', name: 'Read', input: { file: 'SECRET-FILE' } },
      ]),
      says('user', [{ type: 'tool_result', content: 'SECRET-FILE content' }]),
      says('user', 'internal words', { isMeta: true }),
      says('assistant', [{ type: 'text', text: 'Ada does.' }]),
    ],
  ],
  [
    'codex',
    'Stop',
    [
      { type: 'session_meta', payload: { id: 'x' } },
      {
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: '<environment_context>SECRET-FILE</environment_context>' }],
        },
      },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Who leads Apollo?' }] },
      },
      { type: 'response_item', payload: { type: 'function_call_output', output: 'SECRET-FILE' } },
      {
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'I look.\n\nAda does.' }],
        },
      },
    ],
  ],
  [
    'cursor',
    'stop',
    [
      { role: 'user', message: { content: [{ type: 'text', text: 'Who leads Apollo?' }] } },
      {
        role: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', input: 'SECRET-FILE' },
          ],
        },
      },
      { role: 'assistant', message: { content: [{ type: 'text', text: 'Ada does.' }] } },
      { type: 'turn_ended', status: 'completed' },
    ],
  ],
  [
    'vscode',
    'Stop',
    [
      { type: 'session.start', data: { sessionId: 'x' } },
      { type: 'user.message', data: { content: 'Who leads Apollo?' } },
      { type: 'assistant.message', data: { content: 'I look.' } },
      { type: 'tool.execution_complete', data: { result: 'SECRET-FILE' } },
      { type: 'assistant.message', data: { content: 'Ada does.' } },
    ],
  ],
]

test.each(transcripts)(
  'HOK-02 %s: a turn is sent as its words alone, and the next turn as what is new',
  async (client, event, lines) => {
    const { hook, documents, transcript, server } = await useHooks()
    const file = await transcript('t.jsonl', lines)
    const input = { session_id: 's1', transcript_path: file, ...common, hook_event_name: event }
    expect(await hook(client, input)).toEqual(quiet)
    const [document] = documents()
    expect(document).toMatchObject({ source: { name: client, externalId: 's1' }, metadata: { project: 'apollo' } })
    expect(document.text.replaceAll(/\n+(Agent: )?/g, ' ')).toBe('Person: Who leads Apollo? I look. Ada does.')
    expect(document.title).toContain('Who leads Apollo?')
    expect(JSON.stringify(document)).not.toContain('SECRET-FILE')
    expect(server.requests[0]?.headers['idempotency-key']).toBe(document.id)
    await hook(client, input)
    expect(documents()).toHaveLength(1)
    await writeFile(
      file,
      `${JSON.stringify(lines.find((line) => JSON.stringify(line).includes('Who leads')))}\n{"half`,
      { flag: 'a' },
    )
    await hook(client, input)
    expect(documents().map(({ text }) => text)).toEqual([document.text, 'Person: Who leads Apollo?'])
  },
)

test('HOK-02 clients without a transcript send the turn itself', async () => {
  const { hook, documents } = await useHooks()
  const gemini = { session_id: 'd', transcript_path: '/t.json', cwd: '/work/apollo', hook_event_name: 'AfterAgent' }
  await hook('gemini-cli', { ...gemini, prompt: 'Who leads?', prompt_response: 'Ada does.', stop_hook_active: false })
  const messages = [
    { role: 'user', text: 'And Mars?' },
    { role: 'tool', text: 'no' },
    { role: 'assistant', text: 'Bo.' },
  ]
  await hook('opencode', { session_id: 'f', cwd: '/work/apollo', hook_event_name: 'Stop', messages })
  await hook('codex', {
    session_id: 'b',
    transcript_path: null,
    hook_event_name: 'Stop',
    last_assistant_message: 'Done.',
  })
  expect(documents().map(({ text }) => text)).toEqual([
    'Person: Who leads?\n\nAgent: Ada does.',
    'Person: And Mars?\n\nAgent: Bo.',
    'Agent: Done.',
  ])
})

test('HOK-02 an hour without the service: turns wait, without credentials, and are sent in order and once', async () => {
  const { hook, documents, transcript, point, server, spool } = await useHooks()
  await point(await closedUrl())
  const secret = `sk-ant-api03-${'x9Y8'.repeat(10)}`
  for (let turn = 0; turn < 12; turn++) {
    const file = await transcript(`${turn}.jsonl`, [says('user', `Turn ${turn} with ${secret}`)])
    const input = { session_id: `s${turn}`, transcript_path: file, ...common, hook_event_name: 'Stop' }
    expect(await hook('claude-code', input)).toEqual(quiet)
    await rm(file)
  }
  const waiting = await readdir(spool('claude-code'))
  expect(waiting.filter((name) => name.endsWith('.json'))).toHaveLength(12)
  for (const name of waiting.filter((one) => one.endsWith('.json')))
    expect(await readFile(join(spool('claude-code'), name), 'utf8')).not.toContain(secret)
  await point(server.url)
  await hook('claude-code', { session_id: 'new', hook_event_name: 'SessionStart', source: 'startup' })
  const texts = documents().map(({ text }) => text)
  expect(texts).toEqual(Array.from({ length: 12 }, (_, turn) => `Person: Turn ${turn} with [API key removed]`))
  await hook('claude-code', { session_id: 'new', hook_event_name: 'SessionEnd', reason: 'exit' })
  expect(documents()).toHaveLength(12)
})

test('HOK-02 two sessions at once on one spool lose nothing and send nothing twice', async () => {
  const { hook, documents, transcript } = await useHooks()
  const files = await Promise.all(
    ['one', 'two'].map((name) => transcript(`${name}.jsonl`, [says('user', `${name} 0`)])),
  )
  for (let turn = 1; turn <= 8; turn++)
    await Promise.all(
      ['one', 'two'].map(async (name, index) => {
        const file = files[index] ?? ''
        await writeFile(file, `${JSON.stringify(says('user', `${name} ${turn}`))}\n`, { flag: 'a' })
        await hook('claude-code', { session_id: name, transcript_path: file, ...common, hook_event_name: 'Stop' })
      }),
    )
  await hook('claude-code', { session_id: 'one', hook_event_name: 'SessionStart', source: 'resume' })
  const words = documents().flatMap(({ text }) => text.split('\n\n'))
  for (const name of ['one', 'two'])
    expect(words.filter((word) => word.includes(name))).toEqual(
      Array.from({ length: 9 }, (_, turn) => `Person: ${name} ${turn}`),
    )
})

test('HOK-02 a broken file and the lock of a dead process hold up nothing; the lock of a living one is respected', async () => {
  const { hook, documents, transcript, spool } = await useHooks()
  const folder = spool('claude-code')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '000000000000001-1-1.json'), '{"kind":"turn"')
  await writeFile(join(folder, '000000000000002-1-1.json'), '{"kind":"unknown"}')
  await writeFile(join(folder, 'lock'), '')
  const file = await transcript('t.jsonl', [says('user', 'Hello there')])
  const input = { session_id: 's', transcript_path: file, ...common, hook_event_name: 'Stop' }
  expect(await hook('claude-code', input)).toEqual(quiet)
  expect(documents()).toEqual([])
  const old = new Date(Date.now() - 10 * 60_000)
  await utimes(join(folder, 'lock'), old, old)
  expect(await hook('claude-code', input)).toEqual(quiet)
  expect(documents().map(({ text }) => text)).toEqual(['Person: Hello there'])
  expect((await readdir(folder)).filter((name) => name !== 'sessions')).toEqual([])
})

test('HOK-02 a document that the service will never take is dropped, and those after it arrive', async () => {
  let refusals = 0
  const { hook, documents } = await useHooks(({ url, body }) => {
    if (!url.endsWith('/documents') || !body.includes('bad')) return { data: written }
    refusals++
    return { status: 400, error: { kind: 'validation', message: 'No.' } }
  })
  const send = (text: string) =>
    hook('opencode', { session_id: text, hook_event_name: 'Stop', messages: [{ role: 'user', text }] })
  await send('bad words')
  await send('good words')
  await send('more words')
  expect(refusals).toBe(1)
  expect(documents().map(({ text }) => text)).toEqual(['Person: bad words', 'Person: good words', 'Person: more words'])
})

test('HOK-03 after any failure the answer is JSON, the exit code 0, and the agent waits seconds at most', async () => {
  const { hook, point, server } = await useHooks(() => 'hang')
  for (const input of [
    '',
    'nonsense',
    '[]',
    '{"hook_event_name":"PreToolUse","session_id":"a"}',
    '{"hook_event_name":"Stop"}',
  ])
    expect(await hook('claude-code', input)).toEqual(quiet)
  expect(await hook('emacs', starts[0]?.[1])).toEqual(quiet)
  const begun = performance.now()
  expect(await hook('claude-code', starts[0]?.[1])).toEqual(quiet)
  expect(performance.now() - begun).toBeLessThan(8_000)
  expect(server.requests).toHaveLength(1)
  await point('not an address')
  expect(await hook('claude-code', starts[0]?.[1])).toEqual(quiet)
})
