import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closedUrl } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { common, quiet, useHooks, written } from './use-hooks.fixture.ts'

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
  const gemini = { session_id: 'd', transcript_path: '/t.json', cwd: '/projects/apollo', hook_event_name: 'AfterAgent' }
  await hook('gemini-cli', { ...gemini, prompt: 'Who leads?', prompt_response: 'Ada does.', stop_hook_active: false })
  const messages = [
    { role: 'user', text: 'And Mars?' },
    { role: 'tool', text: 'no' },
    { role: 'assistant', text: 'Bo.' },
  ]
  await hook('opencode', { session_id: 'f', cwd: '/projects/apollo', hook_event_name: 'Stop', messages })
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

test('HOK-02 no credential is on the disk while a turn waits', async () => {
  const { hook, spool } = await useHooks()
  const folder = spool('opencode')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'lock'), '')
  const messages = [{ role: 'user', text: `It is npm_${'a1B2'.repeat(10)}.` }]
  await hook('opencode', { session_id: 's', hook_event_name: 'Stop', messages })
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json'))
  expect(JSON.parse(await readFile(join(folder, name), 'utf8')).said).toEqual([
    { role: 'user', text: 'It is [npm token removed].' },
  ])
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
