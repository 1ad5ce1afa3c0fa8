import { expect, test } from 'vitest'
import { addBrain, createBrain, createMember } from '../test/app.ts'
import { useOwnApp } from '../test/harness.ts'
import { callOrganizations, confirmAddress, joinOrganization } from '../test/organizations.ts'

// The reads of a member about their own organization.

const app = useOwnApp({
  NOEMA_TIERS: JSON.stringify({
    unverified: { brains: 2, dailyWrites: 30 },
    free: { brains: 8, rate: { perSecond: 50, burst: 100 } },
  }),
  NOEMA_ORGANIZATION_RATE_FACTOR: '4',
})

const read = async (caller: { headers?: Record<string, string>; key?: string }) =>
  (await app.request('GET', '/v1/organization', caller)).body.data.organization

test('D-18 an organization shows its members its storage, write and rate limits, and their use today', async () => {
  const brain = await createBrain(app, 'first', { verified: false })
  await brain.call('POST', '/records', { kind: 'note' })
  const before = await read({ headers: brain.session })
  expect(before).toMatchObject({
    id: brain.organizationId,
    name: 'Somebody',
    members: 1,
    role: 'owner',
    limits: { tier: 'free', confirmed: false, brains: { used: 1, max: 2 }, writesToday: { used: 1, max: 30 } },
  })
  expect(before.limits.bytesToday.used).toBeGreaterThan(0)
  expect(before.limits.runsToday.used).toBe(0)
  expect(Date.parse(before.limits.resetsAt) % 86_400_000).toBe(0)
  await confirmAddress(app, brain)
  const { limits } = await read({ headers: brain.session })
  expect(limits).toMatchObject({ confirmed: true, brains: { used: 1, max: 8 } })
  expect(limits.rates).toEqual({ key: { perSecond: 50, burst: 100 }, organization: { perSecond: 200, burst: 400 } })
  await app.database.pool.query("update organization set tier = 'staff' where id = $1", [brain.organizationId])
  const free = await read({ key: brain.key })
  expect(free.limits).toMatchObject({ brains: { used: 1, max: null }, runsToday: { max: null }, rates: null })
})

test('D-18 the organizations of one account count together, for calls of any of them', async () => {
  const owner = await createMember(app)
  await addBrain(app, owner, 'one')
  const made = await callOrganizations(app, owner, 'create', { name: 'Second', slug: 'second' })
  const headers = { ...owner.session, 'x-organization-id': made.body.id }
  expect(await read({ headers })).toMatchObject({ name: 'Second', limits: { brains: { used: 1 } } })
})

test('D-13 members learn their own role, and strangers nothing', async () => {
  const brain = await addBrain(app, await createMember(app), 'roles')
  const member = await joinOrganization(app, brain)
  expect(await read({ headers: member.session })).toMatchObject({ role: 'member', members: 2 })
  const stranger = await createMember(app)
  const headers = { ...stranger.session, 'x-organization-id': brain.organizationId }
  expect((await app.request('GET', '/v1/organization', { headers })).status).toBe(403)
})
