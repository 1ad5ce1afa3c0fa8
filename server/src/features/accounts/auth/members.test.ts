import { beforeAll, describe, expect, test } from 'vitest'
import { signUp } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { callOrganizations, confirmAddress, joinOrganization, removeMember } from '../../../test/organizations.ts'

// Rules about invitations, memberships and roles.

const app = useApp()
type Member = Awaited<ReturnType<typeof signUp>>
let owner: Member
let admin: Member

const confirmed = async (): Promise<Member> => {
  const member = await signUp(app)
  await confirmAddress(app, member)
  return member
}

const found = async (): Promise<void> => {
  owner = await confirmed()
  admin = await joinOrganization(app, owner, 'admin')
}

const call = (by: Member, path: string, body: object) =>
  callOrganizations(app, by, path, { organizationId: owner.organizationId, ...body })
const invite = (by: Member, email: string, role: unknown) => call(by, 'invite-member', { email, role })
const accept = (by: Member, invitationId: string) => callOrganizations(app, by, 'accept-invitation', { invitationId })
const read = (by: Member, path: string) =>
  app.request('GET', `/api/auth/organization/${path}?organizationId=${owner.organizationId}`, { headers: by.session })
const roles = async () =>
  (
    await app.database.pool.query('select role from member where "organizationId" = $1 order by role', [
      owner.organizationId,
    ])
  ).rows.map(({ role }) => role)
const memberId = async ({ email }: Member) => {
  const { body } = await read(owner, 'get-full-organization')
  return body.members.find((one: { user: { email: string } }) => one.user.email === email).id
}

const spellings = [
  'admin, owner',
  ' owner',
  'owner ',
  'admin,owner ',
  'owner\t',
  'Owner',
  'owner,admin',
  'member,admin',
  '',
  'root',
  ['admin', ' owner'],
  ['admin', 'member'],
  [],
  7,
]

describe('an organization that stays as it is', () => {
  beforeAll(found)

  test.each(spellings.map((role) => ({ role })))(
    'D-13 an invitation has exactly one role, and $role is none',
    async ({ role }) => {
      for (const by of [owner, admin]) expect(await invite(by, 'x@example.com', role)).toMatchObject({ status: 400 })
      expect((await read(owner, 'list-invitations')).body).toMatchObject([{ status: 'accepted' }])
    },
  )

  test.each(spellings.map((role) => ({ role })))(
    'D-13 a member is given exactly one role, and $role is none',
    async ({ role }) => {
      const change = { memberId: await memberId(admin), role }
      for (const by of [owner, admin])
        expect(await call(by, 'update-member-role', change)).toMatchObject({ status: 400 })
      expect(await roles()).toEqual(['admin', 'owner'])
    },
  )

  const long = (length: number) => 'x'.repeat(length)

  test.each([
    ['sign-up/email', { name: long(201), email: 'long@example.com', password: 'correct horse battery' }],
    ['sign-up/email', { name: 'x', email: `${long(20_000)}@example.com`, password: 'correct horse battery' }],
    ['sign-up/email', { name: 'x', image: long(2_049), email: 'long@example.com', password: 'correct horse battery' }],
    ['sign-in/email', { email: `${long(250)}@example.com`, password: 'correct horse battery' }],
    ['update-user', { name: long(201) }],
    ['update-user', { name: [long(201)] }],
    ['organization/create', { name: long(201), slug: 'a' }],
    ['organization/create', { name: 'a', slug: long(129) }],
    ['organization/create', { name: 'a', slug: long(20_000) }],
    ['organization/create', { name: 'a', slug: 'a', metadata: { long: long(4_096) } }],
    ['organization/update', { data: { name: long(201) } }],
    ['organization/update', { data: { slug: long(129) } }],
    ['organization/invite-member', { email: `${long(250)}@example.com`, role: 'member' }],
    ['send-verification-email', { email: `${long(250)}@example.com` }],
    ['request-password-reset', { email: `${long(250)}@example.com` }],
  ])('D-08 %s with a text that is too long is 400, and says how long it may be', async (path, body) => {
    const answer = await app.request('POST', `/api/auth/${path}`, { headers: owner.session, body })
    expect(answer).toMatchObject({ status: 400, body: { code: expect.stringMatching(/^(TOO_LONG|INVALID_TEXT)$/) } })
    expect(answer.body.message).toMatch(/at most \d+ characters|must be text/)
  })
})

test('D-13 owners alone invite and make owners', async () => {
  await found()
  expect((await invite(admin, 'x@example.com', 'owner')).status).toBe(403)
  const promotion = { memberId: await memberId(admin), role: 'owner' }
  expect((await call(admin, 'update-member-role', promotion)).status).toBe(403)
  expect((await invite(owner, 'x@example.com', 'owner')).status).toBe(200)
  expect((await invite(admin, 'y@example.com', ['admin'])).status).toBe(200)
  expect((await call(owner, 'update-member-role', promotion)).status).toBe(200)
  expect(await roles()).toEqual(['owner', 'owner'])
})

test('D-13 an invitation is accepted by a confirmed address alone', async () => {
  await found()
  const guest = await signUp(app)
  const { id } = (await invite(owner, guest.email, 'owner')).body
  expect(await accept(guest, id)).toMatchObject({ status: 403 })
  expect(await roles()).toEqual(['admin', 'owner'])
})

test('D-13 invitations are listed to owners and admins, and to no one else', async () => {
  await found()
  const plain = await joinOrganization(app, owner)
  const stranger = await confirmed()
  const { id } = (await invite(owner, 'invited@example.com', 'owner')).body
  const paths = ['list-invitations', 'get-full-organization']
  for (const path of paths)
    for (const by of [owner, admin]) expect(JSON.stringify((await read(by, path)).body)).toContain(id)
  for (const path of paths)
    for (const by of [plain, stranger]) {
      const { body } = await read(by, path)
      expect(JSON.stringify(body)).not.toContain(id)
      expect(JSON.stringify(body)).not.toContain('invited@example.com')
    }
  expect((await read(plain, 'list-invitations')).status).toBe(403)
  expect((await read(plain, 'get-full-organization')).body).toMatchObject({ invitations: [], members: { length: 3 } })
})

test('D-13 a removed member does not return by an open invitation, nor lets others in', async () => {
  await found()
  const accomplice = await confirmed()
  const sent = (await invite(admin, accomplice.email, 'admin')).body.id
  await app.database.pool.query(
    `insert into invitation (id, "organizationId", email, role, "expiresAt", "inviterId")
     select 'noted', $1, $2, 'admin', now() + interval '1 day', id from "user" where email = $3`,
    [owner.organizationId, admin.email, owner.email],
  )
  expect((await removeMember(app, owner, admin)).status).toBe(200)
  expect((await accept(admin, 'noted')).status).toBe(400)
  expect((await accept(accomplice, sent)).status).toBe(400)
  expect(await roles()).toEqual(['owner'])
})

test('D-13 a member with fewer rights has not passed on the old ones', async () => {
  await found()
  const accomplice = await confirmed()
  const { id } = (await invite(admin, accomplice.email, 'admin')).body
  await call(owner, 'update-member-role', { memberId: await memberId(admin), role: 'member' })
  expect((await accept(accomplice, id)).status).toBe(400)
})

test('D-13 two owners who remove each other at once leave one', async () => {
  await found()
  const second = await joinOrganization(app, owner, 'owner')
  await Promise.all([removeMember(app, owner, second), call(second, 'remove-member', { memberIdOrEmail: owner.email })])
  expect(await roles()).toEqual(['admin', 'owner'])
})

test('D-18 an unconfirmed account cannot invite', async () => {
  await found()
  const fresh = await signUp(app)
  const body = { email: 'x@example.com', role: 'member', organizationId: fresh.organizationId }
  expect(await callOrganizations(app, fresh, 'invite-member', body)).toMatchObject({
    status: 403,
    body: { code: 'EMAIL_NOT_VERIFIED' },
  })
})

test('D-18 an unconfirmed account owns one organization, a confirmed one 20, even with concurrent requests', async () => {
  await found()
  const fresh = await signUp(app)
  const create = (by: Member, slug: string) => callOrganizations(app, by, 'create', { name: 'More', slug })
  const code = 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS'
  expect(await create(fresh, 'fresh-more')).toMatchObject({ status: 403, body: { code } })
  const slugs = Array.from({ length: 25 }, (_, index) => `more-${index}`)
  const answers = await Promise.all(slugs.map((slug) => create(owner, slug)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
  expect(answers.filter(({ body }) => body.code === code)).toHaveLength(6)
})

test('D-08 names of 200 characters and slugs of 128 are taken', async () => {
  await found()
  const made = await callOrganizations(app, owner, 'create', { name: 'x'.repeat(200), slug: 'x'.repeat(128) })
  expect(made.status).toBe(200)
})
