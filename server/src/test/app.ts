import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import type { DestinationStream } from 'pino'
import { createApp } from '../app.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../shared/log.ts'
import { addAmpleRates } from './ample-rates.ts'
import { cheapPasswords } from './cheap-passwords.ts'
import { createTestClock } from './clock.ts'
import { createTestDatabase } from './database.ts'
import { checkDeclared } from './declared-errors.ts'
import { insertMember, testPassword } from './members.ts'
import { createSender, type SentAnswer } from './send.ts'

export const publicUrl = 'http://noema.test'

/** The secret of every test app: nodes of one database share theirs. */
export const testSecret = 'test-secret-test-secret-test-secret'

// Embeddings are off because they need a separate process; tests of embeddings turn them on.
const testSettings = {
  NOEMA_PORT: '0',
  NOEMA_PUBLIC_URL: publicUrl,
  NOEMA_DATABASE_POOL: '10',
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*',
  NOEMA_PROVIDER_ALLOW: '127.0.0.1:*',
  NOEMA_CONNECTOR_ALLOW: '127.0.0.1:*',
  NOEMA_SHARED_RUNS: 'true',
  // Tests share a machine that may be busy.
  NOEMA_MAX_WAIT: '60000',
  // All tests send from one address, many with one key, some with a stopped clock. Tests of rates set their own.
  NOEMA_ADDRESS_RATE: '100000/1000000',
  NOEMA_FAILURE_RATE: '100000/1000000',
  NOEMA_DAILY_SIGN_UPS: '1000000',
  NOEMA_APP_REGISTRATIONS: '1000000',
}

/** `npm run test:citus -- --workers`: nodes of tests connect to the workers of the cluster, too. */
const clusterSettings = process.env.NOEMA_TEST_WORKERS === 'on' ? { NOEMA_DATABASE_WORKER_POOL: '4' } : {}

const readTestConfig = (env: Record<string, string>) =>
  readConfig({ ...testSettings, ...clusterSettings, ...env, NOEMA_TIERS: addAmpleRates(env.NOEMA_TIERS) }, '/')

/** An answer of the API, with its body parsed. */
export type Answered = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
  body: any
}

// Streams of lines are read by the tests that are about them.
const parseBody = ({ headers, text }: SentAnswer) =>
  text !== '' && headers.get('content-type')?.includes('application/json') ? JSON.parse(text) : undefined

type RequestOptions = { key?: string; headers?: Record<string, string>; body?: unknown }

/** Sends requests to one node. Every kind and code of an error must be declared by the contract of its endpoint. */
export const createRequester = (base: string) => {
  const send = createSender(base)
  return async (method: string, path: string, { key, headers = {}, body }: RequestOptions = {}): Promise<Answered> => {
    const answer = await send(path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const parsed = parseBody(answer)
    checkDeclared(method, path, parsed)
    return { status: answer.status, headers: answer.headers, body: parsed }
  }
}

export type Requester = ReturnType<typeof createRequester>

/** Keeps log lines, so that a test can read what an operator would. */
const createLogSink = () => {
  const lines: string[] = []
  const sink: DestinationStream = { write: (line) => void lines.push(line) }
  return { lines, sink }
}

/** The whole service on its own database and port, with a clock that a test moves. */
export const startTestApp = async (
  env: Record<string, string> = {},
  // The database proxy, for a test that cuts the app off from its database.
  {
    reach = (url) => url,
    prepare,
    create = createTestDatabase,
  }: {
    reach?: (databaseUrl: string) => string
    /** Creates its database. */
    create?: () => ReturnType<typeof createTestDatabase>
    /** Prepares the database before the app opens it. */
    prepare?: (pool: Pool) => Promise<void>
  } = {},
) => {
  const database = await create()
  await prepare?.(database.pool)
  const clock = createTestClock()
  const { lines, sink } = createLogSink()
  const config = readTestConfig(env)
  const parts = {
    config,
    address: reach(database.url),
    secret: testSecret,
    passwords: cheapPasswords,
    clock,
    log: createLog(config.logLevel, sink),
  }
  const app = await createApp(parts)
  const { port } = await app.listen()
  const base = `http://127.0.0.1:${port}`
  const request = createRequester(base)
  return {
    app,
    base,
    clock,
    database,
    logLines: lines,
    request,
    /** Another node over the same database, with other settings if need be. */
    startNode: async (otherEnv: Record<string, string> = {}) => {
      const node = await createApp({ ...parts, config: readTestConfig({ ...env, ...otherEnv }) })
      const { port: nodePort, metricsPort } = await node.listen()
      return {
        ...{ app: node, metricsPort },
        base: `http://127.0.0.1:${nodePort}`,
        request: createRequester(`http://127.0.0.1:${nodePort}`),
        workers: node.workers,
        close: node.close,
      }
    },
    close: async () => {
      await app.close()
      await database.drop()
    },
  }
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

const toCookie = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

/** Signs a person up, as a browser on the service's own pages does. */
export const signUp = async ({ request }: TestApp, email = `${randomBytes(5).toString('hex')}@example.com`) => {
  const headers = { origin: publicUrl }
  const signedUp = await request('POST', '/api/auth/sign-up/email', {
    headers,
    body: { email, password: testPassword, name: 'Somebody' },
  })
  const cookie = toCookie(signedUp.headers)
  const whoami = await request('GET', '/v1/whoami', { headers: { ...headers, cookie } })
  const organizationId: string = whoami.body.data.organizations[0].id
  return { email, cookie, organizationId, session: { ...headers, cookie, 'x-organization-id': organizationId } }
}

/** The link of the newest mail to an address, found where an operator without a mail server finds it: in the log. */
export const mailedLink = ({ logLines }: TestApp, email: string): URL => {
  const lines = logLines.filter((line) => line.includes(email)).map((line) => JSON.parse(line))
  const mails = lines.filter((line) => line.mail?.to === email)
  const link = /https?:\/\/\S+/.exec(mails.at(-1)?.mail.text ?? '')
  return new URL(link?.[0] ?? 'no-mail:')
}

const insertSignedIn = async ({ app, clock }: TestApp) => {
  const { publicUrl: deployedAt } = app.deps
  const member = await insertMember(app.db, { secret: testSecret, publicUrl: deployedAt, now: clock.now() })
  const session = { origin: publicUrl, cookie: member.cookie, 'x-organization-id': member.organizationId }
  return { ...member, session }
}

type SignedIn = Awaited<ReturnType<typeof signUp>>

const withKey = async (test: TestApp, member: SignedIn) => {
  const minted = await test.request('POST', '/v1/keys', { headers: member.session, body: { name: 'test' } })
  const key: string = minted.body.data.secret
  return { ...member, key, keyId: minted.body.data.key.id as string }
}

/** Signs a person up, confirms the address, and mints a management key: for tests of these requests. */
export const signUpMember = async (test: TestApp) => {
  const member = await signUp(test)
  const link = mailedLink(test, member.email)
  await fetch(test.base + link.pathname + link.search, { redirect: 'manual', headers: { cookie: member.cookie } })
  return withKey(test, member)
}

/** Creates a person with an organization and a management key. Only unconfirmed people sign up by requests. */
export const createMember = async (test: TestApp, { verified = true }: { verified?: boolean } = {}) =>
  withKey(test, verified ? await insertSignedIn(test) : await signUp(test))

export type TestMember = Awaited<ReturnType<typeof createMember>>

/** Another Brain of a member's organization. */
export const addBrain = async (test: TestApp, member: TestMember, handle: string) => {
  const made = await test.request('PUT', `/v1/brains/${handle}`, { key: member.key, body: {} })
  const path = `/v1/brains/${handle}`
  return {
    ...member,
    brain: made.body.data.brain,
    path,
    /** Sends a request below the Brain's path, by the management key unless another is given. */
    call: (method: string, below: string, body?: unknown, extra: RequestOptions = {}) =>
      test.request(method, path + below, { key: member.key, ...extra, ...(body === undefined ? {} : { body }) }),
    /** Mints a Brain key with these capabilities and returns its secret. */
    mintKey: async (capabilities: string[]): Promise<string> => {
      const minted = await test.request('POST', `${path}/keys`, {
        key: member.key,
        body: { name: 'test', capabilities },
      })
      return minted.body.data.secret
    },
  }
}

export type TestBrain = Awaited<ReturnType<typeof addBrain>>

/** A Brain of a new organization, with its management key. */
export const createBrain = async (test: TestApp, handle = 'brain', options: { verified?: boolean } = {}) =>
  addBrain(test, await createMember(test, options), handle)
