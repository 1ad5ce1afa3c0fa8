import fastify from 'fastify'
import type { KyselyPlugin } from 'kysely'
import { endAccess } from '../../access/end-access.ts'
import { createAccounts } from '../../features/accounts/auth/auth.ts'
import { createMail } from '../../features/platform/mail/mail.ts'
import type { Clock } from '../../shared/clock.ts'
import { unavailable } from '../../shared/errors.ts'
import { createLog } from '../../shared/log.ts'
import { cheapPasswords } from '../../test/cheap-passwords.ts'
import { createTestDatabase } from '../../test/database.ts'
import { trustedOrigins } from '../request/origin.ts'
import { registerAuthRoutes } from './auth-routes.ts'

/** For tests that are not about how much may be open at once. */
export const unlimited = {
  take: () => () => undefined,
  wait: async () => () => undefined,
  tryTake: () => () => undefined,
  hasNewcomer: () => false,
  addSlot: () => undefined,
  refuse: () => unavailable('Everything is in use.'),
}

export const publicUrl = 'http://localhost:4100'

type Call = { body?: object; cookie?: string | undefined; headers?: Record<string, string> }

/** Records each statement, without its values. */
const recordTo = (statements: string[]): KyselyPlugin => ({
  transformQuery: ({ node }) => {
    statements.push(node.kind === 'RawNode' ? node.sqlFragments.join('$') : node.kind)
    return node
  },
  transformResult: async ({ result }) => result,
})

type Settings = {
  rateLimit?: { windowSeconds: number; max: number }
  /** The documents of the internet, by their address. */
  documents?: Readonly<Record<string, object>>
}

/** Accounts on a real database, with a log and the statements that they run. */
const openAccounts = async ({ documents = {}, ...settings }: Settings) => {
  const fetchDocument: typeof fetch = async (url) => {
    const document = documents[String(url)]
    return document ? Response.json(document) : new Response(null, { status: 404 })
  }
  const database = await createTestDatabase()
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => logged.push(line) })
  const clock: Clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
  const origins = { publicUrl, appUrl: publicUrl, trustedOrigins: ['https://app.example'] }
  const trusted = trustedOrigins(origins)
  const statements: string[] = []
  const accounts = createAccounts({
    db: database.db.withPlugin(recordTo(statements)),
    ...{ log, clock, endAccess, passwords: cheapPasswords, fetchDocument },
    mail: createMail({ db: database.db, clock, log, delivers: false }),
    settings: {
      ...origins,
      trustedOrigins: [...trusted],
      secret: 'a secret of the tests, 32 characters',
      signIn: {
        password: true,
        signUp: 'open',
        dailySignUps: 1_000,
        appRegistrations: 1_000,
        openIdProvider: undefined,
      },
      maxOrganizations: { unverified: 1, verified: 20 },
      maxDailyInvitations: 100,
      maxKeys: 1_000,
      ...settings,
    },
  })
  return { database, logged, log, trusted, statements, accounts }
}

/** /api/auth on a real database, with a person's browser to call it by. */
export const startAuthApp = async (settings: Settings = {}) => {
  const { database, logged, log, trusted, statements, accounts } = await openAccounts(settings)
  const app = fastify()
  registerAuthRoutes(app, { accounts, trusted, log, open: unlimited, basePath: '', appUrl: publicUrl })

  const callFrom = async (
    remoteAddress: string,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { body, cookie, headers = {} }: Call = {},
  ) => {
    const response = await app.inject({
      method,
      remoteAddress,
      url: `/api/auth${path}`,
      headers: { origin: publicUrl, ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { payload: body }),
    })
    const cookies = [response.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0])
    return {
      status: response.statusCode,
      headers: response.headers,
      cookie: cookies.join('; '),
      body: parsed(response.body),
    }
  }

  const call = (method: 'GET' | 'POST' | 'PUT', path: string, sent: Call = {}) =>
    callFrom('127.0.0.1', method, path, sent)

  const mailTo = async (address: string) => {
    const { rows } = await database.pool.query<{ subject: string; body: string }>(
      'select subject, body from mail_outbox where recipient = $1 order by id desc',
      [address],
    )
    return rows
  }

  /** The path under /api/auth that the newest mail to this address links to. */
  const linkTo = async (address: string): Promise<string> => {
    const [mail] = await mailTo(address)
    return /\/api\/auth(\/\S+)/.exec(mail?.body ?? '')?.[1] ?? ''
  }

  const signUp = (email: string, extra: object = {}) =>
    call('POST', '/sign-up/email', {
      body: { email, password: 'correct horse battery', name: 'Ada Lovelace', ...extra },
    })

  /** Signs up, opens the mail's link, and answers the session's cookie. */
  const verifiedUser = async (email: string) => {
    const { cookie, body } = await signUp(email)
    await call('GET', await linkTo(email), { cookie })
    return { cookie, userId: String(body.user?.id) }
  }

  const close = async () => {
    await app.close()
    await database.drop()
  }
  return {
    ...database,
    app,
    accounts,
    statements,
    log,
    logged,
    call,
    callFrom,
    mailTo,
    linkTo,
    signUp,
    verifiedUser,
    close,
  }
}

export type AuthApp = Awaited<ReturnType<typeof startAuthApp>>

type Body = Record<string, unknown> & { code?: string; message?: string; user?: Record<string, unknown>; id?: string }

const parsed = (text: string): Body => {
  try {
    return (JSON.parse(text) ?? {}) as Body
  } catch {
    return {}
  }
}
