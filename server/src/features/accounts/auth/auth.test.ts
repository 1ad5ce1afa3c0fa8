import { oauthProvider } from '@better-auth/oauth-provider'
import { passkey } from '@better-auth/passkey'
import { getMigrations } from 'better-auth/db/migration'
import { organization } from 'better-auth/plugins/organization'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAccess } from '../../../access/end-access.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createLog } from '../../../shared/log.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createMail } from '../../platform/mail/mail.ts'
import { type Accounts, createAccounts, hasAccounts } from './auth.ts'
import { scryptPasswords } from './passwords.ts'

const log = createLog('silent')
const secret = 'a secret of the tests, 32 characters'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let accounts: Accounts
const accountsAt = (publicUrl: string) =>
  createAccounts({
    db: database.db,
    ...{ log, clock: systemClock, endAccess, passwords: scryptPasswords, fetchDocument: fetch },
    mail: createMail({ db: database.db, clock: systemClock, log, delivers: false }),
    settings: {
      ...{ secret, publicUrl, appUrl: publicUrl, trustedOrigins: [publicUrl] },
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
    },
  })

beforeAll(async () => {
  database = await createTestDatabase()
  accounts = accountsAt('http://localhost:4100')
})
afterAll(() => database.drop())

const post = (path: string, body: object, on = accounts) =>
  on.handle(
    new Request(`http://localhost/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    '127.0.0.1',
  )
const signUp = (email: string, name: string, on = accounts) =>
  post('/sign-up/email', { email, name, password: 'correct horse battery' }, on)

const toCookie = (response: Response) =>
  new Headers({ cookie: (response.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' })

const listOrganizations = async (email: string) => {
  const { rows } = await sql<{ name: string; slug: string; role: string; tier: string }>`
    select organization.name, slug, role, tier
      from organization join member on member."organizationId" = organization.id join "user" on "user".id = "userId"
     where email = ${email} order by slug`.execute(database.db)
  return rows
}

test('there is no account until one is created', async () => {
  expect(await hasAccounts(database.db)).toBe(false)
  await signUp('first@example.com', 'First')
  expect(await hasAccounts(database.db)).toBe(true)
})

test('the tables are what this version of Better Auth expects', async () => {
  // Its own type does not fit exact optional properties.
  const provider: { id: 'oauth-provider' } = oauthProvider({ loginPage: '/', consentPage: '/', disableJwtPlugin: true })
  const { toBeCreated, toBeAdded } = await getMigrations({
    database: { db: database.db, type: 'postgres' },
    baseURL: 'http://localhost:4100',
    secret,
    plugins: [organization(), twoFactor(), passkey(), provider],
  })
  // Rows that have none here: `app-storage.ts` answers in their place.
  const withoutRows = ['oauthResource', 'oauthClientResource', 'oauthConsent', 'oauthClientAssertion']
  expect({ toBeCreated: toBeCreated.map(({ table }) => table), toBeAdded }).toEqual({
    ...{ toBeCreated: withoutRows, toBeAdded: [] },
  })
})

test('D-11 sign-up makes an organization named after the person, who owns it', async () => {
  await signUp('zoe@example.com', 'Zoë  Ångström')
  expect(await listOrganizations('zoe@example.com')).toEqual([
    { name: 'Zoë  Ångström', slug: expect.stringMatching(/^zoe-angstrom-[0-9a-f]{10}$/), role: 'owner', tier: 'free' },
  ])
})

test('people of one name, or of none, have organizations of their own', async () => {
  await signUp('same1@example.com', 'Same')
  await signUp('same2@example.com', 'Same')
  await signUp('nameless@example.com', ' ')
  await signUp('kanji@example.com', '山田')
  expect((await listOrganizations('same2@example.com'))[0]?.slug).not.toBe(
    (await listOrganizations('same1@example.com'))[0]?.slug,
  )
  expect(await listOrganizations('nameless@example.com')).toMatchObject([{ name: 'nameless' }])
  expect(await listOrganizations('kanji@example.com')).toMatchObject([{ name: '山田' }])
})

test.each([
  ['member', 'its organization'],
  ['session', 'its session'],
  ['mail_outbox', 'its verification mail'],
])('a sign-up that fails at %s leaves nothing behind, and can be repeated', async (table) => {
  const email = `${table}@example.com`
  await database.pool.query(`alter table ${table} add constraint refused check (false) not valid`)
  await expect(signUp(email, 'Repeated')).rejects.toThrow(/refused/)
  const { rows } = await database.pool.query('select id from "user" where email = $1', [email])
  expect(rows).toEqual([])
  await database.pool.query(`alter table ${table} drop constraint refused`)
  expect((await signUp(email, 'Repeated')).status).toBe(200)
  expect(await listOrganizations(email)).toHaveLength(1)
})

test('a session is read from its cookie, with whose it is', async () => {
  const signedUp = await signUp('ada@example.com', 'Ada')
  expect(await accounts.session(toCookie(signedUp))).toEqual({
    userId: expect.any(String),
    email: 'ada@example.com',
    emailVerified: false,
    sessionId: expect.any(String),
    signedInAt: expect.any(Date),
  })
})

test('no cookie, a forged one, and one of an ended session are no session', async () => {
  const headers = toCookie(await signUp('ended@example.com', 'Ended'))
  await database.pool.query(`update session set "expiresAt" = now() - interval '1 second'
    where "userId" = (select id from "user" where email = 'ended@example.com')`)
  expect(await accounts.session(headers)).toBeUndefined()
  expect(await accounts.session(new Headers())).toBeUndefined()
  expect(await accounts.session(new Headers({ cookie: 'noema.session_token=forged.signature' }))).toBeUndefined()
})

test('SUR-09 a failed statement is thrown, never answered as no session', async () => {
  const headers = toCookie(await signUp('outage@example.com', 'Outage'))
  await database.pool.query('alter table session rename to session_gone')
  await expect(accounts.session(headers)).rejects.toThrow(/"session" does not exist/)
  await database.pool.query('alter table session_gone rename to session')
  expect(await accounts.session(headers)).toBeDefined()
})

test('cookies are for https alone where the public URL is https', async () => {
  const signedUp = await signUp('secure@example.com', 'Secure', accountsAt('https://noema.example'))
  expect(signedUp.headers.getSetCookie()[0]).toMatch(/^__Secure-noema\.session_token=.*Secure/)
})

test('D-84 a first administrator is made verified, with an organization, and signs in', async () => {
  const made = await accounts.createVerified({ email: 'Admin@Example.com', password: 'a long password', name: 'Admin' })
  expect(made).toEqual({ userId: expect.any(String), organizationId: expect.any(String) })
  expect(await listOrganizations('admin@example.com')).toMatchObject([{ name: 'Admin', role: 'owner' }])
  const signedIn = await post('/sign-in/email', { email: 'admin@example.com', password: 'a long password' })
  expect(await accounts.session(toCookie(signedIn))).toMatchObject({ userId: made.userId, emailVerified: true })
})

test.each([
  ['a taken address', { email: 'admin@example.com', password: 'a long password' }, 'conflict'],
  ['no address', { email: 'admin', password: 'a long password' }, 'validation'],
  ['a short password', { email: 'other@example.com', password: 'short' }, 'validation'],
])('an administrator with %s is refused', async (_case, account, kind) => {
  await expect(accounts.createVerified(account)).rejects.toMatchObject({ kind })
})
