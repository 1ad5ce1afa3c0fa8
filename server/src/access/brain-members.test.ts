import { beforeAll, expect, test } from 'vitest'
import { addRun, findStarter } from '../agent-runtime/tools/run-tools.fixture.ts'
import { addBrain, createMember, type TestBrain, type TestMember } from '../test/app.ts'
import { askForConsent, callConsent, connectApp, consent, createRpc } from '../test/apps.ts'
import { useOwnApp } from '../test/harness.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'
import { newAgent } from '../test/sample-agents.ts'
import { authenticateRun } from './authenticate-run.ts'

// A Brain is restricted, shared and opened again, and its members' keys, runs, webhooks and triggers follow.

const app = useOwnApp({ NOEMA_ROLES: 'http' })
type Person = { session: Record<string, string>; email: string }
let owner = {} as TestMember
let [ann, ben, eve] = [{} as Person, {} as Person, {} as Person]
let made = 0
beforeAll(async () => {
  owner = await createMember(app)
  ;[ann, ben, eve] = [
    await joinOrganization(app, owner, 'admin'),
    await joinOrganization(app, owner),
    await joinOrganization(app, owner),
  ]
})

const ask = async (who: Pick<Person, 'session'>, method: string, path: string, body?: object) =>
  app.request(method, path, { headers: who.session, ...(body ? { body } : {}) })
const code = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [status, body.error?.code ?? null]
const readAudit = async (action: string) =>
  (await ask(owner, 'GET', `/v1/audit?action=${action}&limit=500`)).body.data.entries

/** A new Brain that Ann restricted, with Ben as a writer. */
const closed = async (): Promise<TestBrain> => {
  const brain = await addBrain(app, owner, `closed-${++made}`)
  const members = [{ member: ben.email, role: 'writer' }]
  const { status } = await ask(ann, 'PATCH', `${brain.path}/access`, { openTo: 'members', members })
  expect(status).toBe(200)
  return brain
}
const put = (who: Person, { path }: TestBrain, { email }: Person, role: string) =>
  ask(who, 'PUT', `${path}/members/${email}`, { role })
const take = (who: Person, { path }: TestBrain, { email }: Person) => ask(who, 'DELETE', `${path}/members/${email}`)

test('ACC-01 owners and admins restrict an open Brain, members create a restricted one, and managers open it again', async () => {
  const brain = await addBrain(app, owner, 'plain')
  const path = `${brain.path}/access`
  expect((await ask(ben, 'PATCH', path, { openTo: 'members' })).status).toBe(403)
  expect((await ask(ben, 'GET', path)).body.data.access).toEqual({
    openTo: 'organization',
    role: 'manager',
    members: [],
  })
  const { access } = (await ask(ann, 'PATCH', path, { openTo: 'members' })).body.data
  expect(access).toMatchObject({ openTo: 'members', role: 'manager', members: [{ email: ann.email, role: 'manager' }] })
  expect((await ask(ben, 'GET', brain.path)).status).toBe(404)
  const entries = (await readAudit('brain.access_changed')).length
  expect((await ask(ann, 'PATCH', path, { openTo: 'members' })).status).toBe(200)
  expect((await readAudit('brain.access_changed')).length).toBe(entries)
  expect((await ask(ann, 'PATCH', path, { openTo: 'organization' })).body.data.access.members).toEqual([])
  expect((await ask(ben, 'GET', brain.path)).status).toBe(200)
  expect((await ask(ben, 'PUT', '/v1/brains/own', { openTo: 'members' })).status).toBe(201)
  expect((await ask(ben, 'GET', '/v1/brains/own/access')).body.data.access).toMatchObject({
    openTo: 'members',
    role: 'manager',
  })
  expect((await ask(eve, 'GET', '/v1/brains/own')).status).toBe(404)
  // A Brain that is closed to somebody leaves them the others, by handle and by id.
  const agentId = await newAgent(app, brain)
  for (const place of [{ brain: 'plain' }, { knowledgeGraphId: brain.brain.id }]) {
    const made = { ...place, agentId, name: 'mine', expectedOutcome: '' }
    expect((await ask(eve, 'POST', '/v1/automations/triggers', made)).status).toBeLessThan(300)
  }
})

test('ACC-05 managers name members by id or address and take them out, and the last manager stays', async () => {
  const brain = await closed()
  expect(code(await put(ann, brain, { ...eve, email: 'nobody@example.com' }, 'reader'))).toEqual([404, null])
  expect((await put(ann, brain, eve, 'reader')).body.data.member).toMatchObject({ email: eve.email, role: 'reader' })
  const [{ userId }] = (await ask(ann, 'GET', `${brain.path}/access`)).body.data.access.members.filter(
    (one: Person) => one.email === eve.email,
  )
  expect((await ask(ann, 'PUT', `${brain.path}/members/${userId}`, { role: 'reviewer' })).status).toBe(200)
  expect((await put(ben, brain, eve, 'manager')).status).toBe(403)
  expect((await take(ben, brain, eve)).status).toBe(403)
  expect((await take(eve, brain, eve)).status).toBe(200)
  expect((await ask(eve, 'GET', brain.path)).status).toBe(404)
  expect(code(await take(ann, brain, ann))).toEqual([409, 'last_manager'])
  expect(code(await put(ann, brain, ann, 'writer'))).toEqual([409, 'last_manager'])
  const open = await addBrain(app, owner, 'not-restricted')
  expect(code(await put(ann, open, eve, 'reader'))).toEqual([409, 'not_restricted'])
  expect((await readAudit('brain.member_removed')).at(-1)).toMatchObject({
    target: { id: brain.brain.id },
    before: { userId, role: 'reviewer' },
  })
})

test('ACC-05 of two managers who take each other out at once one stays', async () => {
  const brain = await closed()
  await put(ann, brain, ben, 'manager')
  const statuses = (await Promise.all([take(ann, brain, ben), take(ben, brain, ann)])).map(({ status }) => status)
  expect([...statuses].sort()).toEqual([200, 404])
  const left = statuses[0] === 200 ? ann : ben
  expect((await ask(left, 'GET', `${brain.path}/access`)).body.data.access.members).toHaveLength(1)
})

test('ACC-06 an owner sees that a restricted Brain exists and takes it over; that is audited, and its managers are notified', async () => {
  const brain = await closed()
  expect((await ask(owner, 'GET', brain.path)).status).toBe(404)
  const list = async () => (await ask(owner, 'GET', '/v1/restricted-brains?limit=500')).body.data.brains
  const listed = (await list()).find(({ handle }: { handle: string }) => handle === brain.brain.handle)
  expect(listed).toMatchObject({ id: brain.brain.id, members: 2, managers: [ann.email], role: null })
  expect((await ask(ann, 'GET', '/v1/restricted-brains')).status).toBe(403)
  expect((await ask(owner, 'GET', `${brain.path}/access`)).body.data.access).toMatchObject({ role: null })
  // Neither a key of the owner nor anyone else takes a Brain over.
  expect((await app.request('POST', `${brain.path}/take-over`, { key: owner.key, body: {} })).status).toBe(403)
  expect((await ask(ben, 'POST', `${brain.path}/take-over`, {})).status).toBe(403)
  expect((await ask(eve, 'POST', `${brain.path}/take-over`, {})).status).toBe(404)
  expect((await ask(owner, 'POST', `${brain.path}/take-over`, {})).body.data.access).toMatchObject({ role: 'manager' })
  expect((await ask(owner, 'GET', brain.path)).status).toBe(200)
  expect((await readAudit('brain.taken_over')).at(-1)).toMatchObject({
    target: { id: brain.brain.id },
    after: { role: 'manager' },
  })
  const notified = async (who: Person) =>
    (await ask(who, 'GET', '/v1/notifications')).body.data.notifications.filter(
      ({ kind, target }: { kind: string; target: { id: string } }) =>
        kind === 'brain.taken_over' && target.id === brain.brain.id,
    ).length
  expect([await notified(ann), await notified(ben), await notified(eve)]).toEqual([1, 0, 0])
})

test('ACC-06 if the last manager leaves the organization, its owners are notified, and others keep their access', async () => {
  const brain = await addBrain(app, owner, 'orphan')
  const leaver = await joinOrganization(app, owner, 'admin')
  const members = [{ member: ben.email, role: 'reader' }]
  await ask(leaver, 'PATCH', `${brain.path}/access`, { openTo: 'members', members })
  const minted = await ask(leaver, 'POST', `${brain.path}/keys`, { name: 'left', capabilities: ['read'] })
  const byKey = () => app.request('GET', brain.path, { key: minted.body.data.secret })
  expect((await byKey()).status).toBe(200)
  await removeMember(app, owner, leaver)
  expect([(await byKey()).status, (await ask(ben, 'GET', brain.path)).status]).toEqual([401, 200])
  const unmanaged = async (who: Person) =>
    (await ask(who, 'GET', '/v1/notifications')).body.data.notifications.filter(
      ({ kind }: { kind: string }) => kind === 'brain.unmanaged',
    ).length
  expect([await unmanaged(owner), await unmanaged(ann), await unmanaged(ben)]).toEqual([1, 0, 0])
  expect((await ask(owner, 'POST', `${brain.path}/take-over`, {})).status).toBe(200)
  expect(await unmanaged(owner)).toBe(1)
  const [{ resolvedAt }] = (await ask(owner, 'GET', '/v1/notifications?state=resolved')).body.data.notifications
  expect(resolvedAt).toEqual(expect.any(String))
})

test('ACC-03 keys that a member minted narrow with the member, return with their role, and are rotated into another hand', async () => {
  const brain = await closed()
  const capabilities = ['read', 'write']
  const mint = (who: Person, extra: string[] = []) =>
    ask(who, 'POST', `${brain.path}/keys`, { name: 'agent', capabilities: [...capabilities, ...extra] })
  expect((await mint(ben, ['admin'])).status).toBe(403)
  const { key, secret } = (await mint(ben)).body.data
  const write = (by: string) => app.request('POST', `${brain.path}/records`, { key: by, body: { kind: 'note' } })
  const look = (by: string) => app.request('GET', brain.path, { key: by })
  const statuses = async (by = secret) => [(await look(by)).status, (await write(by)).status]
  expect(await statuses()).toEqual([200, 201])
  await put(ann, brain, ben, 'reader')
  expect(await statuses()).toEqual([200, 403])
  await take(ann, brain, ben)
  expect(await statuses()).toEqual([401, 401])
  await put(ann, brain, ben, 'writer')
  expect(await statuses()).toEqual([200, 201])
  // Members see and change their own keys only; a manager who rotates one answers for it.
  await mint(ann)
  expect((await ask(ben, 'GET', `${brain.path}/keys`)).body.data.keys.map(({ id }: { id: string }) => id)).toEqual([
    key.id,
  ])
  expect((await ask(ann, 'GET', `${brain.path}/keys`)).body.data.keys).toHaveLength(2)
  const theirs = (await ask(ann, 'GET', `${brain.path}/keys`)).body.data.keys.at(-1).id
  expect((await ask(ben, 'DELETE', `${brain.path}/keys/${theirs}`)).status).toBe(404)
  const rotated = (await ask(ann, 'POST', `${brain.path}/keys/${key.id}/rotate`)).body.data.secret
  await take(ann, brain, ben)
  expect([await statuses(rotated), await statuses()]).toEqual([
    [200, 201],
    [401, 401],
  ])
})

test('ACC-03 a run does what its starter may do at each call, and a run that a Brain was closed to reaches nothing', async () => {
  const brain = await closed()
  const minted = (await ask(ben, 'POST', '/v1/keys', { name: 'mine' })).body.data
  const starter = await findStarter(app, { keyId: minted.key.id })
  const run = await addRun(app, [{ brain, access: 'read_write' }], { starter })
  const reach = () =>
    authenticateRun(app.app.deps, { organizationId: run.organizationId, runId: run.id, brainId: brain.brain.id })
  expect((await reach()).capabilities).toEqual(['read', 'write'])
  await put(ann, brain, ben, 'reader')
  expect((await reach()).capabilities).toEqual(['read'])
  await take(ann, brain, ben)
  await expect(reach()).rejects.toMatchObject({ kind: 'not_found' })
  expect((await ask(ben, 'GET', `/v1/runs/${run.id}`)).status).toBe(404)
})

test('ACC-07 webhooks and triggers of a member are paused when the Brain closes to them, and go on for the person who changes them', async () => {
  const brain = await addBrain(app, owner, 'busy')
  const agentId = await newAgent(app, brain)
  const hook = { url: 'http://127.0.0.1:9/', types: ['record.accepted'] }
  const webhook = (await ask(ben, 'POST', `${brain.path}/webhooks`, hook)).body.data.webhook.id
  const kept = (await ask(ann, 'POST', `${brain.path}/webhooks`, hook)).body.data.webhook.id
  const trigger = (
    await ask(ben, 'POST', '/v1/automations/triggers', { brain: 'busy', agentId, name: 'on news', expectedOutcome: '' })
  ).body.data.trigger.id
  await ask(ann, 'PATCH', `${brain.path}/access`, { openTo: 'members' })
  const isPaused = async (id: string) =>
    (await ask(ann, 'GET', `${brain.path}/webhooks/${id}`)).body.data.webhook.paused
  expect([await isPaused(webhook), await isPaused(kept)]).toEqual([true, false])
  const path = `/v1/automations/triggers/${trigger}`
  expect((await ask(ben, 'GET', path)).status).toBe(404)
  expect((await ask(ann, 'GET', path)).body.data.paused.reason).toMatch(/no longer open/)
  expect((await ask(ann, 'PATCH', path, { enabled: true })).body.data.paused).toBeUndefined()
  const { rows } = await app.database.pool.query(
    `select created_by ->> 'userId' as maker from triggers where id = $1`,
    [trigger],
  )
  const { members } = (await ask(ann, 'GET', `${brain.path}/access`)).body.data.access
  expect(rows).toEqual([{ maker: members[0].userId }])
})

test('ACC-03 ACC-04 an app does no more than the member who let it in may do now, and asks for no Brain that is closed to them', async () => {
  const brain = await closed()
  const { handle } = brain.brain
  const asPerson = async (who: Person) => {
    const { secret } = (await ask(who, 'POST', '/v1/keys', { name: 'apps' })).body.data
    return { session: who.session, organizationId: owner.organizationId, key: secret as string }
  }
  const connected = await connectApp(app, await asPerson(ben), { brain: handle })
  const listed = async (who: Person) => (await ask(who, 'GET', '/v1/apps?limit=500')).body.data.apps
  expect((await listed(ben)).at(-1).grants[0].capabilities).toEqual(['read', 'write'])
  expect(JSON.stringify(await listed(eve))).not.toContain(handle)
  const { rpc, listTools } = createRpc(app)
  const path = `${brain.path}/mcp`
  const tools = await listTools(connected.accessToken, path)
  await put(ann, brain, ben, 'reader')
  const fewer = await listTools(connected.accessToken, path)
  expect([fewer.length > 0, fewer.length < tools.length]).toEqual([true, true])
  await take(ann, brain, ben)
  expect((await rpc(connected.accessToken, path)).status).toBe(401)
  const asked = await askForConsent(app, await asPerson(eve), { brain: handle })
  const { places } = (await callConsent(app, eve.session, 'request', { oauth_query: asked.signed })).body
  expect(places).toEqual([])
  expect((await consent(app, await asPerson(eve), asked.signed, { brain: handle })).status).toBe(404)
})
