import { brainKey } from '@noema/contracts/keys.ts'
import { beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useBrainPerTest, useMember, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)
beforeAll(async () => {
  // The rotation's overlap is met to the millisecond below.
  app.clock.hold()
})

const mint = (body: object, key = brain.key) => brain.call('POST', '/keys', body, { key })
const list = async (query = '') => (await brain.call('GET', `/keys${query}`)).body.data
const rotate = (id: string) => brain.call('POST', `/keys/${id}/rotate`)
const revoke = (id: string) => brain.call('DELETE', `/keys/${id}`)
const statusFor = async (key: string) => (await brain.call('GET', '/records', undefined, { key })).status

test('KEY-05 a minted Brain key answers its record, its capabilities in their usual order, and its secret', async () => {
  const { status, body } = await mint({ name: 'agent', capabilities: ['write', 'read', 'write'] })
  expect(status).toBe(201)
  expect(body.data).toEqual({
    key: {
      id: expect.stringMatching(/^key_/),
      name: 'agent',
      capabilities: ['read', 'write'],
      status: 'active',
      prefix: body.data.secret.slice(0, 8),
      createdAt: app.clock.now().toISOString(),
      createdBy: brain.keyId,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    },
    secret: expect.stringMatching(/^nbk_/),
  })
  expect(await statusFor(body.data.secret)).toBe(200)
})

test.each([
  ['no capabilities', { name: 'test' }],
  ['an empty list of capabilities', { name: 'test', capabilities: [] }],
  ['an unknown capability', { name: 'test', capabilities: ['export'] }],
  ['capabilities that are no list', { name: 'test', capabilities: 'read' }],
  ['a preset', { name: 'test', capabilities: ['read'], preset: 'reader' }],
  ['an expiry', { name: 'test', capabilities: ['read'], expiresAt: '2030-01-01T00:00:00Z' }],
  ['no name', { capabilities: ['read'] }],
  ['an idempotencyKey with a space', { name: 'test', capabilities: ['read'], idempotencyKey: 'a b' }],
])('KEY-05 SUR-07 %s is 400 and mints nothing', async (_case, body) => {
  expect(await mint(body)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect((await list()).keys).toEqual([])
})

test('KEY-05 without idempotencyKey each call mints a new key', async () => {
  const body = { name: 'same', capabilities: ['read'] }
  const answers = [await mint(body), await mint(body)]
  expect(new Set(answers.map((answer) => answer.body.data.secret)).size).toBe(2)
})

test('KEY-06 a replay with the same idempotencyKey answers the same key with a null secret', async () => {
  const body = { name: 'once', capabilities: ['read', 'write'], idempotencyKey: 'k-1' }
  const first = await mint(body)
  const replay = await mint({ ...body, capabilities: ['write', 'read'] })
  expect(replay.status).toBe(200)
  expect(replay.body.data).toEqual({ key: first.body.data.key, secret: null })
  expect((await list()).keys).toHaveLength(1)
})

test('KEY-06 D-15b the same idempotencyKey with another name or other capabilities is 409', async () => {
  const body = { name: 'once', capabilities: ['read'], idempotencyKey: 'k-1' }
  await mint(body)
  for (const other of [{ name: 'twice' }, { capabilities: ['read', 'admin'] }])
    expect(await mint({ ...body, ...other })).toMatchObject({ status: 409, body: { error: { kind: 'conflict' } } })
})

test('KEY-06 a replay returns the key’s current state', async () => {
  const body = { name: 'once', capabilities: ['read'], idempotencyKey: 'k-1' }
  const { id } = (await mint(body)).body.data.key
  await revoke(id)
  expect((await mint(body)).body.data).toMatchObject({ key: { id, status: 'revoked' }, secret: null })
})

test('KEY-06 twenty concurrent mints with one idempotencyKey create one key and return its secret once', async () => {
  const body = { name: 'race', capabilities: ['read'], idempotencyKey: 'k-race' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => mint(body)))
  expect(new Set(answers.map((answer) => answer.body.data.key.id)).size).toBe(1)
  expect(answers.filter((answer) => answer.body.data.secret !== null)).toHaveLength(1)
  expect((await list()).keys).toHaveLength(1)
})

test('KEY-06 an idempotencyKey belongs to one Brain and to the key that sent it', async () => {
  const body = { name: 'once', capabilities: ['read'], idempotencyKey: 'k-1' }
  await mint(body)
  const second = await app.request('POST', '/v1/keys', { headers: brain.session, body: { name: 'second' } })
  expect((await mint(body, second.body.data.secret)).status).toBe(201)
  await app.request('PUT', `${brain.path}-other`, { key: brain.key })
  expect((await app.request('POST', `${brain.path}-other/keys`, { key: brain.key, body })).status).toBe(201)
})

test('KEY-07 the old secret of a rotated key works for 60 more seconds and then stops', async () => {
  const { body } = await mint({ name: 'agent', capabilities: ['read'] })
  const { key, secret: old } = body.data
  const rotated = await rotate(key.id)
  const { secret } = rotated.body.data
  app.clock.advance({ seconds: 59.999 })
  expect([await statusFor(old), await statusFor(secret)]).toEqual([200, 200])
  app.clock.advance({ seconds: 0.001 })
  expect([await statusFor(old), await statusFor(secret)]).toEqual([401, 200])
})

test('KEY-07 D-15 a rotation answers the replacement, its secret, and until when the old one works', async () => {
  const { body } = await mint({ name: 'agent', capabilities: ['read', 'admin'] })
  const { id } = body.data.key
  const rotated = await rotate(id)
  expect(rotated.status).toBe(201)
  const worksUntil = new Date(app.clock.now().getTime() + 60_000).toISOString()
  expect(rotated.body.data).toEqual({
    key: expect.objectContaining({
      name: 'agent',
      capabilities: ['read', 'admin'],
      status: 'active',
      replacedBy: null,
    }),
    secret: expect.stringMatching(/^nbk_/),
    previous: { id, worksUntil },
  })
  app.clock.advance({ minutes: 2 })
  const { keys } = await list()
  expect(keys[0]).toMatchObject({ id, status: 'expired', expiresAt: worksUntil, replacedBy: rotated.body.data.key.id })
  expect(keys[1]).toEqual(rotated.body.data.key)
})

test('KEY-07 a key is rotated once, also by twenty requests at once; its replacement can be rotated in turn', async () => {
  const { id } = (await mint({ name: 'agent', capabilities: ['read'] })).body.data.key
  const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(id)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  const again = await rotate(id)
  expect(again).toMatchObject({ status: 409, body: { error: { kind: 'conflict' } } })
  const replacement = answers.find(({ status }) => status === 201)
  expect((await rotate(replacement?.body.data.key.id)).status).toBe(201)
})

test('KEY-07 a revoked key cannot be rotated, nor one that does not exist', async () => {
  const { id } = (await mint({ name: 'agent', capabilities: ['read'] })).body.data.key
  await revoke(id)
  expect((await rotate(id)).status).toBe(409)
  expect((await rotate('key_nothing')).status).toBe(404)
})

test('KEY-07 revoking a rotated key ends its 60 seconds at once', async () => {
  const { body } = await mint({ name: 'agent', capabilities: ['read'] })
  await rotate(body.data.key.id)
  await revoke(body.data.key.id)
  expect(await statusFor(body.data.secret)).toBe(401)
})

test('KEY-08 a revoked Brain key stops on the next request; revoking again changes nothing', async () => {
  const { body } = await mint({ name: 'agent', capabilities: ['read'] })
  const { id } = body.data.key
  const first = await revoke(id)
  expect(first).toMatchObject({ status: 200, body: { data: { key: { id, status: 'revoked' } } } })
  expect(await statusFor(body.data.secret)).toBe(401)
  app.clock.advance({ minutes: 5 })
  expect((await revoke(id)).body).toEqual(first.body)
})

test('KEY-08 AUT-20 revoking a Brain key pauses and lists the webhooks that it made or held, once', async () => {
  const { key, secret } = (await mint({ name: 'agent', capabilities: ['read', 'admin'] })).body.data
  const hook = (port: number) => ({ url: `http://127.0.0.1:${port}/`, types: ['record.accepted'] })
  const create = async (by: string) =>
    (await brain.call('POST', '/webhooks', hook(9), { key: by })).body.data.webhook.id
  const [made, turned, kept] = [await create(secret), await create(brain.key), await create(brain.key)]
  await brain.call('PATCH', `/webhooks/${turned}`, { url: hook(10).url }, { key: secret })
  const read = async (id: string) => (await brain.call('GET', `/webhooks/${id}`)).body.data.webhook
  const { paused } = (await revoke(key.id)).body.data
  const { handle } = brain.brain
  expect(paused.webhooks.sort((a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id))).toEqual([
    { id: made, url: hook(9).url, brain: handle },
    { id: turned, url: hook(10).url, brain: handle },
  ])
  expect(await read(made)).toMatchObject({ paused: true, ownerLeft: true })
  expect(await read(kept)).toMatchObject({ paused: false, ownerLeft: false })
  await brain.call('PATCH', `/webhooks/${made}`, { url: hook(9).url, paused: false })
  expect((await revoke(key.id)).body.data.paused).toEqual({ webhooks: [] })
  expect(await read(made)).toMatchObject({ paused: false, ownerLeft: false })
})

test('KEY-08 AUT-20 the webhooks of a replaced key go on until its last replacement is revoked', async () => {
  const { key, secret } = (await mint({ name: 'agent', capabilities: ['read', 'admin'] })).body.data
  const hook = { url: 'http://127.0.0.1:9/', types: ['record.accepted'] }
  const { id } = (await brain.call('POST', '/webhooks', hook, { key: secret })).body.data.webhook
  const second = (await rotate(key.id)).body.data.key.id
  const third = (await rotate(second)).body.data.key.id
  expect((await revoke(second)).body.data.paused).toEqual({ webhooks: [] })
  expect((await revoke(third)).body.data.paused.webhooks).toMatchObject([{ id }])
})

test('KEY-08 a revocation on one node acts on the next request on every other', async () => {
  const node = await app.startNode()
  const { body } = await mint({ name: 'agent', capabilities: ['read'] })
  const read = () => node.request('GET', brain.path, { key: body.data.secret })
  expect((await read()).status).toBe(200)
  await revoke(body.data.key.id)
  expect((await read()).status).toBe(401)
  await node.close()
})

test("KEY-08 SUR-11 a key is reached through its own Brain alone: another Brain's and another organization's are 404", async () => {
  const { body } = await mint({ name: 'agent', capabilities: ['read'] })
  const { id } = body.data.key
  await app.request('PUT', `${brain.path}-other`, { key: brain.key })
  const stranger = await createMember(app)
  await app.request('PUT', brain.path, { key: stranger.key })
  const attempts = [
    await app.request('DELETE', `${brain.path}-other/keys/${id}`, { key: brain.key }),
    await app.request('POST', `${brain.path}-other/keys/${id}/rotate`, { key: brain.key }),
    await app.request('DELETE', `${brain.path}/keys/${id}`, { key: stranger.key }),
  ]
  expect(attempts.map(({ status }) => status)).toEqual([404, 404, 404])
  expect(await statusFor(body.data.secret)).toBe(200)
})

test("D-15 the list of a Brain's keys has revoked ones and never a secret, and pages by cursor", async () => {
  const secrets = []
  for (const name of ['a', 'b', 'c']) secrets.push((await mint({ name, capabilities: ['read'] })).body.data)
  await revoke(secrets[1].key.id)
  const first = await list('?limit=2')
  const rest = await list(`?limit=2&after=${first.cursor}`)
  const keys = [...first.keys, ...rest.keys]
  expect(keys.map(({ name, status }) => `${name} ${status}`)).toEqual(['a active', 'b revoked', 'c active'])
  expect([first.hasMore, rest.hasMore]).toEqual([true, false])
  for (const { secret } of secrets) expect(JSON.stringify(keys)).not.toContain(secret.slice(8))
  for (const key of keys) expect(brainKey.strict().safeParse(key).success).toBe(true)
})

test('D-18 KEY-07 keys that were replaced or have expired leave room for others', async () => {
  const node = await app.startNode({ NOEMA_MAX_KEYS: '2' })
  const mintHere = (path: string, body: object, headers: Record<string, string>) =>
    node.request('POST', path, { headers, body: { name: 'one more', ...body } })
  const mintForBrain = () => mintHere(`${brain.path}/keys`, { capabilities: ['read'] }, member.session)
  const { id } = (await mintForBrain()).body.data.key
  expect((await rotate(id)).status).toBe(201)
  expect((await mintForBrain()).body.error.code).toBe('too_many_keys')
  app.clock.advance({ minutes: 1 })
  expect((await mintForBrain()).status).toBe(201)
  expect((await mintForBrain()).body.error.code).toBe('too_many_keys')
  const other = await createMember(app)
  const expiresAt = new Date(app.clock.now().getTime() + 25 * 3_600_000).toISOString()
  const mintExpiring = () => mintHere('/v1/keys', { expiresAt }, other.session)
  expect((await mintExpiring()).status).toBe(201)
  expect((await mintExpiring()).body.error.code).toBe('too_many_keys')
  app.clock.advance({ minutes: 25 * 60 })
  expect((await mintHere('/v1/keys', {}, other.session)).status).toBe(201)
  await node.close()
})
