import { beforeAll, expect, test } from 'vitest'
import { type Answered, addBrain, createBrain, type TestBrain } from '../test/app.ts'
import { useOwnApp } from '../test/harness.ts'
import { confirmAddress } from '../test/organizations.ts'

const app = useOwnApp({
  NOEMA_TIERS: JSON.stringify({
    unverified: { brains: 2, dailyWrites: 3, dailyMegabytes: 1 },
    free: { brains: 8, dailyWrites: 1000 },
  }),
})

// The clock is stopped, so that no day ends between two calls.
beforeAll(() => app.clock.hold())

const unverified = () => createBrain(app, 'first', { verified: false })
const put = ({ key }: TestBrain, handle: string) => app.request('PUT', `/v1/brains/${handle}`, { key })
const write = (brain: TestBrain) => brain.call('POST', '/records', { kind: 'note' })
const makeBatch = (size: number) => ({ operations: Array(size).fill({ op: 'record.create', kind: 'note' }) })
const setTier = (brain: TestBrain, tier: string) =>
  app.database.pool.query('update organization set tier = $1 where id = $2', [tier, brain.organizationId])

const secondsLeftToday = () => {
  const now = app.clock.now().getTime()
  return Math.ceil((86_400_000 - (now % 86_400_000)) / 1000)
}

/**
 * Expects a 429 that says to come back when the UTC day ends. The clock of the worker for large requests goes on while the test's
 * clock stands still.
 */
const expectSpent = (answer: Answered, code: string) => {
  expect(answer).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited', code } } })
  const early = secondsLeftToday() - Number(answer.headers.get('retry-after'))
  expect(early).toBeGreaterThanOrEqual(0)
  expect(early).toBeLessThan(60)
}

/** Expects a 409 `brain_cap`, which names no time to try again. */
const expectFull = (answer: Answered) => {
  expect(answer).toMatchObject({ status: 409, body: { error: { kind: 'conflict', code: 'brain_cap' } } })
  expect(answer.headers.has('retry-after')).toBe(false)
}

test('AUT-12 D-18 an unverified account has its number of Brains; one more is 409 until one is deleted', async () => {
  const brain = await unverified()
  expect((await put(brain, 'second')).status).toBe(201)
  expectFull(await put(brain, 'third'))
  expect((await put(brain, 'second')).status).toBe(200)
  await app.request('DELETE', '/v1/brains/second', { key: brain.key })
  expect((await put(brain, 'third')).status).toBe(201)
})

test('AUT-12 confirming the address lifts the cap on Brains at once', async () => {
  const brain = await unverified()
  await put(brain, 'second')
  expectFull(await put(brain, 'third'))
  await confirmAddress(app, brain)
  expect((await put(brain, 'third')).status).toBe(201)
})

test('AUT-12 ten concurrent requests for the last Brain that the cap allows create one and all return it', async () => {
  const brain = await unverified()
  const answers = await Promise.all(Array.from({ length: 10 }, () => put(brain, 'second')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201])
})

test('AUT-12 twenty concurrent requests create as many Brains as the cap allows', async () => {
  const brain = await unverified()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(brain, `brain-${index}`)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('AUT-12 SUR-04 an unverified account writes its number of operations a day; one more is 429 and writes nothing', async () => {
  const brain = await unverified()
  expect((await brain.call('POST', '/batch', makeBatch(2))).status).toBe(200)
  expectSpent(await brain.call('POST', '/batch', makeBatch(2)), 'write_cap')
  expect((await write(brain)).status).toBe(201)
  expectSpent(await write(brain), 'write_cap')
  const { body } = await brain.call('GET', '/records')
  expect(body.data.records).toHaveLength(3)
})

test('AUT-12 every Brain of an organization counts towards its daily writes, and a Brain key spends them too', async () => {
  const brain = await unverified()
  await put(brain, 'second')
  await brain.call('POST', '/batch', makeBatch(2))
  const elsewhere = () => app.request('POST', '/v1/brains/second/records', { key: brain.key, body: { kind: 'note' } })
  expect((await elsewhere()).status).toBe(201)
  expectSpent(await elsewhere(), 'write_cap')
  const key = await brain.mintKey(['write'])
  expectSpent(await brain.call('POST', '/records', { kind: 'note' }, { key }), 'write_cap')
})

test('AUT-12 of ten concurrent writes exactly as many are applied as the day has left', async () => {
  const brain = await unverified()
  const answers = await Promise.all(Array.from({ length: 10 }, () => write(brain)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7)
})

test('AUT-12 confirming the address lifts the cap on writes at once, and reads were never capped', async () => {
  const brain = await unverified()
  await brain.call('POST', '/batch', makeBatch(3))
  expectSpent(await write(brain), 'write_cap')
  expect((await brain.call('GET', '/records')).status).toBe(200)
  await confirmAddress(app, brain)
  expect((await write(brain)).status).toBe(201)
})

test('AUT-12 the next UTC day begins with no writes spent', async () => {
  const brain = await unverified()
  await brain.call('POST', '/batch', makeBatch(3))
  expectSpent(await write(brain), 'write_cap')
  app.clock.advance({ seconds: secondsLeftToday() + 1 })
  expect((await brain.call('POST', '/batch', makeBatch(3))).status).toBe(200)
  expectSpent(await write(brain), 'write_cap')
})

test('AUT-12 D-18 the staff tier has no cap, verified or not', async () => {
  const brain = await unverified()
  await setTier(brain, 'staff')
  expect((await brain.call('POST', '/batch', makeBatch(20))).status).toBe(200)
  for (const handle of ['second', 'third', 'fourth']) expect((await put(brain, handle)).status).toBe(201)
})

test('AUT-12 D-18 an unverified account has the smallest caps in any tier', async () => {
  const brain = await unverified()
  await setTier(brain, 'business')
  expectSpent(await brain.call('POST', '/batch', makeBatch(4)), 'write_cap')
})

test('AUT-12 D-18 the bytes of content of a day are counted: more is 429 until the day ends, and reads continue', async () => {
  const brain = await unverified()
  const text = 'x'.repeat(600_000)
  expect((await brain.call('POST', '/documents', { id: 'one', text })).status).toBe(201)
  expectSpent(await brain.call('POST', '/documents', { id: 'two', text }), 'content_cap')
  expect((await brain.call('POST', '/documents', { id: 'one', text })).status).toBe(200)
  expect((await brain.call('GET', '/documents/one')).status).toBe(200)
  app.clock.advance({ seconds: secondsLeftToday() + 1 })
  expect((await brain.call('POST', '/documents', { id: 'two', text })).status).toBe(201)
})

test('AUT-12 D-18 spent caps of writes and of Brains stop no read and no export', async () => {
  const brain = await unverified()
  await put(brain, 'second')
  await brain.call('POST', '/batch', makeBatch(3))
  expectSpent(await write(brain), 'write_cap')
  expectFull(await put(brain, 'third'))
  const reads = ['/records', '/events', '/documents', '/search?q=note', '/schema', '/export', '/export?history=true']
  const answers = [
    ...(await Promise.all(reads.map((below) => brain.call('GET', below)))),
    await brain.call('POST', '/context', { query: 'note' }),
    await brain.call('POST', '/query', { kind: 'note' }),
    await app.request('GET', '/v1/organization/export', { key: brain.key }),
    await app.request('GET', '/v1/brains', { key: brain.key }),
    await app.request('GET', '/v1/audit', { key: brain.key }),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

test('AUT-12 D-18 a write that changes nothing is taken at a spent cap, and counts nothing', async () => {
  const brain = await unverified()
  await brain.call('PUT', '/records/same', { kind: 'note' })
  for (let n = 0; n < 5; n++) expect((await brain.call('PUT', '/records/same', { kind: 'note' })).status).toBe(200)
  await brain.call('POST', '/batch', makeBatch(2))
  expectSpent(await write(brain), 'write_cap')
  expect((await brain.call('PUT', '/records/same', { kind: 'note' })).status).toBe(200)
  expect((await brain.call('PATCH', '/records/same', {})).status).toBe(200)
})

/** Brains of two organizations of one confirmed account. */
const brainsOfTwoOrganizations = async () => {
  const first = await createBrain(app, 'first')
  const made = await app.request('POST', '/api/auth/organization/create', {
    headers: first.session,
    body: { name: 'Second', slug: `second-${first.organizationId.toLowerCase()}` },
  })
  const session = { ...first.session, 'x-organization-id': made.body.id }
  const minted = await app.request('POST', '/v1/keys', { headers: session, body: { name: 'second' } })
  const second = await addBrain(
    app,
    { ...first, session, organizationId: made.body.id, key: minted.body.data.secret },
    'second',
  )
  return [first, second] as const
}

test('D-18 caps count for an owner over all organizations that the account owns', async () => {
  const [first, second] = await brainsOfTwoOrganizations()
  for (let n = 0; n < 6; n++) expect((await put(n % 2 === 0 ? first : second, `more-${n}`)).status).toBe(201)
  expectFull(await put(first, 'ninth'))
  expectFull(await put(second, 'ninth'))
  expect((await first.call('POST', '/batch', makeBatch(600))).status).toBe(200)
  expectSpent(await second.call('POST', '/batch', makeBatch(600)), 'write_cap')
  expect((await second.call('POST', '/batch', makeBatch(400))).status).toBe(200)
  expectSpent(await first.call('POST', '/records', { kind: 'note' }), 'write_cap')
})

test('D-18 of sixteen concurrent batches over Brains of two organizations no more are applied than the cap allows', async () => {
  const brains = await brainsOfTwoOrganizations()
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => (brains[n % 2] ?? brains[0]).call('POST', '/batch', makeBatch(150))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(200), ...Array(10).fill(429)])
})

test('D-24 BRN-05 the row that is left of a deleted Brain has neither name nor purpose', async () => {
  const brain = await createBrain(app, 'named')
  await brain.call('PATCH', '', { name: 'A secret name', purpose: 'A secret purpose' })
  await brain.call('DELETE', '')
  const { rows } = await app.database.pool.query('select name, purpose from brains where id = $1', [brain.brain.id])
  expect(rows).toEqual([{ name: null, purpose: null }])
})

test('D-18 an organization has so many keys and schemas, and a Brain so many keys: one more is 409, and revoking makes room', async () => {
  const node = await app.startNode({ NOEMA_MAX_KEYS: '2', NOEMA_MAX_SCHEMAS: '2' })
  const brain = await createBrain(app, 'kept')
  const mint = (name: string) => node.request('POST', '/v1/keys', { headers: brain.session, body: { name } })
  const full = { status: 409, body: { error: { code: 'too_many_keys' } } }
  expect((await mint('second')).status).toBe(201)
  expect(await mint('third')).toMatchObject(full)
  await app.request('DELETE', `/v1/keys/${brain.keyId}`, { headers: brain.session })
  const { secret: key } = (await mint('third')).body.data
  const mintForBrain = () =>
    node.request('POST', `${brain.path}/keys`, { key, body: { name: 'agent', capabilities: ['read'] } })
  expect([(await mintForBrain()).status, (await mintForBrain()).status]).toEqual([201, 201])
  expect(await mintForBrain()).toMatchObject(full)
  const declare = (name: string) => node.request('PUT', `/v1/schemas/${name}`, { key, body: { kinds: [] } })
  expect([(await declare('one')).status, (await declare('two')).status]).toEqual([201, 201])
  expect(await declare('three')).toMatchObject({ status: 409, body: { error: { code: 'too_many_schemas' } } })
  await node.close()
})

test('D-15b a repeat of the request that took the last place for a key is answered with that key', async () => {
  const node = await app.startNode({ NOEMA_MAX_KEYS: '2' })
  const { session, path, key } = await createBrain(app, 'last-place')
  const mint = (n: number) =>
    node.request('POST', '/v1/keys', { headers: session, body: { name: `key ${n}`, idempotencyKey: `mint-${n}` } })
  const mintForBrain = (n: number) =>
    node.request('POST', `${path}/keys`, {
      ...{ key, body: { name: `agent ${n}`, capabilities: ['read'], idempotencyKey: `mint-${n}` } },
    })
  await mintForBrain(1)
  for (const ask of [mint, mintForBrain]) {
    const [first, repeated] = await Promise.all([ask(2), ask(2)])
    expect([first.status, repeated.status, (await ask(2)).status].toSorted()).toEqual([200, 200, 201])
    expect(first.body.data.key.id).toBe(repeated.body.data.key.id)
    expect((await ask(3)).body.error.code).toBe('too_many_keys')
  }
  await node.close()
})

test('D-18 concurrent requests for keys and schemas, on two nodes, create as many as are allowed', async () => {
  const settings = { NOEMA_MAX_KEYS: '4', NOEMA_MAX_SCHEMAS: '3' }
  const nodes = [await app.startNode(settings), await app.startNode(settings)]
  const brain = await createBrain(app, 'crowded')
  const { key } = brain
  const ask = (times: number, send: (node: (typeof nodes)[number], n: number) => Promise<Answered>) =>
    Promise.all(Array.from({ length: times }, (_, n) => send(nodes[n % 2] as (typeof nodes)[number], n)))
  const made = (answers: Answered[]) => answers.filter(({ status }) => status === 201).length
  const minted = await ask(10, ({ request }, n) =>
    request('POST', '/v1/keys', { headers: brain.session, body: { name: `key ${n}` } }),
  )
  const ofBrain = await ask(10, ({ request }, n) =>
    request('POST', `${brain.path}/keys`, { key, body: { name: `agent ${n}`, capabilities: ['read'] } }),
  )
  const schemas = await ask(10, ({ request }, n) =>
    request('PUT', `/v1/schemas/name-${n}`, { key, body: { kinds: [] } }),
  )
  expect([made(minted), made(ofBrain), made(schemas)]).toEqual([3, 4, 3])
  for (const { close } of nodes) await close()
})
