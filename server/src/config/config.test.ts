import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { reachableUrl } from './addresses.ts'
import { findLoopback, readConfig, unknownSettings } from './config.ts'
import { BadSetting } from './setting.ts'
import { envExample, settings, settingsBySubject } from './settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fileWith = (text: string): string => {
  const path = join(folder, `setting-${Math.random().toString(36).slice(2)}`)
  writeFileSync(path, text)
  return path
}

const catchMessage = (env: Record<string, string>): string => {
  try {
    readConfig(env, '/work')
  } catch (error) {
    if (error instanceof BadSetting) return error.message
  }
  return 'no BadSetting'
}

test('D-83 every setting is optional, and the defaults are those of the documentation', () => {
  expect(readConfig({}, '/somewhere')).toMatchObject({
    port: 4100,
    host: '127.0.0.1',
    publicUrl: undefined,
    trustedOrigins: [],
    corsAny: false,
    adminEmails: [],
    bootstrap: undefined,
    roles: ['http', 'worker'],
    logLevel: 'info',
    metrics: { port: undefined, token: undefined },
    limits: { caps: { unverified: { brains: 10, dailyWrites: 10_000 }, enterprise: undefined, staff: undefined } },
  })
})

test('every setting belongs to one subject', () => {
  expect(Object.values(settingsBySubject).flatMap(Object.keys)).toEqual(Object.keys(settings))
})

test('traces go to the address that is given for them alone, or else below that of all signals', () => {
  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/otlp?tenant=1' }
  expect(readConfig({}, '/somewhere').traces).toBeUndefined()
  expect(readConfig(base, '/somewhere').traces?.url).toBe('http://127.0.0.1:4318/v1/traces')
  expect(readConfig(own, '/somewhere').traces?.url).toBe('https://traces.example.com/otlp?tenant=1')
  expect(readConfig({ ...base, ...own }, '/somewhere').traces?.url).toBe('https://traces.example.com/otlp?tenant=1')
})

test('large Brains are indexed by pgvector only on request', () => {
  expect(readConfig({ NOEMA_VECTOR_INDEX_FROM: '5000' }, '/somewhere').pgvectorFrom).toBeUndefined()
  expect(readConfig({ NOEMA_VECTOR_INDEX: 'pgvector' }, '/somewhere').pgvectorFrom).toBe(250_000)
  const both = { NOEMA_VECTOR_INDEX: 'pgvector', NOEMA_VECTOR_INDEX_FROM: '5000' }
  expect(readConfig(both, '/somewhere').pgvectorFrom).toBe(5_000)
})

test('D-83 an empty value is as good as none', () => {
  const empty = Object.fromEntries(Object.keys(settings).map((name) => [name, '']))
  expect(readConfig(empty, '/somewhere')).toEqual(readConfig({}, '/somewhere'))
})

test.each([
  ['NOEMA_PORT', '65536'],
  ['NOEMA_PORT', '-1'],
  ['NOEMA_PORT', '80.5'],
  ['NOEMA_PORT', 'http'],
  ['NOEMA_PUBLIC_URL', 'noema.example.com'],
  ['NOEMA_PUBLIC_URL', 'ftp://noema.example.com'],
  ['NOEMA_PUBLIC_URL', 'https://example.com/?noema'],
  ['NOEMA_PUBLIC_URL', 'https://example.com/a;b'],
  ['NOEMA_PUBLIC_URL', 'https://example.com//noema'],
  ['NOEMA_APP_ORIGIN', 'javascript:alert(1)'],
  ['NOEMA_TRUSTED_ORIGINS', 'https://ok.example, nonsense'],
  ['NOEMA_DATABASE_URL', 'mysql://localhost/noema'],
  ['NOEMA_DATABASE_URL', 'postgres://a,/noema'],
  ['NOEMA_DRAIN_SECONDS', '601'],
  ['NOEMA_DATABASE_POOL', '1'],
  ['NOEMA_SECRET', 'too short'],
  ['NOEMA_ADMIN_EMAILS', 'ops@example.com, nobody'],
  ['NOEMA_SMTP_URL', 'http://mail.example.com'],
  ['NOEMA_WEBHOOK_ALLOW', '10.0.0.0/33'],
  ['NOEMA_PROVIDER_ALLOW', 'http://ollama.internal'],
  ['NOEMA_CONNECTOR_ALLOW', '10.0.0.0/33'],
  ['NOEMA_SHARED_PROVIDERS', 'no'],
  ['NOEMA_MAX_AGENT_CALLS', '10'],
  ['NOEMA_MODEL_SECONDS', '0'],
  ['NOEMA_WEBHOOK_ALLOW', 'receiver, http://receiver'],
  ['NOEMA_PROVIDER_ALLOW', 'ollama:70000'],
  ['NOEMA_WEBHOOK_PORTS', '443,0'],
  ['NOEMA_ROLES', 'http,cook'],
  ['NOEMA_ROLES', ','],
  ['NOEMA_LOG_LEVEL', 'loud'],
  ['NOEMA_METRICS_PORT', 'metrics'],
  ['NOEMA_METRICS_TOKEN', 'too short'],
  ['NOEMA_VECTOR_INDEX', 'usearch'],
  ['NOEMA_VECTOR_INDEX_FROM', '0'],
  ['NOEMA_UNVERIFIED_BRAINS', 'ten'],
  ['NOEMA_FREE_DAILY_WRITES', '1e6'],
])('D-83 %s=%s is refused in one line that names the setting and never its value', (name, value) => {
  const message = catchMessage({ [name]: value })
  expect(message).toMatch(new RegExp(`^${name} is not usable: `))
  expect(message).not.toContain('\n')
  if (name === 'NOEMA_SECRET') expect(message).not.toContain(value)
})

test.each(['NOEMA_SECRET', 'NOEMA_DATABASE_URL', 'NOEMA_SMTP_URL', 'NOEMA_BOOTSTRAP_PASSWORD'])(
  'D-83 %s is read from the file that %s_FILE names, without the line break at its end',
  (name) => {
    const value = settings[name as keyof typeof settings].example
    const partner = name === 'NOEMA_BOOTSTRAP_PASSWORD' ? { NOEMA_BOOTSTRAP_EMAIL: 'ops@example.com' } : {}
    const fromFile = readConfig({ [`${name}_FILE`]: fileWith(`${value}\n`), ...partner }, '/')
    expect(fromFile).toEqual(readConfig({ [name]: value, ...partner }, '/'))
  },
)

test.each([
  ['a value beside a file', { NOEMA_SECRET: 'x'.repeat(40), NOEMA_SECRET_FILE: '/dev/null' }, 'NOEMA_SECRET_FILE'],
  ['a file that is not there', { NOEMA_SECRET_FILE: '/nowhere/secret' }, '/nowhere/secret'],
  ['a file with a bad value', { NOEMA_SECRET_FILE: fileWith('short') }, 'NOEMA_SECRET'],
  ['an email without a password', { NOEMA_BOOTSTRAP_EMAIL: 'ops@example.com' }, 'NOEMA_BOOTSTRAP_PASSWORD'],
  [
    'a replica of the built-in database',
    { NOEMA_DATABASE_REPLICA_URLS: 'postgres://db/noema' },
    'NOEMA_DATABASE_REPLICA_URLS',
  ],
  ['a password without an email', { NOEMA_BOOTSTRAP_PASSWORD: 'long enough' }, 'NOEMA_BOOTSTRAP_EMAIL'],
  ['an endpoint without a model', { NOEMA_EMBEDDINGS_URL: 'http://127.0.0.1:1/v1' }, 'NOEMA_EMBEDDINGS_MODEL'],
  ['a model without an endpoint', { NOEMA_EMBEDDINGS_MODEL: 'words' }, 'NOEMA_EMBEDDINGS_URL'],
  ['a password that is too short', { NOEMA_BOOTSTRAP_EMAIL: 'a@b.example', NOEMA_BOOTSTRAP_PASSWORD: 'x' }, 'PASSWORD'],
])('D-83 %s is refused in one line with advice', (_case, env, named) => {
  const message = catchMessage(env)
  expect(message).toContain(named)
  expect(message).not.toContain('\n')
})

test('D-83 unknown names are listed; known ones, their files and those of the SDK are not', () => {
  const env = {
    NOEMA_PROT: '1',
    NOEMA_PORT_FILE: '/x',
    NOEMA_SECRET_FILE: '/x',
    NOEMA_PORT: '1',
    NOEMA_API_KEY: 'x',
    NOEMA_BASE_URL: 'x',
    noema_port: '1',
    PATH: '/bin',
  }
  expect(unknownSettings(env)).toEqual(['NOEMA_PROT', 'NOEMA_PORT_FILE'])
})

test('D-83 the example file has every setting, and every example is a usable value', () => {
  const lines = envExample().split('\n')
  for (const [name, { example }] of Object.entries(settings)) expect(lines).toContain(`# ${name}=${example}`)
  const examples = Object.fromEntries(Object.entries(settings).map(([name, { example }]) => [name, example]))
  const ofServer = ['NOEMA_DATABASE_URL', 'NOEMA_DATABASE_DIRECT_URL', 'NOEMA_DATABASE_REPLICA_URLS']
  // Only the built-in database has an archive, which has neither replicas nor a pooler. It is a folder or two commands.
  // Texts are embedded by an endpoint or on this machine.
  for (const others of [
    ['NOEMA_WAL_ARCHIVE', 'NOEMA_WAL_ARCHIVE_COMMAND', 'NOEMA_WAL_RESTORE_COMMAND', 'NOEMA_EMBEDDING_MODEL'],
    [...ofServer, 'NOEMA_WAL_ARCHIVE', 'NOEMA_EMBEDDING_MODEL'],
    [
      ...ofServer,
      ...['NOEMA_WAL_ARCHIVE_COMMAND', 'NOEMA_WAL_RESTORE_COMMAND'],
      ...['NOEMA_EMBEDDINGS_URL', 'NOEMA_EMBEDDINGS_MODEL'],
    ],
  ]) {
    const together = Object.fromEntries(Object.entries(examples).filter(([name]) => !others.includes(name)))
    expect(catchMessage(together)).toBe('no BadSetting')
  }
})

test.each([
  [{}, 'http://127.0.0.1:4100'],
  [{ NOEMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:4100'],
  [{ NOEMA_HOST: '::' }, 'http://127.0.0.1:4100'],
  [{ NOEMA_HOST: '::1' }, 'http://[::1]:4100'],
  [{ NOEMA_HOST: 'noema.internal' }, 'http://noema.internal:4100'],
  [{ NOEMA_PUBLIC_URL: 'https://noema.example.com/' }, 'https://noema.example.com'],
])('D-83 with %o the service is reached at %s', (env, url) => {
  expect(reachableUrl(readConfig(env, '/'), 4100)).toBe(url)
})

test('D-83 a bad value stops the start with one line that names it, and exit code 1', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const env = { PATH: process.env.PATH, NOEMA_PORT: 'http', NOEMA_DATA_DIR: folder }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr.trim()).toMatch(/^noema: NOEMA_PORT is not usable: [^\n]+$/)
})

test('D-78 the keys of the operator are shared with every organization, unless the settings say no', () => {
  const keys = { NOEMA_OPENAI_API_KEY: 'one', NOEMA_GOOGLE_API_KEY: 'two' }
  expect(readConfig(keys, '/').sharedKeys).toEqual({ openai: 'one', google: 'two' })
  expect(readConfig({ ...keys, NOEMA_SHARED_PROVIDERS: 'false' }, '/').sharedKeys).toEqual({})
  expect(readConfig({ NOEMA_PROVIDER_ALLOW: 'ollama:11434, 10.0.0.0/8' }, '/').agentCalls.allowProviders).toHaveLength(
    2,
  )
})

test('AUT-13 the settings of an OpenID provider go together, and its secret may be in a file', () => {
  const oidc = { NOEMA_OIDC_ISSUER: 'https://login.example', NOEMA_OIDC_CLIENT_ID: 'noema' }
  const env = { ...oidc, NOEMA_OIDC_CLIENT_SECRET_FILE: fileWith('s3cret'), NOEMA_OIDC_DOMAINS: 'Example.com' }
  expect(readConfig(env, '/').signIn).toMatchObject({
    password: true,
    openIdProvider: { clientSecret: 's3cret', domains: ['example.com'], signsUp: true, trustsEmail: false },
  })
  expect(readConfig({}, '/').signIn).toEqual({
    ...{ password: true, signUp: 'open', dailySignUps: 50, appRegistrations: 30, openIdProvider: undefined },
  })
  expect(readConfig({ ...oidc, NOEMA_PASSWORD_SIGN_IN: 'false' }, '/').signIn.password).toBe(false)
  expect(catchMessage({ NOEMA_PASSWORD_SIGN_IN: 'false' })).toContain('no one could sign in')
  expect(catchMessage({ NOEMA_OIDC_ISSUER: 'https://login.example' })).toContain('without NOEMA_OIDC_CLIENT_ID')
  expect(catchMessage({ NOEMA_OIDC_CLIENT_ID: 'noema' })).toContain('without NOEMA_OIDC_ISSUER')
  expect(catchMessage({ ...oidc, NOEMA_OIDC_DOMAINS: '@example.com' })).toContain('names of domains')
})

test('D-67 the entries that let every organization call this machine are found', () => {
  const env = {
    NOEMA_PROVIDER_ALLOW: 'ollama:11434, localhost:11434',
    NOEMA_WEBHOOK_ALLOW: '[::1]:*',
    NOEMA_CONNECTOR_ALLOW: '',
  }
  expect(findLoopback(env)).toEqual(['NOEMA_WEBHOOK_ALLOW: [::1]:*', 'NOEMA_PROVIDER_ALLOW: localhost:11434'])
})
