import { beforeEach, expect, test } from 'vitest'
import { createBrain, type signUp } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { callOrganizations, joinOrganization, removeMember } from '../../../test/organizations.ts'

// The access that is revoked when a member is removed or leaves (D-13).

const app = useApp()
const url = 'http://127.0.0.1:9/hook'
type Person = Awaited<ReturnType<typeof signUp>>
let owner: Awaited<ReturnType<typeof createBrain>>
let guest: Awaited<ReturnType<typeof joinAndMake>>

const mint = async (by: Person, name: string) =>
  (await app.request('POST', '/v1/keys', { headers: by.session, body: { name } })).body.data
const mintForBrain = async (asked: { key?: string; headers?: Record<string, string> }, name: string) => {
  const body = { name, capabilities: ['read', 'write'] }
  return (await app.request('POST', `${owner.path}/keys`, { ...asked, body })).body.data
}
const rotate = async (key: string, id: string) =>
  (await app.request('POST', `${owner.path}/keys/${id}/rotate`, { key })).body.data

const joinAndMake = async () => {
  const person = await joinOrganization(app, owner)
  const { secret, key } = await mint(person, 'of the guest')
  const agent = await mintForBrain({ key: secret }, 'agent')
  const bySession = await mintForBrain({ headers: person.session }, 'by session')
  await app.request('POST', `${owner.path}/webhooks`, { key: secret, body: { url, types: ['record.accepted'] } })
  await app.request('POST', '/v1/webhooks', { headers: person.session, body: { url, events: ['run.completed'] } })
  const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' }
  await app.request('PUT', '/v1/providers/theirs', { key: secret, body: provider })
  await app.request('POST', '/v1/connectors', { key: secret, body: { name: 'tools', url } })
  const body = { name: 'Reader', instructions: 'Answer.', model: 'noema/extractive' }
  const agentId = (await app.request('POST', '/v1/agents', { key: secret, body })).body.data.agent.id
  const trigger = { knowledgeGraphId: owner.brain.id, agentId, name: 'watch' }
  await app.request('POST', '/v1/automations/triggers', { key: secret, body: trigger })
  await app.request('POST', '/v1/schedules', { key: secret, body: { agentId, cron: '0 9 * * *', input: 'Look.' } })
  return { ...person, secret, keyId: key.id as string, agent, bySession }
}

beforeEach(async () => {
  owner = await createBrain(app)
  guest = await joinAndMake()
})

const works = async (key: string) => (await app.request('GET', '/v1/whoami', { key })).status === 200
const listed = async () => {
  const { keys } = (await app.request('GET', '/v1/keys', { headers: owner.session })).body.data
  return keys.map(({ name, status }: { name: string; status: string }) => `${name}: ${status}`)
}
const countWebhooks = async () => {
  const [ofBrain, ofOrganization] = await Promise.all([
    app.request('GET', `${owner.path}/webhooks`, { key: owner.key }),
    app.request('GET', '/v1/webhooks', { key: owner.key }),
  ])
  return [ofBrain.body.data.webhooks.length, ofOrganization.body.data.webhooks.length]
}
const leave = () => callOrganizations(app, guest, 'leave', { organizationId: owner.organizationId })

const madeKeys = () => [guest.agent, guest.bySession].map(({ key }) => ({ id: key.id, name: key.name, brain: 'brain' }))
const madeWebhooks = () => ['brain', null].map((brain) => ({ id: expect.stringMatching(/^whk_/), url, brain }))
const remove = (extra: object = {}) =>
  callOrganizations(app, owner, 'remove-member', {
    ...{ memberIdOrEmail: guest.email, organizationId: owner.organizationId },
    ...extra,
  })

test.each([
  ['is removed', () => remove()],
  ['leaves', leave],
])(
  'D-13 D-78 a member who %s loses management keys and webhooks, and the answer lists objects that the organization may need',
  async (_how, end) => {
    const ended = await end()
    expect(ended.status).toBe(200)
    expect(ended.body.revoked).toEqual({
      managementKeys: [{ id: guest.keyId, name: 'of the guest' }],
      brainKeys: [],
      webhooks: madeWebhooks(),
      providers: [],
      connectors: [],
      triggers: [],
      schedules: [],
    })
    // Agents of the organization may use them, so they stay, and the answer lists them.
    expect(ended.body.remaining.providers).toEqual([{ name: 'theirs', baseUrl: 'http://127.0.0.1:9/v1' }])
    expect(ended.body.remaining.connectors).toEqual([{ id: expect.stringMatching(/^con_/), name: 'tools', url }])
    expect(ended.body.remaining.triggers).toEqual([{ id: expect.stringMatching(/^trg_/), name: 'watch' }])
    expect(ended.body.remaining.schedules).toEqual([{ id: expect.stringMatching(/^sch_/), cron: '0 9 * * *' }])
    expect(ended.body.remaining.agents).toEqual([{ id: expect.stringMatching(/^agt_/), name: 'Reader' }])
    expect(ended.body.paused).toEqual({ webhooks: [] })
    expect((await app.request('GET', '/v1/providers', { key: owner.key })).body.data.providers).toHaveLength(1)
    expect(ended.body.remaining.brainKeys).toEqual(expect.arrayContaining(madeKeys()))
    const secrets = [guest.secret, guest.agent.secret, guest.bySession.secret, owner.key]
    expect(await Promise.all(secrets.map(works))).toEqual([false, true, true, true])
    expect(await listed()).toEqual(['test: active', 'of the guest: revoked'])
    expect(await countWebhooks()).toEqual([0, 0])
  },
)

test('D-13 the call that removes a member may also revoke the Brain keys that they made', async () => {
  const own = await mintForBrain({ key: owner.key }, 'of the owner')
  const { body } = await remove({ revokeBrainKeys: true })
  expect(body.revoked.brainKeys).toEqual(expect.arrayContaining(madeKeys()))
  expect(body.remaining.brainKeys).toEqual([])
  const secrets = [guest.agent.secret, guest.bySession.secret, own.secret]
  expect(await Promise.all(secrets.map(works))).toEqual([false, false, true])
})

test('D-13 a value that is neither true nor false revokes nothing and removes no one', async () => {
  expect((await remove({ revokeBrainKeys: 'yes' })).status).toBe(400)
  expect(await works(guest.secret)).toBe(true)
})

test('D-13 the owners get an email about the access that ended with a membership', async () => {
  await leave()
  const { rows } = await app.database.pool.query(
    'select subject, body from mail_outbox where recipient = $1 order by id',
    [owner.email],
  )
  expect(rows.at(-1).subject).toBe('Keys ended with a membership')
  expect(rows.at(-1).body).toContain(`${guest.email} is no longer a member`)
  expect(rows.at(-1).body).toContain('- management key “of the guest”')
  expect(rows.at(-1).body).toContain('- Brain key “agent”')
  expect(rows.at(-1).body).toContain('- provider theirs at 127.0.0.1:9')
  expect(rows.at(-1).body).toContain('- connector tools at 127.0.0.1:9')
})

test('D-13 keys of a removed member do not come back with a new invitation', async () => {
  await removeMember(app, owner, guest)
  const body = { email: guest.email, role: 'member', organizationId: owner.organizationId }
  const invited = await callOrganizations(app, owner, 'invite-member', body)
  const accepted = await callOrganizations(app, guest, 'accept-invitation', { invitationId: invited.body.id })
  expect(accepted.status).toBe(200)
  expect(await works(guest.secret)).toBe(false)
  expect(await listed()).toEqual(['test: active', 'of the guest: revoked'])
})

test('D-13 a Brain key that someone else rotated is no longer the member’s, and one that the member rotated is', async () => {
  const kept = await rotate(owner.key, guest.agent.key.id)
  const own = await mintForBrain({ key: owner.key }, 'of the owner')
  const taken = await rotate(guest.secret, own.key.id)
  await remove({ revokeBrainKeys: true })
  expect(await Promise.all([kept.secret, taken.secret].map(works))).toEqual([true, false])
})

test('D-13 a member’s objects in other organizations continue', async () => {
  const other = await createBrain(app)
  const { body } = await callOrganizations(app, other, 'invite-member', {
    ...{ email: guest.email, role: 'member', organizationId: other.organizationId },
  })
  await callOrganizations(app, guest, 'accept-invitation', { invitationId: body.id })
  const there = { ...guest, session: { ...guest.session, 'x-organization-id': other.organizationId } }
  const { secret } = await mint(there, 'elsewhere')
  await removeMember(app, owner, guest)
  expect(await works(secret)).toBe(true)
})

test('D-13 a removal that is refused revokes nothing', async () => {
  const body = { memberIdOrEmail: owner.email, organizationId: owner.organizationId }
  expect((await callOrganizations(app, guest, 'remove-member', body)).status).not.toBe(200)
  expect(await Promise.all([owner.key, guest.secret].map(works))).toEqual([true, true])
})

test('D-13 nothing that is minted while a member is removed outlives the membership', async () => {
  const minting = Array.from({ length: 30 }, (_, index) => [
    app.request('POST', '/v1/keys', { headers: guest.session, body: { name: `race ${index}` } }),
    app.request('POST', `${owner.path}/keys`, {
      key: guest.secret,
      body: { name: `race ${index}`, capabilities: ['read'] },
    }),
  ]).flat()
  const [answers] = await Promise.all([Promise.all(minting), remove({ revokeBrainKeys: true })])
  const secrets = answers.flatMap(({ body }) => (body.data ? [body.data.secret as string] : []))
  expect(await Promise.all(secrets.map(works))).toEqual(secrets.map(() => false))
})

test('D-13 KEY-04 a member revokes their own management keys, and no one else’s', async () => {
  const revoke = (by: Person, id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: by.session })
  const refused = await revoke(guest, owner.keyId)
  expect(refused).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
  expect(await works(owner.key)).toBe(true)
  expect((await revoke(guest, guest.keyId)).status).toBe(200)
  expect((await revoke(guest, 'key_nothing')).status).toBe(404)
})

test('KEY-04 revoking a key lists its objects that continue', async () => {
  const { body } = await app.request('DELETE', `/v1/keys/${guest.keyId}`, { headers: guest.session })
  expect(body.data.remaining).toEqual({
    brainKeys: [{ id: guest.agent.key.id, name: 'agent', brain: 'brain' }],
    webhooks: [{ id: expect.stringMatching(/^whk_/), url, brain: 'brain' }],
    providers: [{ name: 'theirs', baseUrl: 'http://127.0.0.1:9/v1' }],
    connectors: [{ id: expect.stringMatching(/^con_/), name: 'tools', url }],
    triggers: [{ id: expect.stringMatching(/^trg_/), name: 'watch' }],
    schedules: [{ id: expect.stringMatching(/^sch_/), cron: '0 9 * * *' }],
  })
})

test('D-13 KEY-04 owners and admins revoke any management key', async () => {
  const admin = await joinOrganization(app, owner, 'admin')
  const revoke = (by: Person, id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: by.session })
  expect((await revoke(admin, guest.keyId)).status).toBe(200)
  expect((await revoke(admin, owner.keyId)).status).toBe(200)
  const again = await mint(guest, 'again')
  expect((await revoke(owner, again.key.id)).status).toBe(200)
})
