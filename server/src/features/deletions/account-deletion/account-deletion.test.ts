import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { addBrain, createBrain, createMember, signUp, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { untilOneWaits } from '../../../test/held-brain.ts'
import { callOrganizations, confirmAddress, joinOrganization } from '../../../test/organizations.ts'
import { eraseAll, findRowsWith } from '../erasing.fixture.ts'

// Deleting an account over HTTP. The first account of the service belongs to someone else.

const app = useOwnApp({ NOEMA_ADMIN_EMAILS: 'operator@example.com' })
let brain: TestBrain
beforeEach(async () => {
  brain = await createBrain(app, 'brain')
})

const password = 'correct horse battery'
type Person = { session: Record<string, string>; email: string }

/** The headers of a session that names no organization. */
const toHeaders = ({ session }: Pick<Person, 'session'>) => {
  const { 'x-organization-id': _left, ...headers } = session
  return headers
}
const remove = (person: Person, body: object = {}) =>
  app.request('DELETE', '/v1/account', {
    headers: toHeaders(person),
    body: { confirm: person.email, password, ...body },
  })
const preview = async (person: Person) =>
  (await app.request('GET', '/v1/account/deletion', { headers: toHeaders(person) })).body.data
const isSignedIn = async (person: Person) =>
  (await app.request('GET', '/v1/whoami', { headers: toHeaders(person) })).status === 200

test('END-04 deleting an account asks for its address and its password, and counts wrong ones', async () => {
  expect(await remove(brain, { confirm: 'other@example.com' })).toMatchObject({ status: 400 })
  const without = await remove(brain, { password: undefined })
  expect(without).toMatchObject({ status: 403, body: { error: { code: 'wrong_password' } } })
  for (let guess = 0; guess < 9; guess++) expect((await remove(brain, { password: 'a guess' })).status).toBe(403)
  const refused = await remove(brain)
  expect(refused).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await isSignedIn(brain)).toBe(true)
  const withKey = await app.request('DELETE', '/v1/account', {
    key: brain.key,
    body: { confirm: brain.email, password },
  })
  expect(withKey.status).toBe(403)
})

test('END-04 an account without a password shows itself by a session that has just begun', async () => {
  await app.database.pool.query(`delete from account where "userId" = (select id from "user" where email = $1)`, [
    brain.email,
  ])
  expect((await preview(brain)).proof).toBe('fresh_session')
  app.clock.advance({ minutes: 11 })
  expect(await remove(brain)).toMatchObject({ status: 403, body: { error: { code: 'session_not_fresh' } } })
  app.clock.advance({ minutes: -10 })
  expect((await remove(brain)).status).toBe(200)
})

test('END-05 an account goes with its personal organization, its sessions and its keys, and its name is nowhere', async () => {
  await app.database.pool.query(`update "user" set name = 'Zq Unmistakable' where email = $1`, [brain.email])
  const owner = await createBrain(app, 'other')
  await callOrganizations(app, owner, 'invite-member', {
    ...{ email: brain.email, role: 'admin', organizationId: owner.organizationId },
  })
  const { rows } = await app.database.pool.query(`select id from invitation where email = $1`, [brain.email])
  await callOrganizations(app, brain, 'accept-invitation', { invitationId: rows[0].id })
  await app.request('POST', '/v1/access-requests', { body: { email: brain.email } })
  const headers = { ...brain.session, 'x-organization-id': owner.organizationId }
  const minted = await app.request('POST', '/v1/keys', { headers, body: { name: 'theirs' } })
  const key: string = minted.body.data.secret
  const agents = await app.request('POST', `${owner.path}/keys`, {
    key,
    body: { name: 'agent', capabilities: ['read'] },
  })
  const reported = await preview(brain)
  expect(reported).toMatchObject({
    ...{ account: { email: brain.email }, proof: 'password' },
    organizations: expect.arrayContaining([
      expect.objectContaining({
        id: brain.organizationId,
        fate: 'deleted',
        takes: expect.objectContaining({ brains: 1 }),
      }),
      expect.objectContaining({ id: owner.organizationId, fate: 'left', takes: null, otherMembers: 1 }),
    ]),
  })
  const removed = await remove(brain)
  expect(removed.body.data).toEqual({
    deleted: true,
    organizations: { deleted: [brain.organizationId], left: [owner.organizationId] },
  })
  expect(await isSignedIn(brain)).toBe(false)
  for (const gone of [brain.key, key]) expect((await app.request('GET', '/v1/brains', { key: gone })).status).toBe(401)
  // Things that they made for agents go on, as after the removal of a member.
  expect((await app.request('GET', owner.path, { key: agents.body.data.secret })).status).toBe(200)
  const body = { email: brain.email, password }
  expect((await app.request('POST', '/api/auth/sign-in/email', { headers: toHeaders(owner), body })).status).toBe(401)
  await eraseAll(app)
  expect(await findRowsWith(app, brain.email)).toEqual([])
  expect(await findRowsWith(app, 'Unmistakable')).toEqual([])
  const { entries } = (await app.request('GET', '/v1/audit?limit=500', { key: owner.key })).body.data
  const left = entries.find(({ action }: { action: string }) => action === 'member.left')
  expect(left).toMatchObject({
    actor: { userId: reported.account.id },
    target: { type: 'member', id: reported.account.id },
  })
})

test('END-05 deleting an account leaves emails alone that name a longer address', async () => {
  const to = `zq-${brain.email}`
  await callOrganizations(app, brain, 'invite-member', {
    ...{ email: to, role: 'member', organizationId: brain.organizationId },
  })
  const readMail = async () =>
    (await app.database.pool.query('select body from mail_outbox where recipient = $1', [to])).rows
  const before = await readMail()
  expect(before).toEqual([{ body: expect.stringContaining(`${brain.email} invites you`) }])
  const stranger = await signUp(app, brain.email.slice(1))
  expect((await remove(stranger)).status).toBe(200)
  await eraseAll(app)
  expect(await readMail()).toEqual(before)
})

test('END-05 revokeBrainKeys ends the Brain keys too that the account made elsewhere', async () => {
  const owner = await createBrain(app, 'other')
  const guest = await joinOrganization(app, owner, 'admin')
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'theirs' } })
  const { secret: key } = minted.body.data
  const made = await app.request('POST', `${owner.path}/keys`, { key, body: { name: 'agent', capabilities: ['read'] } })
  expect((await remove(guest, { revokeBrainKeys: true })).status).toBe(200)
  expect((await app.request('GET', owner.path, { key: made.body.data.secret })).status).toBe(401)
})

test('END-06 an organization whose last owner an account is must be handed over or deleted with it', async () => {
  const guest = await joinOrganization(app, brain)
  const { organizationId } = brain
  expect((await preview(brain)).organizations).toMatchObject([
    { id: organizationId, fate: 'undecided', otherMembers: 1 },
  ])
  const refused = await remove(brain)
  expect(refused).toMatchObject({
    ...{
      status: 409,
      body: { error: { code: 'last_owner', details: [{ path: `body.organizations.${organizationId}` }] } },
    },
  })
  expect((await brain.call('GET', '')).status).toBe(200)
  expect((await remove(guest, { organizations: [organizationId] })).status).toBe(400)
  const { body } = await app.request('GET', '/api/auth/organization/list-members', { headers: brain.session })
  const memberId = body.members.find((one: { user: { email: string } }) => one.user.email === guest.email).id
  await callOrganizations(app, brain, 'update-member-role', { memberId, role: 'owner', organizationId })
  expect((await remove(brain)).body.data.organizations).toEqual({ deleted: [], left: [organizationId] })
  expect((await app.request('GET', brain.path, { headers: guest.session })).status).toBe(200)
  // The other owner is the last one now, and lets it go with the account.
  expect((await remove(guest)).status).toBe(409)
  const gone = await remove(guest, { organizations: [organizationId] })
  expect(gone.body.data.organizations.deleted).toContain(organizationId)
  await eraseAll(app)
  expect(await findRowsWith(app, brain.brain.id)).toEqual([])
})

test('END-06 a hold on a Brain keeps the account from taking it along', async () => {
  await brain.call('PUT', '/hold', { reason: 'A case.' })
  expect(await remove(brain)).toMatchObject({ status: 409, body: { error: { code: 'brain_held' } } })
  expect(await isSignedIn(brain)).toBe(true)
})

test('END-06 the first account administers a service that names no administrator, and cannot be deleted', async () => {
  const node = await app.startNode({ NOEMA_ADMIN_EMAILS: '' })
  await app.database.pool.query('delete from auth_rate_limits')
  const { rows } = await app.database.pool.query(`select email from "user" order by "createdAt", id limit 1`)
  const body = { email: rows[0].email, password }
  const headers = { origin: toHeaders(brain).origin ?? '' }
  const signedIn = await node.request('POST', '/api/auth/sign-in/email', { headers, body })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const refused = await node.request('DELETE', '/v1/account', {
    headers: { ...headers, cookie },
    body: { confirm: body.email, password },
  })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'last_administrator' } } })
  await node.close()
})

test('END-07 only one of two deletions at once happens, and the next person to sign up with the address is a new account', async () => {
  const node = await app.startNode()
  const other = (body: object) => node.request('DELETE', '/v1/account', { headers: toHeaders(brain), body })
  const body = { confirm: brain.email, password }
  const answers = await Promise.all([remove(brain), other(body), remove(brain), other(body)])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.every(({ status }) => [200, 401, 409].includes(status))).toBe(true)
  const again = await signUp(app, brain.email)
  await eraseAll(app)
  await confirmAddress(app, again)
  const whoami = await app.request('GET', '/v1/whoami', { headers: toHeaders(again) })
  expect(whoami.body.data.user).toMatchObject({ email: brain.email, emailVerified: true })
  expect((await app.request('GET', brain.path, { headers: again.session })).status).toBe(404)
  await node.close()
})

test('END-07 two owners who delete their accounts at once leave no organization without an owner', async () => {
  for (let round = 0; round < 5; round++) {
    const owner = await addBrain(app, await createMember(app), 'shared')
    const second = await joinOrganization(app, owner, 'owner')
    const answers = await Promise.all([remove(owner), remove(second)])
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true)
    const { rows } = await app.database.pool.query(
      `select id from organization where ended_at is null and not exists (
        select 1 from member where "organizationId" = organization.id and role = 'owner')`,
    )
    expect(rows).toEqual([])
  }
})

test('END-07 a request for an account that is deleted before its password is checked is 401', async () => {
  app.clock.advance({ minutes: 11 })
  const holder = new pg.Client({ connectionString: app.database.url })
  await holder.connect()
  await holder.query('begin; lock table account in access exclusive mode')
  const asked = remove(brain)
  await untilOneWaits(app.database)
  await holder.query(`delete from "user" where email = $1`, [brain.email])
  await holder.query('commit')
  await holder.end()
  expect(await asked).toMatchObject({ status: 401, body: { error: { kind: 'unauthorized' } } })
})
