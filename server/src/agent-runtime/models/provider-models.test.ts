import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { ProviderKind } from '@noema/contracts/providers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../test/app.ts'
import { useApp } from '../../test/harness.ts'
import { type ScriptedModels, startScriptedModels } from '../../test/models/scripted-models.ts'
import type { OpenModel } from './language-model.ts'
import { ModelFailure, ModelGone } from './model-failure.ts'
import { createOpenModel } from './provider-models.ts'

const app = useApp()
let member: TestMember
let models: ScriptedModels
let openModel: OpenModel
const organizationId = () => member.session['x-organization-id']

const secret = 'a-very-secret-key-of-a-provider'
const put = async (name: string, body: object, by = member) => {
  const { status } = await app.request('PUT', `/v1/providers/${name}`, { key: by.key, body })
  expect(status).toBeLessThan(300)
}

const kinds: ProviderKind[] = ['openai-compatible', 'openai', 'anthropic', 'google']

beforeAll(async () => {
  member = await createMember(app)
  models = await startScriptedModels()
  openModel = createOpenModel({ ...app.app.deps, builtin: {} })
  for (const kind of kinds)
    await put(kind, { kind, baseUrl: models.url, apiKey: secret, headers: { 'x-team': 'a-secret-header' } })
})
afterAll(() => models.close())

const prompt: LanguageModelV4CallOptions['prompt'] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Where is it?' }] },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'opr_1', toolName: 'look', input: { at: 'home' } }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'opr_1', toolName: 'look', output: { type: 'json', value: { found: false } } },
    ],
  },
]
const tools: LanguageModelV4CallOptions['tools'] = [
  {
    type: 'function',
    name: 'look',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
  },
]

const ask = async (model: string, options: Partial<LanguageModelV4CallOptions> = {}) => {
  const opened = await openModel({ organizationId: organizationId(), model })
  return opened.doStream({ prompt, tools, ...options })
}
const read = async (stream: ReadableStream<LanguageModelV4StreamPart>) => {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}
const say = async (model: string, options?: Partial<LanguageModelV4CallOptions>) =>
  read((await ask(model, options)).stream)

/** The part of a stream that a run stores. */
const digest = (parts: readonly LanguageModelV4StreamPart[]) => ({
  text: parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : [])).join('|'),
  calls: parts.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, JSON.parse(part.input)]] : [])),
  usage: parts.flatMap((part) => (part.type === 'finish' ? [part.usage] : [])),
  errors: parts.flatMap((part) => (part.type === 'error' ? [part.error] : [])),
})

const failure = async (work: Promise<unknown>): Promise<ModelFailure> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ModelFailure)
  return error as ModelFailure
}

test.each(kinds)(
  'D-78 a model of the kind %s streams text, tool calls and usage, and receives prompt and tools',
  async (kind) => {
    const usage = { input: 1000, output: 100, cacheRead: 300, reasoning: 20 }
    models.says([
      {
        text: ['In the', ' garden.'],
        toolCalls: [
          { id: 'call_1', name: 'look', input: { at: 'garden' } },
          { id: 'call_2', name: 'look', input: { at: 'shed' } },
        ],
        usage,
      },
    ])
    const parts = await say(`${kind}/scripted-1`)
    const reported = digest(parts)
    expect(reported).toMatchObject({
      text: 'In the| garden.',
      calls: [
        ['look', { at: 'garden' }],
        ['look', { at: 'shed' }],
      ],
      usage: [{ inputTokens: { total: 1000, cacheRead: 300 }, outputTokens: { total: 100 } }],
      errors: [],
    })
    const request = models.requests.at(-1)
    const sent = JSON.stringify(request?.body)
    for (const word of ['Be brief.', 'Where is it?', 'look', 'home', 'found']) expect(sent).toContain(word)
    expect(JSON.stringify(request?.headers)).toContain(secret)
    expect(request?.headers['x-team']).toBe('a-secret-header')
    expect(request?.path + sent).toContain('scripted-1')
  },
)

test('OpenAI is asked by its Responses API, and to keep nothing of it', async () => {
  models.says([{ text: ['Yes.'] }])
  await say('openai/scripted-1')
  expect(models.requests.at(-1)).toMatchObject({ path: '/v1/responses', body: { store: false, stream: true } })
})

test('tokens written to a cache are reported', async () => {
  models.says([{ text: ['Yes.'], usage: { input: 100, output: 10, cacheRead: 20, cacheWrite: 30 } }])
  expect(digest(await say('anthropic/scripted-1')).usage).toMatchObject([
    { inputTokens: { total: 100, noCache: 50, cacheRead: 20, cacheWrite: 30 }, outputTokens: { total: 10 } },
  ])
})

test('repeated ids of tool calls pass unchanged: no one uses them as keys', async () => {
  const same = { id: 'call_same', name: 'look', input: { at: 'home' } }
  for (const kind of kinds) {
    models.says([{ toolCalls: [same, { ...same, input: { at: 'away' } }] }])
    expect([kind, digest(await say(`${kind}/scripted-1`)).calls]).toEqual([
      kind,
      [
        ['look', { at: 'home' }],
        ['look', { at: 'away' }],
      ],
    ])
  }
})

test.each(kinds)(
  'a refusal by a model of the kind %s is reported once, with the time to retry, and not retried by itself',
  async (kind) => {
    const cases: [number, Record<string, string>, Partial<ModelFailure>][] = [
      [429, { 'retry-after': '7' }, { isRetryable: true, retryAfterSeconds: 7 }],
      [429, { 'retry-after-ms': '1500' }, { isRetryable: true, retryAfterSeconds: 1.5 }],
      [503, { 'retry-after': 'soon' }, { isRetryable: true, retryAfterSeconds: undefined }],
      [500, {}, { isRetryable: true }],
      [400, {}, { isRetryable: false }],
      [401, {}, { isRetryable: false }],
      [307, { location: 'http://127.0.0.1:1/' }, { isRetryable: false }],
    ]
    for (const [status, headers, expected] of cases) {
      const before = models.requests.length
      models.says([{ status, headers }])
      const failed = await failure(ask(`${kind}/scripted-1`))
      expect(failed).toMatchObject(expected)
      expect(failed.message).toContain(`The provider ${kind} answered ${status}: `)
      expect(models.requests.length).toBe(before + 1)
    }
  },
)

test('a refusal that does not follow the API is reported by the beginning of its text, however long it is', async () => {
  for (const kind of kinds) {
    for (const [body, message] of [
      ['The gateway is tired', `The provider ${kind} answered 503: The gateway is tired.`],
      ['', `The provider ${kind} answered 503.`],
      ['x'.repeat(3 * 1024 * 1024), `The provider ${kind} answered 503: ${'x'.repeat(500)}…`],
    ]) {
      models.says([{ status: 503, body }])
      expect((await failure(ask(`${kind}/scripted-1`))).message).toBe(message)
    }
  }
})

test('a quota that is used up is not tried again', async () => {
  const body = {
    error: { message: 'You exceeded your quota.', type: 'insufficient_quota', code: 'insufficient_quota' },
  }
  models.says([{ status: 429, body }])
  expect(await failure(ask('openai/scripted-1'))).toMatchObject({ isRetryable: false })
})

test.each(kinds)(
  'an answer of the kind %s that breaks off, or ends too early, is a failure and no answer',
  async (kind) => {
    models.says([{ text: ['In the'], ending: 'cut' }])
    const cut = await failure(say(`${kind}/scripted-1`))
    expect(cut).toMatchObject({ isRetryable: true, message: expect.stringContaining('closed before') })
    models.says([{ text: ['In the'], ending: 'early' }])
    const early = digest(await say(`${kind}/scripted-1`))
    expect(early).toMatchObject({ usage: [], errors: [{ isRetryable: true }] })
  },
)

test.each(kinds)(
  'a call of the kind %s ends at once when it is aborted, before its answer or in its midst',
  async (kind) => {
    const before = new AbortController()
    const answered = models.requests.length
    models.says(() => new Promise(() => undefined))
    const asking = ask(`${kind}/scripted-1`, { abortSignal: before.signal })
    await models.received(answered + 1)
    before.abort(new DOMException('The run was cancelled.', 'AbortError'))
    await expect(asking).rejects.toThrow('The run was cancelled.')
    await models.cutOff(answered)
    models.says([{ text: ['In the'], ending: 'hang' }])
    const stop = new AbortController()
    const { stream } = await ask(`${kind}/scripted-1`, { abortSignal: stop.signal })
    const reading = read(stream)
    stop.abort(new DOMException('The run was cancelled.', 'AbortError'))
    await expect(reading).rejects.toThrow('The run was cancelled.')
    await models.cutOff(models.requests.length - 1)
  },
)

test('no key, header or address of an inner network is in what a failure says, whatever a provider answers', async () => {
  const echo = `Incorrect API key provided: ${secret}, with a-secret-header; sk-proj-0123456789abcdef is not yours.\u0007 `
  for (const kind of kinds) {
    for (const body of [
      { error: { message: echo.repeat(100), code: 'x' } },
      echo,
      { error: { message: echo, status: 'X' } },
    ]) {
      models.says([{ status: 401, body }])
      const failed = await failure(ask(`${kind}/scripted-1`))
      const whole = JSON.stringify({ ...failed, message: failed.message, stack: failed.stack, cause: failed.cause })
      for (const word of [secret, 'a-secret-header', 'sk-proj-0123', 'Where is it?', '127.0.0.1'])
        expect([kind, word, whole.includes(word)]).toEqual([kind, word, false])
      expect(failed.message.length).toBeLessThan(700)
    }
  }
  await put('away', { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' })
  const away = await failure(ask('away/scripted-1'))
  expect(away.message).toBe('The provider away could not be called: The connection was refused.')
})

test('cancelling an answer ends its call', async () => {
  for (const kind of kinds) {
    models.says([{ text: ['In the'], ending: 'hang' }])
    const { stream } = await ask(`${kind}/scripted-1`)
    await stream.cancel()
    await models.cutOff(models.requests.length - 1)
  }
})

test("parts of the request and of the response's headers in an answer stay here", async () => {
  models.says([{ text: ['Yes.'] }])
  expect(Object.keys(await ask('openai-compatible/scripted-1'))).toEqual(['stream'])
})

test('a line without end, a body without end and counts that cannot be are not passed on', async () => {
  models.says([{ text: ['x'.repeat(5 * 1024 * 1024)] }])
  const long = await failure(say('openai-compatible/scripted-1'))
  expect(long.message).toContain('A line of the response is longer than')
  models.says([{ text: ['zero \u0000'], usage: { input: -1, output: 1e15 } }])
  const reported = digest(await say('openai-compatible/scripted-1'))
  expect(reported.text).toBe('zero �')
  expect(reported.usage).toMatchObject([{ inputTokens: { total: undefined }, outputTokens: { total: undefined } }])
})

test('a model whose provider is not there, is of another organization or cannot be decrypted is gone, and says why', async () => {
  const stranger = await createMember(app)
  await put('theirs', { kind: 'openai-compatible', baseUrl: models.url }, stranger)
  for (const model of ['nobody/scripted-1', 'theirs/scripted-1', 'openai', 'noema/unknown', 'noema/constructor', ''])
    await expect(openModel({ organizationId: organizationId(), model })).rejects.toBeInstanceOf(ModelGone)
  await put('old', { kind: 'openai-compatible', baseUrl: models.url, apiKey: secret })
  await app.database.pool.query(`update providers set secret = '\\x00' where name = 'old'`)
  await expect(openModel({ organizationId: organizationId(), model: 'old/scripted-1' })).rejects.toThrow('NOEMA_SECRET')
})

test('D-78 the keys of the operator serve every organization, its own provider of the same name first', async () => {
  const shared = createOpenModel({
    ...app.app.deps,
    builtin: {},
    sharedKeys: { openai: 'shared-key-one', google: 'shared-key-two' },
  })
  const stranger = await createMember(app)
  const theirs = { organizationId: stranger.session['x-organization-id'], model: 'openai/gpt-5' }
  expect(await shared(theirs)).toMatchObject({ provider: 'openai', modelId: 'gpt-5' })
  await expect(openModel(theirs)).rejects.toBeInstanceOf(ModelGone)
  const own = await shared({ organizationId: organizationId(), model: 'openai/gpt-5' })
  expect(own.provider).toBe(models.url)
})
