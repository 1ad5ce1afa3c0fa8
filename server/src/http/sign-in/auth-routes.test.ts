import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AuthApp, publicUrl, startAuthApp } from './auth-app.fixture.ts'

let auth: AuthApp
beforeAll(async () => {
  auth = await startAuthApp()
})
afterAll(() => auth.close())

const password = 'correct horse battery'

test('AUT-11 sign-up needs no invitation and answers a session whose cookie works at once', async () => {
  const signedUp = await auth.signUp('ada@example.com', { inviteCode: 'not-a-code' })
  expect(signedUp.status).toBe(200)
  const cookies = [signedUp.headers['set-cookie']].flat()
  expect(cookies).toContainEqual(expect.stringMatching(/^noema\.session_token=.*HttpOnly.*SameSite=Lax/i))
  expect(cookies.join()).not.toContain('Secure')
  const session = await auth.call('GET', '/get-session', { cookie: signedUp.cookie })
  expect(session).toMatchObject({ status: 200, body: { user: { email: 'ada@example.com' } } })
})

test('AUT-12 a new account is unverified until its address is confirmed', async () => {
  const { cookie, body } = await auth.signUp('unverified@example.com')
  expect(body.user).toMatchObject({ emailVerified: false })
  await auth.call('GET', await auth.linkTo('unverified@example.com'), { cookie })
  const session = await auth.call('GET', '/get-session', { cookie })
  expect(session.body.user).toMatchObject({ emailVerified: true })
})

test('AUT-11 sign-in is refused until the link of the mail was opened', async () => {
  await auth.signUp('link@example.com')
  const body = { email: 'link@example.com', password }
  const refused = await auth.call('POST', '/sign-in/email', { body })
  expect(refused).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } })
  expect(refused.cookie).toBe('')
  const opened = await auth.call('GET', await auth.linkTo('link@example.com'))
  expect(opened).toMatchObject({ status: 302, headers: { location: `${publicUrl}/` } })
  const signedIn = await auth.call('POST', '/sign-in/email', { body })
  expect(signedIn.status).toBe(200)
  expect((await auth.call('GET', '/get-session', { cookie: signedIn.cookie })).body.user).toBeDefined()
})

test('the verification mail can be sent again', async () => {
  const { cookie } = await auth.signUp('again@example.com')
  const sent = await auth.call('POST', '/send-verification-email', { cookie, body: { email: 'again@example.com' } })
  expect(sent.status).toBe(200)
  expect(await auth.mailTo('again@example.com')).toHaveLength(2)
})

test('a forged verification link confirms nothing', async () => {
  expect(await auth.call('GET', '/verify-email?token=forged')).toMatchObject({
    status: 401,
    body: { code: 'INVALID_TOKEN' },
  })
})

test('an address signs up once', async () => {
  await auth.signUp('twice@example.com')
  const second = await auth.signUp('Twice@Example.com')
  expect(second).toMatchObject({ status: 422, body: { code: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL' } })
  expect(second.cookie).toBe('')
})

test('two sign-ups of one address at the same moment make one account', async () => {
  const answers = await Promise.all([auth.signUp('race@example.com'), auth.signUp('race@example.com')])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422])
})

test('a wrong password and an unknown address are the same 401', async () => {
  await auth.verifiedUser('known@example.com')
  for (const email of ['known@example.com', 'unknown@example.com']) {
    const refused = await auth.call('POST', '/sign-in/email', { body: { email, password: 'wrong password' } })
    expect(refused).toMatchObject({ status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } })
  }
})

test('sign-out ends the session', async () => {
  const { cookie } = await auth.signUp('out@example.com')
  expect((await auth.call('POST', '/sign-out', { cookie })).status).toBe(200)
  expect((await auth.call('GET', '/get-session', { cookie })).body.user).toBeUndefined()
})

test('a password is changed, and a forgotten one replaced by the link of a mail', async () => {
  const email = 'forgetful@example.com'
  const { cookie } = await auth.verifiedUser(email)
  const changed = { currentPassword: password, newPassword: 'the second password' }
  expect((await auth.call('POST', '/change-password', { cookie, body: changed })).status).toBe(200)
  expect((await auth.call('POST', '/request-password-reset', { body: { email } })).status).toBe(200)
  const [mail] = await auth.mailTo(email)
  const token = /reset-password\?token=(\S+)/.exec(mail?.body ?? '')?.[1]
  const reset = await auth.call('POST', '/reset-password', { body: { token, newPassword: 'the third password' } })
  expect(reset.status).toBe(200)
  const signIn = (attempt: string) => auth.call('POST', '/sign-in/email', { body: { email, password: attempt } })
  expect((await signIn('the second password')).status).toBe(401)
  expect((await signIn('the third password')).status).toBe(200)
  expect((await auth.call('GET', '/get-session', { cookie })).body.user).toBeUndefined()
})

test('D-13 a member is invited by mail, joins, and is removed by the owner', async () => {
  const owner = await auth.verifiedUser('owner@example.com')
  const guest = await auth.verifiedUser('guest@example.com')
  const listed = await auth.app.inject({
    url: '/api/auth/organization/list',
    headers: { cookie: owner.cookie, origin: publicUrl },
  })
  const organizationId = listed.json()[0].id
  const invited = await auth.call('POST', '/organization/invite-member', {
    cookie: owner.cookie,
    body: { email: 'guest@example.com', role: 'member', organizationId },
  })
  expect(invited.status).toBe(200)
  const [mail] = await auth.mailTo('guest@example.com')
  expect(mail?.body).toContain(`${publicUrl}/accept-invitation?id=${invited.body.id}`)

  const acceptAs = (cookie: string) =>
    auth.call('POST', '/organization/accept-invitation', { cookie, body: { invitationId: invited.body.id } })
  const stranger = await auth.verifiedUser('stranger@example.com')
  expect((await acceptAs(stranger.cookie)).status).toBe(403)
  expect((await acceptAs(guest.cookie)).status).toBe(200)

  const members = () =>
    auth.pool.query('select role from member where "organizationId" = $1 order by role', [organizationId])
  expect((await members()).rows).toEqual([{ role: 'member' }, { role: 'owner' }])
  const removal = { memberIdOrEmail: 'guest@example.com', organizationId }
  expect(
    (await auth.call('POST', '/organization/remove-member', { cookie: guest.cookie, body: removal })).status,
  ).not.toBe(200)
  expect((await auth.call('POST', '/organization/remove-member', { cookie: owner.cookie, body: removal })).status).toBe(
    200,
  )
  expect((await members()).rows).toEqual([{ role: 'owner' }])
})

test('an organization is not deleted by its owner', async () => {
  const { cookie } = await auth.verifiedUser('deleter@example.com')
  const { rows } = await auth.pool.query(
    `select "organizationId" as id from member join "user" on "user".id = "userId" where email = 'deleter@example.com'`,
  )
  const refused = await auth.call('POST', '/organization/delete', { cookie, body: { organizationId: rows[0].id } })
  expect(refused.status).toBe(404)
})

test('fifty people sign up from one address at once', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => auth.signUp(`crowd${index}@example.com`)))
  expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200))
})

test('a first operator finds the link of the verification mail in the log', async () => {
  await auth.signUp('operator@example.com')
  expect(
    auth.logged.some((line) => line.includes('operator@example.com') && line.includes('/verify-email?token=')),
  ).toBe(true)
})

test('no password reaches the log', async () => {
  await auth.signUp('quiet@example.com', { password: 'never-to-be-logged' })
  await auth.call('POST', '/sign-in/email', { body: { email: 'quiet@example.com', password: 'never-to-be-logged' } })
  expect(auth.logged.join()).not.toContain('never-to-be-logged')
})
