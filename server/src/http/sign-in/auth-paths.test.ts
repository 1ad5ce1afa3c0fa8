import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAccess } from '../../access/end-access.ts'
import { createAfterAnswer } from '../../features/accounts/auth/after-answer.ts'
import { openBetterAuth } from '../../features/accounts/auth/better-auth.ts'
import { createMail } from '../../features/platform/mail/mail.ts'
import { systemClock } from '../../shared/clock.ts'
import { cheapPasswords } from '../../test/cheap-passwords.ts'
import { type AuthApp, publicUrl, startAuthApp } from './auth-app.fixture.ts'

// Every path that Better Auth and its plugins have: which of them are open, and to whom.

let auth: AuthApp
beforeAll(async () => {
  auth = await startAuthApp({ rateLimit: { windowSeconds: 60, max: 1_000 } })
})
afterAll(() => auth.close())

/** Open to everyone, to sessions, or to no one. */
type Access = 'all' | 'session' | 'none'

const paths: Readonly<Record<string, Access>> = {
  'GET /get-session': 'all',
  'POST /get-session': 'all',
  'POST /sign-out': 'all',
  'POST /sign-up/email': 'all',
  'POST /sign-in/email': 'all',
  'POST /sign-in/social': 'all',
  'GET /callback/:id': 'all',
  'GET /sign-in-methods': 'all',
  'GET /verify-email': 'all',
  'POST /send-verification-email': 'all',
  'POST /request-password-reset': 'all',
  'POST /reset-password': 'all',
  'POST /request-sign-in-unlock': 'all',
  'POST /unlock-sign-in': 'all',
  'GET /reset-password/:token': 'all',
  'GET /ok': 'all',
  'GET /error': 'none',
  'POST /verify-password': 'none',
  'POST /change-email': 'session',
  'POST /change-password': 'session',
  'POST /update-user': 'session',
  'POST /update-session': 'session',
  'POST /delete-user': 'none',
  'GET /delete-user/callback': 'none',
  'GET /list-sessions': 'session',
  'POST /revoke-session': 'session',
  'POST /revoke-sessions': 'session',
  'POST /revoke-other-sessions': 'session',
  'GET /list-accounts': 'session',
  'POST /link-social': 'none',
  'POST /unlink-account': 'none',
  'POST /refresh-token': 'none',
  'POST /get-access-token': 'none',
  'GET /account-info': 'none',
  'POST /two-factor/enable': 'session',
  'POST /two-factor/disable': 'session',
  'POST /two-factor/generate-backup-codes': 'session',
  'POST /two-factor/verify-totp': 'all',
  'POST /two-factor/verify-backup-code': 'all',
  'POST /two-factor/send-otp': 'none',
  'POST /two-factor/verify-otp': 'none',
  'POST /two-factor/get-totp-uri': 'none',
  'GET /passkey/generate-register-options': 'session',
  'POST /passkey/verify-registration': 'session',
  'GET /passkey/generate-authenticate-options': 'all',
  'POST /passkey/verify-authentication': 'all',
  'GET /passkey/list-user-passkeys': 'session',
  'POST /passkey/delete-passkey': 'session',
  'POST /passkey/update-passkey': 'session',
  'GET /oauth2/authorize': 'all',
  'POST /oauth2/authorize': 'none',
  'POST /oauth2/register': 'all',
  'POST /oauth2/token': 'all',
  'POST /oauth2/revoke': 'all',
  'POST /oauth2/request': 'session',
  'POST /oauth2/consent': 'session',
}

/** Bodies that are read, so that nothing but access decides. */
const bodies: Readonly<Record<string, object>> = {
  '/change-email': { newEmail: 'new@example.com' },
  '/change-password': { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
  '/two-factor/enable': { password: 'x' },
  '/two-factor/disable': { password: 'x' },
  '/two-factor/generate-backup-codes': { password: 'x' },
  '/revoke-session': { token: 'x' },
  '/verify-password': { password: 'x' },
  '/passkey/verify-registration': { response: {} },
  '/passkey/delete-passkey': { id: 'x' },
  '/passkey/update-passkey': { id: 'x', name: 'x' },
  '/oauth2/request': { oauth_query: 'x' },
  '/oauth2/consent': { accept: true },
}

const opened = async () => {
  const mail = createMail({ db: auth.db, clock: systemClock, log: auth.log, delivers: false })
  const deps = {
    ...{ db: auth.db, clock: systemClock, log: auth.log, mail, endAccess, passwords: cheapPasswords },
    fetchDocument: fetch,
    settings: {
      ...{ secret: 'a secret of the tests, 32 characters', publicUrl, appUrl: publicUrl, trustedOrigins: [] },
      signIn: {
        password: true,
        signUp: 'open',
        dailySignUps: 1_000,
        appRegistrations: 1_000,
        openIdProvider: undefined,
      } as const,
      ...{ maxOrganizations: { unverified: 1, verified: 1 }, maxDailyInvitations: 1, maxKeys: 1 },
    },
  }
  const { api } = await openBetterAuth(deps, createAfterAnswer(auth.log))
  return Object.values(api).flatMap((endpoint) => {
    const { path, options } = endpoint as { path?: string; options?: { method?: string | string[] } }
    // The callback of a provider may be posted to, which no browser that comes from elsewhere can do here.
    const methods = [options?.method ?? []].flat().filter((method) => !(path === '/callback/:id' && method === 'POST'))
    return path === undefined || path.startsWith('/organization/') ? [] : methods.map((method) => `${method} ${path}`)
  })
}

test('AUT-10 every path of accounts is known here, with who may call it', async () => {
  const [known, all] = [new Set(Object.keys(paths)), await opened()]
  // Everything else of the OAuth provider is closed, also what its next version adds. `app-metadata.ts` answers for its metadata.
  const isOfProvider = (named: string) => /^\w+ \/(oauth2|admin)\//.test(named)
  const isMetadata = (named: string) => named.includes(' /.well-known/')
  const closed = all.filter((named) => isOfProvider(named) && !known.has(named))
  expect(closed.length).toBeGreaterThan(20)
  const { cookie } = await auth.verifiedUser('closed@example.com')
  for (const named of closed) {
    const { method, url } = toCall(named)
    const refused = await auth.app.inject({ method, url: `/api/auth${url}`, headers: { cookie, origin: publicUrl } })
    expect([named, refused.statusCode === 404 || refused.statusCode === 415]).toEqual([named, true])
  }
  expect(new Set(all.filter((named) => !closed.includes(named) && !isMetadata(named)))).toEqual(known)
})

const toCall = (named: string) => {
  const [method = 'GET', path = ''] = named.split(' ')
  const url = path
    .replace(':id', 'oidc')
    .replace(':token', 'token')
    .replace('/delete-user/callback', '/delete-user/callback?token=x')
  return { method: method as 'GET' | 'POST', path, url, body: method === 'POST' ? { body: bodies[path] ?? {} } : {} }
}

test.each(Object.keys(paths).filter((named) => paths[named] === 'none'))(
  'AUT-10 %s is closed, also to who is signed in',
  async (named) => {
    const { method, path, url, body } = toCall(named)
    const { cookie } = await auth.verifiedUser(`${path.replaceAll(/\W/g, '.').slice(1)}@example.com`)
    expect((await auth.call(method, url, { cookie, ...body })).status).toBe(404)
  },
)

test.each(Object.keys(paths).filter((named) => paths[named] === 'session'))(
  'AUT-10 %s is for who is signed in',
  async (named) => {
    const { method, url, body } = toCall(named)
    expect((await auth.call(method, url, body)).status).toBe(401)
  },
)

const openedByLinks = ['GET /callback/:id', 'GET /verify-email', 'GET /reset-password/:token', 'GET /oauth2/authorize']

/** Calls in which no cookie counts. */
const calledByApps = ['POST /oauth2/register', 'POST /oauth2/token', 'POST /oauth2/revoke']

test.each(Object.keys(paths).filter((named) => ![...openedByLinks, ...calledByApps].includes(named)))(
  'AUT-10 %s is not called by a page of another site',
  async (named) => {
    const { method, url, body } = toCall(named)
    const headers = { origin: 'https://evil.example' }
    const refused = await auth.call(method, url, { headers, ...body })
    expect(refused).toMatchObject({ status: 403, body: { code: 'MISSING_OR_NULL_ORIGIN' } })
  },
)

test('SUR-04 every path of accounts but the reading of the session is limited for each address', async () => {
  const limited = await startAuthApp({ rateLimit: { windowSeconds: 60, max: 1 } })
  // Apps have limits of their own (APP-09).
  const others = ['GET /error', 'POST /oauth2/authorize', 'POST /oauth2/register', 'POST /oauth2/token']
  for (const named of Object.keys(paths).filter((one) => !one.endsWith('/get-session') && !others.includes(one))) {
    const { method, url, body } = toCall(named)
    await limited.call(method, url, body)
    expect([named, (await limited.call(method, url, body)).status]).toEqual([named, 429])
  }
  await limited.close()
})
