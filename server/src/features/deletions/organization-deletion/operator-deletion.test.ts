import { beforeEach, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { eraseAll, findRowsWith } from '../erasing.fixture.ts'

// The operator of the service ends an organization. The first account administers.

const app = useOwnApp()
let administrator: TestMember | undefined
let brain: TestBrain
beforeEach(async () => {
  administrator ??= await createMember(app)
  brain = await addBrain(app, await createMember(app), 'planet')
})

const administer = (method: string, path: string, body?: object, request = app.request) =>
  request(method, `/v1/admin/organizations/${path}`, { headers: administrator?.session ?? {}, ...(body && { body }) })
const end = (body: object, id = brain.organizationId) => administer('DELETE', id, body)

test('END-09 the operator sees the contents of an organization in numbers before ending it, and confirms by its name', async () => {
  await brain.call('POST', '/records', { kind: 'note' })
  const preview = await administer('GET', `${brain.organizationId}/deletion`)
  expect(preview.body.data).toMatchObject({
    organization: { id: brain.organizationId, name: 'Somebody' },
    takes: { brains: 1, records: 1, members: 1 },
    ...{ heldBrains: 0, protected: false },
  })
  expect(JSON.stringify(preview.body)).not.toContain('planet')
  expect(await end({ confirm: 'somebody' })).toMatchObject({
    status: 400,
    body: { error: { details: [{ path: 'body.confirm' }] } },
  })
  expect((await brain.call('GET', '')).status).toBe(200)
  const ended = await end({ confirm: 'Somebody', reason: 'It sent spam.' })
  expect(ended).toMatchObject({ status: 200, body: { data: { deleted: true, erased: preview.body.data.takes } } })
  expect((await brain.call('GET', '')).status).toBe(401)
  expect((await app.request('GET', '/v1/brains', { headers: brain.session })).status).toBe(403)
  expect((await end({ confirm: 'Somebody' })).status).toBe(404)
})

test('END-09 ADM-04 its owners are mailed why, administrators who ask for it find who ended it, and the rest of it is in no table', async () => {
  const { organizationId } = brain
  await end({ confirm: 'Somebody', reason: 'It sent spam.' })
  const { rows } = await app.database.pool.query(
    `select body from mail_outbox where recipient = $1 order by id desc limit 1`,
    [brain.email],
  )
  expect(rows[0].body).toContain('It sent spam.')
  const headers = administrator?.session ?? {}
  const { body } = await app.request('GET', '/v1/admin/events?kind=organization_ended&limit=1', { headers })
  const arrived = (await app.request('GET', '/v1/admin/events?limit=200', { headers })).body.data.events
  expect(arrived.map(({ kind }: { kind: string }) => kind)).not.toContain('organization_ended')
  const { user } = (await app.request('GET', '/v1/whoami', { headers })).body.data
  expect(body.data.events).toMatchObject([
    { detail: { kind: 'organization_ended', organizationId, userId: user.id, reason: 'It sent spam.' } },
  ])
  await eraseAll(app)
  expect(await findRowsWith(app, organizationId)).toEqual(['admin_events', 'erasures'])
  expect(await findRowsWith(app, brain.brain.id)).toEqual([])
})

test("END-09 an administrator's organization is ended by its owners only, even if its administrator was named later", async () => {
  const own = administrator?.organizationId ?? ''
  expect((await administer('GET', own)).body.data.protected).toBe(true)
  expect(await end({ confirm: 'Somebody' }, own)).toMatchObject({
    status: 409,
    body: { error: { code: 'organization_protected' } },
  })
  const node = await app.startNode({ NOEMA_ADMIN_EMAILS: `${brain.email.toUpperCase()},${administrator?.email}` })
  const answer = await administer('DELETE', brain.organizationId, { confirm: 'Somebody' }, node.request)
  expect(answer).toMatchObject({ status: 409, body: { error: { code: 'organization_protected' } } })
  await node.close()
})

test('END-09 a hold protects an organization from the operator, too, and the refusal does not say which Brain has it', async () => {
  await brain.call('PUT', '/hold', { reason: 'A case.' })
  expect((await administer('GET', `${brain.organizationId}/deletion`)).body.data.heldBrains).toBe(1)
  const refused = await end({ confirm: 'Somebody' })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'brain_held' } } })
  expect(JSON.stringify(refused.body)).not.toContain('planet')
})

test('END-09 of the operator and the owner who end it at once one does, and it is erased once', async () => {
  const owner = app.request('DELETE', '/v1/organization', { headers: brain.session, body: { confirm: 'Somebody' } })
  const answers = await Promise.all([end({ confirm: 'Somebody' }), owner, end({ confirm: 'Somebody' })])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.every(({ status }) => [200, 403, 404].includes(status))).toBe(true)
  const { rows } = await app.database.pool.query('select from erasures where subject = $1', [brain.organizationId])
  expect(rows).toHaveLength(1)
})
