import { expect, test } from 'vitest'
import { publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { confirmAddress } from '../../../test/organizations.ts'

// The events that end sessions, and the content of their rows in the database.

const app = useOwnApp()
const password = 'correct horse battery'
const headers = { origin: publicUrl }

const toCookie = (answer: { headers: Headers }) =>
  answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

const post = (path: string, body: object, cookie?: string) =>
  app.request('POST', `/api/auth/${path}`, { headers: { ...headers, ...(cookie && { cookie }) }, body })
const get = async (path: string, cookie: string) =>
  (await app.request('GET', `/api/auth/${path}`, { headers: { ...headers, cookie } })).body
const isAlive = async (cookie: string) => (await get('get-session', cookie)) !== null
const rows = async (statement: string) => (await app.database.pool.query(statement)).rows

const signIn = async (email: string) => toCookie(await post('sign-in/email', { email, password }))

/** A person with three sessions. */
const threeTimes = async () => {
  const person = await signUp(app)
  const { email } = person
  await confirmAddress(app, person)
  return { email, cookies: [await signIn(email), await signIn(email), await signIn(email)] as const }
}

test.each([{}, { revokeOtherSessions: false }])('a changed password ends every other session (%j)', async (asked) => {
  const { cookies } = await threeTimes()
  const [here, ...others] = cookies
  const body = { currentPassword: password, newPassword: 'the second password', ...asked }
  const changed = await post('change-password', body, here)
  expect(changed.status).toBe(200)
  expect(await Promise.all(others.map(isAlive))).toEqual([false, false])
  expect(await isAlive(toCookie(changed))).toBe(true)
})

test('a wrong current password changes nothing and ends nothing', async () => {
  const { cookies } = await threeTimes()
  const body = { currentPassword: 'not the password', newPassword: 'the second password' }
  expect((await post('change-password', body, cookies[0])).status).toBe(400)
  expect(await Promise.all(cookies.map(isAlive))).toEqual([true, true, true])
})

test('the database contains no token of a session, nor of a link for a new password', async () => {
  const { email, cookies } = await threeTimes()
  await post('request-password-reset', { email })
  const stored =
    JSON.stringify(await rows('select * from session')) + JSON.stringify(await rows('select * from verification'))
  const mails = JSON.stringify(await rows('select body from mail_outbox'))
  const resets = [...mails.matchAll(/reset-password\?token=(\w+)/g)].map(([, token]) => token ?? '')
  expect(resets).toHaveLength(1)
  const tokens = cookies.map((cookie) => decodeURIComponent(cookie).split('=')[1]?.split('.')[0] ?? '')
  for (const token of [...tokens, ...resets]) {
    expect(token.length).toBeGreaterThan(20)
    expect(stored).not.toContain(token)
  }
  expect((await post('reset-password', { token: resets[0], newPassword: 'the second password' })).status).toBe(200)
})

test('a stored session row is not a valid session', async () => {
  const { cookies } = await threeTimes()
  const [{ token }] = await rows('select token from session order by "createdAt" desc limit 1')
  expect(token).toMatch(/^sha256:[0-9a-f]{64}$/)
  const [name = ''] = cookies[2].split('=')
  expect(await isAlive(`${name}=${token}`)).toBe(false)
})

test('listed sessions have no tokens of others, and are ended one by one or all but the own', async () => {
  const { cookies } = await threeTimes()
  const [one, two, three] = cookies
  const listed: { id: string; token: string }[] = await get('list-sessions', one)
  for (const { id, token } of listed) expect(token).toBe(id)
  const { session } = await get('get-session', two)
  expect((await post('revoke-session', { token: session.id }, one)).status).toBe(200)
  expect(await Promise.all(cookies.map(isAlive))).toEqual([true, false, true])
  expect((await post('revoke-other-sessions', {}, one)).status).toBe(200)
  expect(await Promise.all([one, three].map(isAlive))).toEqual([true, false])
})

test('no one ends another person’s session', async () => {
  const [mine, theirs] = [await threeTimes(), await threeTimes()]
  const { session } = await get('get-session', theirs.cookies[0])
  await post('revoke-session', { token: session.id }, mine.cookies[0])
  expect(await isAlive(theirs.cookies[0])).toBe(true)
})

test('the token of a session that an older node makes is hashed on its way', async () => {
  await app.database.pool.query(`insert into session (id, "expiresAt", token, "userId")
    select 'of-an-older-node', now() + interval '1 day', 'plain', id from "user" limit 1`)
  const [row] = await rows(`select token from session where id = 'of-an-older-node'`)
  expect(row.token).toMatch(/^sha256:/)
})
