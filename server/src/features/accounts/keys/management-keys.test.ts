import { managementKey } from '@noema/contracts/keys.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { confirmAddress, joinOrganization } from '../../../test/organizations.ts'

const app = useOwnApp()
let member: Awaited<ReturnType<typeof signUp>>
beforeAll(async () => {
  // Limits are met to the millisecond below.
  app.clock.hold()
})
beforeEach(async () => {
  member = await signUp(app)
})

const mint = (body: object, session = member.session) => app.request('POST', '/v1/keys', { headers: session, body })
const list = async (query = '') => (await app.request('GET', `/v1/keys${query}`, { headers: member.session })).body.data
const revoke = (id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: member.session })
const whoami = (key: string) => app.request('GET', '/v1/whoami', { key })

const day = 86_400_000
const daysAhead = (days: number, milliseconds = 0) =>
  new Date(app.clock.now().getTime() + days * day + milliseconds).toISOString()

test('KEY-01 a minted key answers its record and its secret', async () => {
  const { status, body } = await mint({ name: 'deploy', expiresAt: daysAhead(30) })
  expect(status).toBe(201)
  expect(body.data).toEqual({
    key: {
      id: expect.stringMatching(/^key_/),
      name: 'deploy',
      organizationId: member.organizationId,
      status: 'active',
      prefix: body.data.secret.slice(0, 8),
      createdAt: app.clock.now().toISOString(),
      createdBy: expect.any(String),
      lastUsedAt: null,
      expiresAt: daysAhead(30),
      revokedAt: null,
    },
    secret: expect.stringMatching(/^nsk_/),
  })
  expect((await whoami(body.data.secret)).status).toBe(200)
})

test.each([
  ['exactly 1 day ahead', 1, 0, 201],
  ['exactly 365 days ahead', 365, 0, 201],
  ['a millisecond less than 1 day ahead', 1, -1, 400],
  ['a millisecond more than 365 days ahead', 365, 1, 400],
  ['in the past', -1, 0, 400],
])('KEY-01 expiresAt %s', async (_case, days, milliseconds, status) => {
  const answer = await mint({ name: 'test', expiresAt: daysAhead(days, milliseconds) })
  expect(answer.status).toBe(status)
  if (status === 400) expect(answer.body.error.message).toContain('1 to 365 days')
  expect((await list()).keys).toHaveLength(status === 201 ? 1 : 0)
})

test('KEY-01 expiresAt is taken with any offset and answered in UTC with milliseconds', async () => {
  const local = `${new Date(app.clock.now().getTime() + 10 * day + 2 * 3_600_000).toISOString().slice(0, 19)}+02:00`
  const { body } = await mint({ name: 'test', expiresAt: local })
  expect(body.data.key.expiresAt).toBe(`${daysAhead(10).slice(0, 19)}.000Z`)
})

test.each([
  ['no name', {}],
  ['an empty name', { name: '' }],
  ['a name of 201 characters', { name: 'x'.repeat(201) }],
  ['a name that is a number', { name: 7 }],
  ['an expiresAt that is a date alone', { name: 'test', expiresAt: '2030-01-01' }],
  ['an expiresAt without offset', { name: 'test', expiresAt: '2030-01-01T00:00:00' }],
  ['an empty idempotencyKey', { name: 'test', idempotencyKey: '' }],
])('KEY-01 %s is 400 and mints nothing', async (_case, body) => {
  expect(await mint(body)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect((await list()).keys).toEqual([])
})

test('KEY-02 without idempotencyKey each call mints a new key', async () => {
  const [first, second] = [await mint({ name: 'same' }), await mint({ name: 'same' })]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(first.body.data.secret).not.toBe(second.body.data.secret)
  expect((await list()).keys).toHaveLength(2)
})

test('KEY-02 D-15b a replay answers the key with a null secret; another name or expiry under its idempotencyKey is 409', async () => {
  const body = { name: 'once', expiresAt: daysAhead(2), idempotencyKey: 'k-1' }
  const first = await mint(body)
  const replay = await mint(body)
  expect(replay.status).toBe(200)
  expect(replay.body.data).toEqual({ key: first.body.data.key, secret: null })
  for (const other of [{ name: 'twice' }, { expiresAt: daysAhead(3) }, { expiresAt: undefined }])
    expect(await mint({ ...body, ...other })).toMatchObject({ status: 409, body: { error: { kind: 'conflict' } } })
  expect((await list()).keys).toHaveLength(1)
})

test('KEY-02 a replay answers also when its expiry is no longer a day ahead', async () => {
  const body = { name: 'once', expiresAt: daysAhead(1), idempotencyKey: 'k-1' }
  const first = await mint(body)
  app.clock.advance({ seconds: 60 })
  expect(await mint(body)).toMatchObject({ status: 200, body: { data: { key: { id: first.body.data.key.id } } } })
})

test('KEY-02 an idempotencyKey belongs to the member who sent it', async () => {
  await confirmAddress(app, member)
  const guest = await joinOrganization(app, member)
  const [mine, theirs] = [
    await mint({ name: 'a', idempotencyKey: 'k' }),
    await mint({ name: 'b', idempotencyKey: 'k' }, guest.session),
  ]
  expect([mine.status, theirs.status]).toEqual([201, 201])
})

test('KEY-02 twenty concurrent mints with one idempotencyKey create one key and return its secret once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => mint({ name: 'race', idempotencyKey: 'k-race' })))
  expect(new Set(answers.map(({ body }) => body.data.key.id)).size).toBe(1)
  expect(answers.filter(({ body }) => body.data.secret !== null)).toHaveLength(1)
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect((await list()).keys).toHaveLength(1)
})

test('KEY-03 the list has active, revoked and expired keys, oldest first, and never a secret', async () => {
  const active = await mint({ name: 'active' })
  const expiring = await mint({ name: 'expiring', expiresAt: daysAhead(1) })
  const revoked = await mint({ name: 'revoked' })
  await revoke(revoked.body.data.key.id)
  app.clock.advance({ days: 1 })
  const { keys } = await list()
  const shown = keys.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)
  expect(shown).toEqual(['active active', 'expiring expired', 'revoked revoked'])
  const text = JSON.stringify(keys)
  for (const { body } of [active, expiring, revoked]) expect(text).not.toContain(body.data.secret.slice(8))
  for (const key of keys) expect(managementKey.strict().safeParse(key).success).toBe(true)
})

test('KEY-01 a key works until its expiry and not at it', async () => {
  const { body } = await mint({ name: 'short', expiresAt: daysAhead(1, 1) })
  app.clock.advance({ days: 1 })
  expect((await whoami(body.data.secret)).status).toBe(200)
  app.clock.advance({ seconds: 0.001 })
  expect((await whoami(body.data.secret)).status).toBe(401)
})

test('KEY-03 D-03 the list pages by cursor, each key once', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await mint({ name })
  const names: string[] = []
  for (let query = '?limit=2'; query !== ''; ) {
    const page = await list(query)
    names.push(...page.keys.map((key: { name: string }) => key.name))
    query = page.hasMore ? `?limit=2&after=${page.cursor}` : ''
  }
  expect(names).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test("KEY-03 D-54b another organization's cursor is 400", async () => {
  await mint({ name: 'mine' })
  const { cursor } = await list()
  const stranger = await signUp(app)
  const refused = await app.request('GET', `/v1/keys?after=${cursor}`, { headers: stranger.session })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})

test('KEY-04 a revoked key stops on the next request and stays listed; revoking again changes nothing', async () => {
  const { body } = await mint({ name: 'gone' })
  const { id } = body.data.key
  const first = await revoke(id)
  expect(first).toMatchObject({ status: 200, body: { data: { key: { id, status: 'revoked' } } } })
  expect((await whoami(body.data.secret)).status).toBe(401)
  app.clock.advance({ minutes: 5 })
  expect((await revoke(id)).body).toEqual(first.body)
  expect((await list()).keys).toEqual([first.body.data.key])
})

test('KEY-04 a revocation on one node acts on the next request on every other', async () => {
  const node = await app.startNode()
  const { body } = await mint({ name: 'shared' })
  const { secret: key } = body.data
  expect((await node.request('GET', '/v1/whoami', { key })).status).toBe(200)
  await revoke(body.data.key.id)
  expect((await node.request('GET', '/v1/whoami', { key })).status).toBe(401)
  await node.close()
})

test('KEY-04 an unknown key is 404', async () => {
  expect(await revoke('key_nothing')).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
})

test('D-15 lastUsedAt follows the use of a key', async () => {
  const { body } = await mint({ name: 'used' })
  await whoami(body.data.secret)
  const worker = app.app.workers.find(({ name }) => name === 'note the use of keys')
  await worker?.run()
  expect((await list()).keys[0].lastUsedAt).toBe(app.clock.now().toISOString())
})
