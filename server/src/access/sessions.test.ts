import { beforeAll, expect, test } from 'vitest'
import { type Answered, createBrain, signUp } from '../test/app.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'

// People on /v1 in a browser have the rights of a management key of their organization, under their own name.

const app = useApp()
const brain = useBrain(app)
let userId: string
beforeAll(async () => {
  userId = await readUser(brain.session)
})

type Headers = Record<string, string>

const person = () => ({ type: 'session', id: userId, userId })

const readUser = async (headers: Headers): Promise<string> =>
  (await app.request('GET', '/v1/whoami', { headers })).body.data.user.id

const bySession = (method: string, below: string, body?: unknown, headers: Headers = {}): Promise<Answered> =>
  app.request(method, brain.path + below, {
    headers: { ...brain.session, ...headers },
    ...(body === undefined ? {} : { body }),
  })

test('D-13b D-35 a session’s writes are recorded under the person', async () => {
  const { status, body } = await bySession('POST', '/records', { kind: 'note' })
  expect(status).toBe(201)
  const { record, change } = body.data
  expect(record.provenance).toEqual({ change: change.id, key: userId, actor: person() })
  expect((await bySession('GET', `/changes/${change.id}`)).body.data.change.stagedBy).toBe(userId)
})

test('D-13b changes that a session stages and decides are recorded under the person', async () => {
  await bySession('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  const { body: made } = await bySession('POST', '/records', { kind: 'note' })
  const { body: staged } = await bySession('DELETE', `/records/${made.data.record.id}`)
  const decided = await bySession('POST', `/changes/${staged.data.change.id}/decide`, { decision: 'approved' })
  expect(decided.body.data.change).toMatchObject({ stagedBy: userId, decidedBy: userId, application: 'applied' })
})

test('D-13b a session makes and manages a Brain, its keys, its holds and webhooks, under the person', async () => {
  const headers = brain.session
  expect((await app.request('PUT', '/v1/brains/second', { headers, body: {} })).status).toBe(201)
  const at = (method: string, below: string, body?: unknown) =>
    app.request(method, `/v1/brains/second${below}`, { headers, ...(body === undefined ? {} : { body }) })
  const { body: minted } = await at('POST', '/keys', { name: 'agent', capabilities: ['read'] })
  expect(minted.data.key.createdBy).toBe(userId)
  const { body: rotated } = await at('POST', `/keys/${minted.data.key.id}/rotate`)
  expect(rotated.data.key.createdBy).toBe(userId)
  const webhook = { url: 'http://127.0.0.1:9/hook', types: ['record.accepted'] }
  const created = { createdByKeyId: userId, createdByActor: person() }
  expect((await at('POST', '/webhooks', webhook)).body.data.webhook).toMatchObject(created)
  const organizationWebhook = { headers, body: { url: 'http://127.0.0.1:9/hook', events: ['run.completed'] } }
  expect((await app.request('POST', '/v1/webhooks', organizationWebhook)).body.data.webhook).toMatchObject(created)
  expect((await at('PUT', '/hold', { reason: 'audit' })).body.data.hold).toMatchObject({
    by: userId,
    byActor: person(),
  })
  expect((await at('DELETE', '/hold')).status).toBe(200)
  expect((await at('DELETE', '')).status).toBe(200)
})

test('IDM-02 D-13b a session’s Idempotency-Key belongs to the person: to all of their sessions and to no one else', async () => {
  const guest = await joinOrganization(app, brain)
  const body = { operations: [{ op: 'record.create', kind: 'once' }] }
  const key = { 'idempotency-key': 'k-1' }
  const post = async (headers: Headers) => {
    const answer = await app.request('POST', `${brain.path}/batch`, { headers: { ...headers, ...key }, body })
    return answer.body.data.change.id
  }
  const signIn = { email: brain.email, password: 'correct horse battery' }
  const signedIn = await app.request('POST', '/api/auth/sign-in/email', {
    headers: { origin: 'http://noema.test' },
    body: signIn,
  })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const first = await post(brain.session)
  expect(await post({ ...brain.session, cookie })).toBe(first)
  const others = [await post(guest.session), await post({ authorization: `Bearer ${brain.key}` })]
  expect(new Set([first, ...others]).size).toBe(3)
})

test('D-13b a person acts in each of their organizations, by the header alone', async () => {
  const other = await createBrain(app)
  const guest = await joinOrganization(app, other)
  const own = (await app.request('GET', '/v1/whoami', { headers: guest.session })).body.data.organizations
  const named = (id: string) => ({ headers: { ...guest.session, 'x-organization-id': id } })
  const lists = await Promise.all(own.map(({ id }: { id: string }) => app.request('GET', '/v1/brains', named(id))))
  expect(lists.map(({ body }) => body.data.brains.length).sort()).toEqual([0, 1])
})

test('D-13b a key that is sent with a cookie counts alone', async () => {
  const stranger = await signUp(app)
  const headers = { ...stranger.session, authorization: `Bearer ${brain.key}`, origin: 'https://elsewhere.example' }
  expect((await app.request('GET', brain.path, { headers })).status).toBe(200)
})
