import { beforeAll, expect, test } from 'vitest'
import { createMember, publicUrl, signUp, type TestApp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { callOrganizations } from '../../../test/organizations.ts'

// The rules for creating accounts, and the number of accounts that a network may create (R6).

const app = useOwnApp({ NOEMA_ROLES: 'http' })
let owner: Awaited<ReturnType<typeof createMember>>
let invited: Awaited<ReturnType<TestApp['startNode']>>
let closed: Awaited<ReturnType<TestApp['startNode']>>
let people = 0

type Node = Pick<TestApp, 'request'>
const trySignUp = (node: Node, extra: object = {}) =>
  node.request('POST', '/api/auth/sign-up/email', {
    headers: { origin: publicUrl },
    body: { email: `person${++people}@example.com`, password: 'correct horse battery', name: 'Ada', ...extra },
  })
const readSignUp = async (node: Node) =>
  (await node.request('GET', '/api/auth/sign-in-methods', { headers: { origin: publicUrl } })).body.signUp
const counted = async () => (await app.database.pool.query('select count(*)::int as count from "user"')).rows[0].count

beforeAll(async () => {
  invited = await app.startNode({ NOEMA_SIGN_UP: 'invited' })
  closed = await app.startNode({ NOEMA_SIGN_UP: 'closed' })
  return async () => {
    await invited.close()
    await closed.close()
  }
})

test('AUT-17 the first account may sign up under every setting, and pages show who else may', async () => {
  expect([await readSignUp(app), await readSignUp(invited), await readSignUp(closed)]).toEqual(['open', 'open', 'open'])
  expect((await trySignUp(closed)).status).toBe(200)
  owner = await createMember(app)
  const reported = [await readSignUp(app), await readSignUp(invited), await readSignUp(closed)]
  expect(reported).toEqual(['open', 'invited', 'closed'])
})

test('AUT-17 a closed sign-up lets no one create an account, and the refusal does not reveal who has one', async () => {
  const before = await counted()
  const answers = [await trySignUp(closed), await trySignUp(closed, { email: owner.email })]
  for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'SIGN_UP_CLOSED'])
  expect(answers[0]?.body).toEqual(answers[1]?.body)
  expect(await counted()).toBe(before)
})

const invite = async (email: string) =>
  (
    await callOrganizations(app, owner, 'invite-member', {
      ...{ email, role: 'member', organizationId: owner.organizationId },
    })
  ).body.id as string

test('AUT-17 a sign-up by invitation lets an address in by the id that was mailed to it', async () => {
  const id = await invite('guest@example.com')
  const refused = [
    await trySignUp(invited),
    await trySignUp(invited, { email: owner.email }),
    await trySignUp(invited, { email: 'guest@example.com' }),
    await trySignUp(invited, { invitationId: id }),
    await trySignUp(invited, { email: 'guest@example.com', invitationId: 'another' }),
  ]
  for (const { status, body } of refused) expect([status, body]).toEqual([403, refused[0]?.body])
  expect(refused[0]?.body.code).toBe('SIGN_UP_INVITED')
  expect((await trySignUp(invited, { email: 'Guest@example.com', invitationId: id })).status).toBe(200)
  const cancelled = await invite('other@example.com')
  await callOrganizations(app, owner, 'cancel-invitation', { invitationId: cancelled })
  const late = await trySignUp(invited, { email: 'other@example.com', invitationId: cancelled })
  expect(late.body).toEqual(refused[0]?.body)
})

const insertCode = (code: string, { uses, days = 1 }: { uses: number | null; days?: number }) =>
  app.database.pool.query(
    `insert into invitation_codes (id, code, label, tier, max_uses, expires_at, created_by, created_at, updated_at)
     values ($1, $1, 'test', 'business', $2, now() + $3 * interval '1 day', 'test', now(), now())`,
    [code, uses, days],
  )

test('AUT-17 D-19 an invitation code lets in as many as it may, also when they come at once', async () => {
  await insertCode('three', { uses: 3 })
  await insertCode('expired', { uses: null, days: -1 })
  expect((await trySignUp(invited, { inviteCode: 'expired' })).body.code).toBe('SIGN_UP_INVITED')
  expect((await trySignUp(invited, { inviteCode: 'unknown' })).body.code).toBe('SIGN_UP_INVITED')
  const before = await counted()
  const answers = await Promise.all(Array.from({ length: 6 }, () => trySignUp(invited, { inviteCode: 'three' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403, 403])
  expect(await counted()).toBe(before + 3)
})

test('AUT-18 a network creates so many accounts a day over all nodes, and the refusal does not say who has one', async () => {
  const own = await app.startNode({ NOEMA_DAILY_SIGN_UPS: '3' })
  const other = await app.startNode({ NOEMA_DAILY_SIGN_UPS: '3' })
  await app.database.pool.query(`delete from auth_rate_limits where key like 'sign-up|%'`)
  expect((await trySignUp(own)).status).toBe(200)
  // An address that has an account counts like any other.
  expect((await trySignUp(other, { email: owner.email })).body.code).toMatch(/^USER_ALREADY_EXISTS/)
  expect((await trySignUp(other)).status).toBe(200)
  const refused = [await trySignUp(own), await trySignUp(other, { email: owner.email })]
  for (const { status, body, headers } of refused) {
    expect([status, body]).toEqual([429, refused[0]?.body])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(80_000)
  }
  // Signing in is no sign-up.
  const signIn = { headers: { origin: publicUrl }, body: { email: owner.email, password: 'correct horse battery' } }
  expect((await own.request('POST', '/api/auth/sign-in/email', signIn)).status).toBe(200)
  await app.database.pool.query(`update auth_rate_limits set resets_at = now() where key like 'sign-up|%'`)
  expect((await trySignUp(own)).status).toBe(200)
  await own.close()
  await other.close()
})

test('AUT-18 two addresses of one IPv6 network of 64 bits are one network', async () => {
  const keys = async () =>
    (await app.database.pool.query(`select key from auth_rate_limits where key like 'sign-up|%' order by key`)).rows
  expect((await keys()).map(({ key }) => key)).toEqual(['sign-up|127.0.0.1'])
  const node = await app.startNode({ NOEMA_TRUSTED_PROXIES: '127.0.0.1' })
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9']) {
    const headers = { origin: publicUrl, 'x-forwarded-for': address }
    const body = { email: `person${++people}@example.com`, password: 'correct horse battery', name: 'Ada' }
    expect((await node.request('POST', '/api/auth/sign-up/email', { headers, body })).status).toBe(200)
  }
  expect((await keys()).map(({ key }) => key)).toEqual(['sign-up|127.0.0.1', 'sign-up|2001:db8:1:2::/64'])
  await node.close()
})

test('AUT-17 an open sign-up lets everyone in', async () => {
  expect((await signUp(app)).email).toContain('@')
})
