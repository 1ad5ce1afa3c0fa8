import { expect, test } from 'vitest'
import { createMember, signUp } from '../test/app.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'

const app = useApp()
const brain = useBrain(app)

const mint = async (session: Record<string, string>): Promise<string> =>
  (await app.request('POST', '/v1/keys', { headers: session, body: { name: 'test' } })).body.data.secret

test('AUT-01 a credential works the same in authorization and in x-api-key', async () => {
  const keys = [brain.key, await brain.mintKey(['read'])]
  for (const key of keys) {
    const [bearer, apiKey] = [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]
    for (const headers of [bearer, apiKey, { authorization: `bearer ${key}` }]) {
      const { body } = await app.request('GET', '/v1/whoami', { headers })
      expect(body.data.kind).toBe(key.startsWith('nsk_') ? 'management' : 'brain')
    }
  }
})

test.each([
  ['Basic credentials', 'Basic dXNlcjpwYXNz'],
  ['no scheme', 'nsk_1234'],
  ['an empty header', ''],
  ['Bearer and nothing', 'Bearer '],
  ['two credentials', 'Bearer nsk_a nsk_b'],
])('AUT-05 an authorization header with %s is 401', async (_case, authorization) => {
  const refused = await app.request('GET', brain.path, { headers: { authorization } })
  expect(refused).toMatchObject({ status: 401, body: { error: { kind: 'unauthorized' } } })
  expect(refused.headers.get('www-authenticate')).toBe('Bearer')
})

test('AUT-02 a management key makes Brains and reaches every Brain of its organization, naming nothing else', async () => {
  for (const handle of ['first', 'second']) {
    expect((await app.request('PUT', `/v1/brains/${handle}`, { key: brain.key })).status).toBe(201)
    const written = await app.request('POST', `/v1/brains/${handle}/records`, { key: brain.key, body: { kind: 'a' } })
    expect(written.status).toBe(201)
  }
})

test('AUT-03 D-16 whoami returns a Brain key’s one Brain and its granted capabilities, in their usual order', async () => {
  const key = await brain.mintKey(['admin', 'read'])
  const { body } = await app.request('GET', '/v1/whoami', { key })
  expect(body.data).toMatchObject({
    kind: 'brain',
    user: null,
    organizations: [{ id: brain.organizationId, name: 'Somebody' }],
    brain: { id: brain.brain.id, handle: 'brain' },
    capabilities: ['read', 'admin'],
  })
})

test('D-16 whoami returns a management key’s organization and a session’s user and organizations', async () => {
  const byKey = await app.request('GET', '/v1/whoami', { key: brain.key })
  const organizations = [{ id: brain.organizationId, name: 'Somebody' }]
  const capabilities = ['read', 'write', 'review', 'admin']
  expect(byKey.body.data).toMatchObject({ kind: 'management', user: null, organizations, brain: null, capabilities })
  const bySession = await app.request('GET', '/v1/whoami', { headers: brain.session })
  expect(bySession.body.data).toMatchObject({
    kind: 'session',
    user: { id: expect.any(String), email: brain.email, emailVerified: true },
    organizations,
    brain: null,
    capabilities: [],
  })
})

test.each([
  { holds: ['admin'], method: 'GET', below: '/records', needed: 'read', named: 'admin' },
  { holds: ['read', 'review'], method: 'POST', below: '/documents', needed: 'write', named: 'read, review' },
  { holds: ['read', 'write', 'review'], method: 'PATCH', below: '', needed: 'admin', named: 'read, write, review' },
])('AUT-05 a key without $needed is refused with a message that names it and $named', async (row) => {
  const key = await brain.mintKey(row.holds)
  const { status, body } = await brain.call(row.method, row.below, row.method === 'GET' ? undefined : {}, { key })
  expect({ status, kind: body.error.kind }).toEqual({ status: 403, kind: 'forbidden' })
  expect(body.error.message).toContain(`needs ${row.needed};`)
  expect(body.error.message).toContain(`has ${row.named}.`)
})

test('AUT-04 admin reads nothing that the Brain holds', async () => {
  const { body } = await brain.call('POST', '/records', { kind: 'secret' })
  const key = await brain.mintKey(['admin', 'write', 'review'])
  for (const below of ['', '/records', `/records/${body.data.record.id}`, '/documents', '/statements', '/events'])
    expect((await brain.call('GET', below, undefined, { key })).status).toBe(403)
})

test('AUT-05 a request is refused for its credential before anything about its body is said', async () => {
  const key = await brain.mintKey(['read'])
  expect((await brain.call('POST', '/batch', '{"broken', { key })).status).toBe(403)
  expect((await app.request('POST', `${brain.path}/batch`, { body: '{"broken' })).status).toBe(401)
})

test('AUT-07 /v1/keys takes a session with x-organization-id, and says so when the header is missing', async () => {
  const { 'x-organization-id': _left, ...headers } = brain.session
  const refused = await app.request('GET', '/v1/keys', { headers })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(refused.body.error.message).toContain('x-organization-id')
  expect((await app.request('GET', '/v1/keys', { headers: brain.session })).status).toBe(200)
})

test('SUR-11 AUT-07 only x-organization-id distinguishes a foreign organization from its own: 403, whether it exists or not', async () => {
  const stranger = await signUp(app)
  const answers = await Promise.all(
    [brain.organizationId, 'no-such-organization'].map((id) =>
      app.request('GET', '/v1/keys', { headers: { ...stranger.session, 'x-organization-id': id } }),
    ),
  )
  expect(answers[0]).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
  expect(answers[1]?.body).toEqual(answers[0]?.body)
})

test("AUT-07 another organization's key is 404 to revoke, as one that does not exist", async () => {
  const other = await createMember(app)
  const revoke = (id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: brain.session })
  const foreign = await revoke(other.keyId)
  const unknown = await revoke('key_unknown')
  expect(foreign.status).toBe(404)
  expect(foreign.body.error.message.replace(other.keyId, 'key_unknown')).toBe(unknown.body.error.message)
  expect((await app.request('GET', '/v1/whoami', { key: other.key })).status).toBe(200)
})

test('AUT-08 D-13 a removed member’s management keys stop with the next request, and others continue', async () => {
  const guest = await joinOrganization(app, brain)
  const key = await mint(guest.session)
  expect((await app.request('GET', brain.path, { key })).status).toBe(200)
  expect((await removeMember(app, brain, guest)).status).toBe(200)
  expect((await app.request('GET', brain.path, { key })).status).toBe(401)
  expect((await app.request('GET', '/v1/keys', { headers: guest.session })).status).toBe(403)
  expect((await app.request('GET', brain.path, { key: brain.key })).status).toBe(200)
  const listed = await app.request('GET', '/v1/keys?limit=500', { headers: brain.session })
  expect(listed.body.data.keys).toHaveLength(2)
})

test('AUT-08 Brain keys that a removed member minted continue: they belong to the Brain', async () => {
  const guest = await joinOrganization(app, brain)
  const minted = await app.request('POST', `${brain.path}/keys`, {
    key: await mint(guest.session),
    body: { name: 'kept', capabilities: ['read'] },
  })
  await removeMember(app, brain, guest)
  expect((await app.request('GET', brain.path, { key: minted.body.data.secret })).status).toBe(200)
})

test('AUT-09 no table and no log line holds a secret', async () => {
  const secrets = [brain.key, await brain.mintKey(['read'])]
  await app.request('GET', brain.path, { key: `${secrets[0]}x` })
  const { rows } = await app.database.pool.query(
    'select to_jsonb(m)::text as row from management_keys as m union all select to_jsonb(b)::text from brain_keys as b',
  )
  expect(rows.length).toBeGreaterThan(2)
  const kept = [...rows.map(({ row }) => row as string), ...app.logLines].join('\n')
  for (const secret of secrets) expect(kept).not.toContain(secret.slice(8))
})
