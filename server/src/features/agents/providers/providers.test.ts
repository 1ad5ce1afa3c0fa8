import { maxProviders } from '@noema/contracts/providers.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { type ScriptedModels, startScriptedModels } from '../../../test/models/scripted-models.ts'

// Providers of language models, as an organization sets them up and tries them (D-78).

const app = useOwnApp({ NOEMA_MAX_WEBHOOK_TESTS: '10/4/2', NOEMA_GOOGLE_API_KEY: 'shared-google-key' })
const member = useMember(app)
let models: ScriptedModels

beforeAll(async () => {
  models = await startScriptedModels()
})
afterAll(() => models.close())

const put = (name: string, body: object, by: TestMember = member) =>
  app.request('PUT', `/v1/providers/${name}`, { key: by.key, body })
const list = async (by: TestMember = member, query = '') =>
  (await app.request('GET', `/v1/providers${query}`, { key: by.key })).body.data
const remove = (name: string, by: TestMember = member) =>
  app.request('DELETE', `/v1/providers/${name}`, { key: by.key })
const tryOut = (name: string, body?: object, by: TestMember = member) =>
  app.request('POST', `/v1/providers/${name}/test`, { key: by.key, ...(body ? { body } : {}) })

const [apiKey, header] = ['sk-a-key-that-nobody-reads', 'a-header-that-nobody-reads']
const compatible = () => ({ kind: 'openai-compatible', baseUrl: models.url, apiKey, headers: { 'X-Team': header } })

test('D-78 a provider is set up, listed by name with what is no secret, replaced whole and deleted', async () => {
  const owner = await createMember(app)
  const made = await put('work', compatible(), owner)
  expect(made.status).toBe(201)
  const view = {
    ...{ name: 'work', kind: 'openai-compatible', baseUrl: models.url, hasApiKey: true, headers: ['X-Team'] },
    ...{ problem: null, createdBy: { type: 'key', id: owner.keyId } },
    ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
  }
  expect(made.body.data.provider).toMatchObject(view)
  await put('another', { kind: 'anthropic', apiKey }, owner)
  expect((await list(owner)).providers).toMatchObject([{ name: 'another', baseUrl: null }, view])
  expect((await list(owner, '?order=desc&limit=1')).providers).toMatchObject([view])
  const replaced = await put('work', { kind: 'openai-compatible', baseUrl: models.url }, owner)
  expect(replaced).toMatchObject({ status: 200, body: { data: { provider: { hasApiKey: false, headers: [] } } } })
  models.says([])
  await tryOut('work', {}, owner)
  expect(JSON.stringify(models.requests.at(-1)?.headers)).not.toContain(apiKey)
  expect((await remove('work', owner)).body.data).toEqual({ deleted: true })
  expect((await remove('work', owner)).status).toBe(404)
  expect((await list(owner)).providers).toHaveLength(1)
})

test('D-78 the key and the headers are kept encrypted, for this provider of this organization alone, and are in no log', async () => {
  await put('sealed', compatible())
  const { rows } = await app.database.pool.query('select * from providers')
  const raw = rows.map(({ secret }) => secret.toString('latin1')).join()
  for (const secret of [apiKey, header]) {
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(raw).not.toContain(secret)
    expect(app.logLines.join()).not.toContain(secret)
  }
  // Moved to another provider, the same bytes open nothing.
  await put('taken', { kind: 'openai', apiKey: 'sk-other-key' })
  await app.database.pool.query(
    `update providers set secret = (select secret from providers where name = 'sealed') where name = 'taken'`,
  )
  expect((await list()).providers).toMatchObject([
    { name: 'sealed', problem: null },
    { name: 'taken', problem: expect.stringContaining('NOEMA_SECRET') },
  ])
  expect(await tryOut('taken')).toMatchObject({
    status: 409,
    body: { error: { code: 'unreadable_secret', message: expect.stringContaining('Set the provider up again.') } },
  })
  await remove('taken')
})

test('AUD-01 the log names who set up, replaced and deleted a provider, without a secret', async () => {
  const owner = await createMember(app)
  await put('audited', compatible(), owner)
  await put('audited', { kind: 'anthropic', apiKey: 'sk-ant-other-key' }, owner)
  await remove('audited', owner)
  await remove('audited', owner)
  const { body } = await app.request('GET', '/v1/audit?target=audited', { headers: owner.session })
  const first = { kind: 'openai-compatible', baseUrl: models.url, hasApiKey: true, headers: ['X-Team'] }
  const second = { kind: 'anthropic', baseUrl: null, hasApiKey: true, headers: [] }
  const by = { actor: { type: 'key', id: owner.keyId }, target: { type: 'provider', id: 'audited', name: 'audited' } }
  expect(body.data.entries).toMatchObject([
    { action: 'provider.created', ...by, after: first },
    { action: 'provider.replaced', ...by, before: first, after: second },
    { action: 'provider.deleted', ...by, before: second },
  ])
  for (const secret of [apiKey, header, 'sk-ant-other-key']) expect(JSON.stringify(body)).not.toContain(secret)
})

test('D-78 an invalid provider is refused, and the error says why', async () => {
  const refusals: [string, object, RegExp][] = [
    ['noema', compatible(), /built in/],
    ['No Name', compatible(), /provider name/],
    ['x', { kind: 'mistral', apiKey }, /kind/],
    ['x', { kind: 'openai' }, /needs an apiKey/],
    ['x', { kind: 'openai-compatible', apiKey }, /needs a baseUrl/],
    ['x', { ...compatible(), baseUrl: `${models.url}?key=1` }, /no query/],
    ['x', { ...compatible(), baseUrl: 'http://10.0.0.1/v1' }, /baseUrl: .*public internet address/],
    ['x', { ...compatible(), baseUrl: 'https://169.254.169.254/latest' }, /baseUrl/],
    ['x', { ...compatible(), baseUrl: 'http://api.example.com/v1' }, /baseUrl/],
    ['x', { ...compatible(), apiKey: 'two lines\nx: y' }, /API key/],
    ['x', { ...compatible(), headers: { Host: 'elsewhere' } }, /set by the service itself/],
    ['x', { ...compatible(), headers: { 'content-length': '0' } }, /set by the service itself/],
    ['x', { ...compatible(), headers: { 'transfer-encoding': 'chunked' } }, /set by the service itself/],
    ['x', { ...compatible(), headers: { 'x y': 'z' } }, /name of a header/],
    ['x', { ...compatible(), headers: { 'x-a': 'b\r\nx-c: d' } }, /visible ASCII/],
    ['x', { ...compatible(), headers: { 'X-A': 'b', 'x-a': 'c' } }, /named once/],
    [
      'x',
      { ...compatible(), headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, 'y'])) },
      /20/,
    ],
    ['x', { ...compatible(), headers: { 'x-a': 'b'.repeat(8200) } }, /8192 characters/],
  ]
  for (const [name, body, message] of refusals) {
    const { status, body: answer } = await put(encodeURIComponent(name), body)
    expect([status, answer.error.message]).toEqual([400, expect.stringMatching(message)])
    expect(answer.error.message).not.toContain(apiKey)
  }
  expect((await list()).providers.map(({ name }: { name: string }) => name)).not.toContain('x')
})

test('an organization has so many providers and no more, also when they come at once, and may replace each', async () => {
  const owner = await createMember(app)
  const numbers = Array.from({ length: maxProviders + 5 }, (_, number) => number)
  const made = await Promise.all(numbers.map((number) => put(`p${number}`, { kind: 'openai', apiKey }, owner)))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(maxProviders)
  const refused = made.filter(({ status }) => status === 409)
  expect(refused).toHaveLength(5)
  expect(refused[0]?.body.error).toMatchObject({ code: 'too_many_providers' })
  const [first] = (await list(owner)).providers
  expect((await put(first.name, { kind: 'openai', apiKey }, owner)).status).toBe(200)
})

test('D-78 providers of another organization are not there, and the operator’s own are listed as shared, without a key', async () => {
  const stranger = await createMember(app)
  await put('ours', compatible())
  expect(await list(stranger)).toMatchObject({ providers: [], shared: [{ name: 'google', kind: 'google' }] })
  expect(JSON.stringify(await list(stranger))).not.toContain('shared-google-key')
  expect((await tryOut('ours', {}, stranger)).status).toBe(404)
  expect((await remove('ours', stranger)).status).toBe(404)
  expect((await list()).providers.map(({ name }: { name: string }) => name)).toContain('ours')
})

test('D-78 a test lists the models, or has one say a word, by the API of each kind, and returns the outcome', async () => {
  const asked: Record<string, [string, string, Record<string, string>]> = {
    'openai-compatible': ['/v1/models', '/v1/chat/completions', { authorization: `Bearer ${apiKey}` }],
    openai: ['/v1/models', '/v1/responses', { authorization: `Bearer ${apiKey}` }],
    anthropic: ['/v1/models', '/v1/messages', { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }],
    google: ['/v1/models', '/v1/models/m%2F1:generateContent', { 'x-goog-api-key': apiKey }],
  }
  for (const [kind, [listing, saying, headers]] of Object.entries(asked)) {
    await put('tried', { ...compatible(), kind })
    models.says([{ text: ['yes'] }])
    const ok = { ok: true, status: 200, error: null, milliseconds: expect.any(Number) }
    expect((await tryOut('tried')).body.data).toEqual(ok)
    expect(models.requests.at(-1)).toMatchObject({ method: 'GET', path: listing, headers })
    models.says([{ text: ['yes'] }])
    expect((await tryOut('tried', { model: 'm/1' })).body.data).toEqual(ok)
    const request = models.requests.at(-1)
    expect(request).toMatchObject({ method: 'POST', path: saying, headers: { ...headers, 'x-team': header } })
  }
})

test('D-78 a test that fails says how, in the words of the provider, without a secret or an address of this network', async () => {
  await put('failing', compatible())
  const echo = `The key ${apiKey} with ${header} is wrong.`
  for (const [body, error] of [
    [{ error: { message: echo } }, 'The key *** with *** is wrong.'],
    [echo, 'The key *** with *** is wrong.'],
    ['x'.repeat(100_000), `${'x'.repeat(500)}…`],
  ] as const) {
    models.says([{ status: 401, body }])
    expect((await tryOut('failing', { model: 'm' })).body.data).toMatchObject({ ok: false, status: 401, error })
  }
  await put('away', { ...compatible(), baseUrl: 'http://127.0.0.1:9/v1' })
  expect((await tryOut('away')).body.data).toEqual({
    ...{ ok: false, status: null, error: 'The connection was refused.', milliseconds: expect.any(Number) },
  })
  expect(app.logLines.join()).not.toContain(apiKey)
})

const kinds = ['openai', 'openai-compatible', 'anthropic', 'google']

test.each(kinds)('D-78 a test of %s is not ok where a successful response is not that of its API', async (kind) => {
  await put('page', { ...compatible(), kind })
  const html = `<html>login of ${apiKey}</html>`
  const begins = /is not as its API describes it: .* It begins: <html>login of \*\*\*<\/html>$/
  const refused = { message: 'No credits.' }
  for (const [body, error] of [
    [html, expect.stringMatching(begins)],
    ['', expect.stringMatching(/is not as its API describes it: .* It is empty\.$/)],
    [{ hello: 'world' }, expect.stringContaining('It begins: {"hello":"world"}')],
    [{ error: refused }, 'No credits.'],
    ['null', expect.stringContaining('It begins: null')],
  ] as const) {
    models.says(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body }))
    const answer = { ok: false, status: 200, error, milliseconds: expect.any(Number) }
    expect((await tryOut('page')).body.data).toEqual(answer)
    expect((await tryOut('page', { model: 'm' })).body.data).toEqual(answer)
  }
})

test('D-78 models are listed in the forms that compatible servers use', async () => {
  await put('lists', compatible())
  for (const body of [[{ id: 'm' }], { data: [{ id: 'm' }] }, { object: 'list', data: null }, { models: [] }]) {
    models.says([{ status: 200, body }])
    expect((await tryOut('lists')).body.data).toMatchObject({ ok: true, error: null })
  }
})

test('only so many tests of a provider run at once', async () => {
  await put('slow', compatible())
  const answered = Promise.withResolvers<void>()
  models.says(async () => {
    await answered.promise
    return { text: ['yes'] }
  })
  const before = models.requests.length
  const running = [tryOut('slow', { model: 'm' }), tryOut('slow', { model: 'm' })]
  await models.received(before + 2)
  expect(await tryOut('slow', { model: 'm' })).toMatchObject({
    ...{ status: 429, body: { error: { code: 'too_many_tests' } } },
  })
  answered.resolve()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
})
