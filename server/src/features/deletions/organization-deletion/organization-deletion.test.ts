import { beforeEach, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { callOrganizations, joinOrganization } from '../../../test/organizations.ts'
import { classes, plant } from '../../../test/secrets/plant.ts'
import { eraseAll, findRowsWith } from '../erasing.fixture.ts'

// Deleting an organization over HTTP; the test runs the worker by hand.

const app = useOwnApp()
let brain: TestBrain
beforeEach(async () => {
  brain = await addBrain(app, await createMember(app), 'brain')
})

const remove = (confirm: string, headers = brain.session) =>
  app.request('DELETE', '/v1/organization', { headers, body: { confirm } })
const preview = (headers = brain.session) => app.request('GET', '/v1/organization/deletion', { headers })

test('END-01 a preview of deleting an organization shows what it takes, and its name or slug confirms it', async () => {
  await brain.call('POST', '/batch', { operations: [{ op: 'record.create', kind: 'note' }] })
  await brain.call('POST', '/documents', { text: 'A text.' })
  await brain.mintKey(['read'])
  const { organization, takes, heldBrains } = (await preview()).body.data
  expect(organization).toEqual({
    id: brain.organizationId,
    name: 'Somebody',
    slug: expect.stringMatching(/^somebody-/),
  })
  expect(takes).toMatchObject({ brains: 1, records: 1, documents: 1, managementKeys: 1, brainKeys: 1, members: 1 })
  expect(heldBrains).toEqual([])
  expect(await remove('somebody')).toMatchObject({
    status: 400,
    body: { error: { details: [{ path: 'body.confirm' }] } },
  })
  expect((await brain.call('GET', '')).status).toBe(200)
  const removed = await remove(organization.slug)
  expect(removed).toMatchObject({ status: 200, body: { data: { deleted: true, erased: takes } } })
})

test('END-01 only an owner who is signed in deletes an organization or learns what it would take', async () => {
  const [admin, member] = [await joinOrganization(app, brain, 'admin'), await joinOrganization(app, brain)]
  for (const { session } of [admin, member]) {
    expect((await preview(session)).status).toBe(403)
    expect((await remove('Somebody', session)).status).toBe(403)
  }
  const withKey = await app.request('DELETE', '/v1/organization', { key: brain.key, body: { confirm: 'Somebody' } })
  expect(withKey.status).toBe(403)
  const stranger = await createMember(app)
  const named = { ...stranger.session, 'x-organization-id': brain.organizationId }
  expect((await remove('Somebody', named)).status).toBe(403)
  expect((await brain.call('GET', '')).status).toBe(200)
})

test('END-01 D-11 the ways of Better Auth to delete an organization or an account are closed', async () => {
  const { organizationId } = brain
  const answers = [
    await callOrganizations(app, brain, 'delete', { organizationId }),
    await app.request('POST', '/api/auth/delete-user', { headers: brain.session, body: {} }),
    await app.request('GET', '/api/auth/delete-user/callback?token=x', { headers: brain.session }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await brain.call('GET', '')).status).toBe(200)
})

test('END-02 keys, sessions and webhooks of an organization are refused at the next request, also on another node', async () => {
  const node = await app.startNode()
  const brainKey = await brain.mintKey(['read'])
  const member = await joinOrganization(app, brain)
  const ask = (headers: Record<string, string>) => node.request('GET', brain.path, { headers })
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const callers = [bearer(brain.key), bearer(brainKey), brain.session, member.session]
  for (const headers of callers) expect((await ask(headers)).status).toBe(200)
  expect((await remove('Somebody')).status).toBe(200)
  const statuses = []
  for (const headers of callers) statuses.push((await ask(headers)).status)
  expect(statuses).toEqual([401, 401, 403, 403])
  expect((await remove('Somebody')).status).toBe(403)
  const { body } = await node.request('GET', '/v1/whoami', { headers: { ...member.session, 'x-organization-id': '' } })
  expect(body.data.organizations.map(({ id }: { id: string }) => id)).not.toContain(brain.organizationId)
  await node.close()
})

test('END-02 a hold keeps an organization from being deleted, and says which Brains have one', async () => {
  await brain.call('PUT', '/hold', { reason: 'A case.' })
  expect((await preview()).body.data.heldBrains).toEqual(['brain'])
  const refused = await remove('Somebody')
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { code: 'brain_held', details: [{ path: 'brains.brain' }] } },
  })
  expect((await brain.call('GET', '')).status).toBe(200)
})

test('END-03 nothing of an organization is left in any table: what was planted everywhere is nowhere afterwards', async () => {
  const planted = await plant(app, brain, 'planted')
  await joinOrganization(app, brain)
  const { organizationId } = brain
  const invited = { email: 'invited@example.com', role: 'member', organizationId }
  await callOrganizations(app, brain, 'invite-member', invited)
  await callOrganizations(app, brain, 'update', { organizationId, data: { name: 'zqorganization-named' } })
  const kept = await addBrain(app, await createMember(app), 'kept')
  await kept.call('PUT', '/records/one', { kind: 'note', fields: { text: 'kept' } })
  const secrets = [...Object.keys(classes), 'sealed'].map((name) => `zq${name}-`)
  const marks = [organizationId, planted.brain.id, brain.brain.id, planted.run, 'zqorganization-named']
  for (const mark of marks) expect(await findRowsWith(app, mark)).not.toEqual([])
  const holding = new Set((await Promise.all(secrets.map((secret) => findRowsWith(app, secret)))).flat())
  expect(holding.size).toBeGreaterThan(25)
  expect((await remove('zqorganization-named')).status).toBe(200)
  await eraseAll(app)
  // That something was erased is all that stays.
  for (const mark of marks) expect(await findRowsWith(app, mark)).toEqual(mark === organizationId ? ['erasures'] : [])
  for (const secret of secrets) expect(await findRowsWith(app, secret)).toEqual([])
  expect((await kept.call('GET', '/records/one')).body.data.record.fields).toEqual({ text: 'kept' })
})
