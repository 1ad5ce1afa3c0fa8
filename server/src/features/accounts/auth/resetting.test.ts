import { expect, test } from 'vitest'
import { publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { confirmAddress } from '../../../test/organizations.ts'
import { toCode } from '../../../test/totp.ts'
import { resetAccount } from './resetting.ts'

const app = useOwnApp()
const password = 'correct horse battery'

test('AUT-15 the operator resets the sign-in of a person who lost the phone: the password stays, sessions end, keys continue', async () => {
  const person = await signUp(app)
  await confirmAddress(app, person)
  const { email, session } = person
  const headers = { ...session }
  const post = async (path: string, body: object) => {
    const answer = await app.request('POST', `/api/auth/${path}`, { headers, body })
    const cookie = answer.headers.getSetCookie().find((one) => one.startsWith('noema.session_token='))
    if (cookie) headers.cookie = cookie.split(';')[0] ?? ''
    return answer
  }
  const { secret } = (await app.request('POST', '/v1/keys', { headers, body: { name: 'agent' } })).body.data
  const { totpURI } = (await post('two-factor/enable', { password })).body
  await post('two-factor/verify-totp', { code: toCode(totpURI) })
  await app.database.pool.query(`insert into account (id, "accountId", "providerId", "userId")
    select 'identity', 'https://issuer.example somebody', 'oidc', id from "user"`)
  const deps = { db: app.app.db, clock: app.clock }
  expect(await resetAccount(deps, ` ${email.toUpperCase()}`)).toEqual({
    ...{ email, passkeys: 0, twoFactor: true, identities: 1, sessions: 1 },
  })
  expect((await app.request('GET', '/v1/whoami', { headers })).status).toBe(401)
  const signedIn = await app.request('POST', '/api/auth/sign-in/email', {
    headers: { origin: publicUrl },
    body: { email, password },
  })
  expect(signedIn.body.twoFactorRedirect).toBeUndefined()
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const log = await app.request('GET', '/v1/audit', { headers: { ...session, cookie } })
  expect(log.body.data.entries.slice(-2)).toMatchObject([
    { action: 'account.two_factor_disabled', actor: { type: 'system', id: 'operator' } },
    { action: 'account.sign_in_unlinked', actor: { type: 'system', id: 'operator' } },
  ])
  expect((await app.request('GET', '/v1/whoami', { key: secret })).status).toBe(200)
  await expect(resetAccount(deps, 'nobody@example.com')).rejects.toMatchObject({ kind: 'not_found' })
})
