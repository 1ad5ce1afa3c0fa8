import { brain as brainSchema } from '@noema/contracts/brains.ts'
import { expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

const app = useOwnApp()
const member = useMember(app)
let made = 0

const fresh = () => `brain-${++made}`
const put = (handle: string, body?: unknown) =>
  app.request('PUT', `/v1/brains/${handle}`, { key: member.key, ...(body === undefined ? {} : { body }) })
const get = async (handle: string) =>
  (await app.request('GET', `/v1/brains/${handle}`, { key: member.key })).body.data.brain
const patch = (handle: string, body: unknown) => app.request('PATCH', `/v1/brains/${handle}`, { key: member.key, body })

test('BRN-01 D-20 PUT makes a Brain with a name, purpose and mode and answers it whole', async () => {
  const handle = fresh()
  const { status, body } = await put(handle, { name: 'Notes', purpose: 'What we know', mode: 'review' })
  expect(status).toBe(201)
  expect(body.data.brain).toEqual({
    id: expect.stringMatching(/^brn_/),
    handle,
    name: 'Notes',
    purpose: 'What we know',
    mode: 'review',
    availability: 'active',
    stateVersion: 0,
    schemaVersion: 0,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: body.data.brain.createdAt,
  })
  expect(brainSchema.strict().safeParse(body.data.brain).success).toBe(true)
  expect(await get(handle)).toMatchObject(body.data.brain)
})

test.each([
  ['no body', undefined],
  ['an empty body', {}],
])('D-20 PUT with %s makes a Brain in direct mode without name or purpose', async (_case, body) => {
  const answer = await put(fresh(), body)
  expect(answer).toMatchObject({
    status: 201,
    body: { data: { brain: { name: null, purpose: null, mode: 'direct' } } },
  })
})

test('BRN-01 repeating a PUT is one write: 200, the same Brain, nothing moved', async () => {
  const handle = fresh()
  const first = await put(handle, { name: 'Notes' })
  app.clock.advance({ minutes: 1 })
  const second = await put(handle, { name: 'Notes' })
  expect([first.status, second.status]).toEqual([201, 200])
  expect(second.body).toEqual(first.body)
})

test('BRN-01 D-20 a repeat changes the name and purpose that it gives, and never the mode', async () => {
  const handle = fresh()
  await put(handle, { name: 'Old', purpose: 'Kept' })
  const { body } = await put(handle, { name: 'New', mode: 'review' })
  expect(body.data.brain).toMatchObject({ name: 'New', purpose: 'Kept', mode: 'direct' })
})

test('BRN-01 thirty PUTs at once make one Brain', async () => {
  const handle = fresh()
  const answers = await Promise.all(Array.from({ length: 30 }, () => put(handle, { name: 'Race' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(29).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.data.brain.id)).size).toBe(1)
})

test.each(['a', '0', 'a-', '9-lives', 'x'.repeat(63)])('D-20 %s is a handle', async (handle) => {
  expect((await put(handle)).body.data.brain.handle).toBe(handle)
})

test.each(['Upper', '-a', 'x'.repeat(64), 'a_b', 'a.b', 'a%20b', 'a%0A', 'caf%C3%A9', 'a%2Fb', 'x'.repeat(1500)])(
  'D-20 %s is no handle: 400 with the rule',
  async (handle) => {
    const refused = await put(handle)
    expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
    expect(refused.body.error.message).toContain('a-z')
  },
)

test('D-20 a handle with NUL is 400, and calls that arrive with it are not drawn in', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => put(index % 4 === 0 ? '%00' : fresh())))
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_answer, index) => (index % 4 === 0 ? 400 : 201)))
})

test.each([
  ['an unknown mode', { mode: 'auto' }],
  ['an empty name', { name: '' }],
  ['a name of 201 characters', { name: 'x'.repeat(201) }],
  ['a purpose of 2001 characters', { purpose: 'x'.repeat(2001) }],
  ['a list', []],
  ['text', '"name"'],
  ['null', 'null'],
])('BRN-01 %s as body is 400 and makes nothing', async (_case, body) => {
  const handle = fresh()
  expect((await put(handle, body)).status).toBe(400)
  expect((await app.request('GET', `/v1/brains/${handle}`, { key: member.key })).status).toBe(404)
})

test('SUR-08 an undeclared field of PUT and PATCH is dropped', async () => {
  const handle = fresh()
  const created = await put(handle, { name: 'Notes', color: 'red' })
  expect(created.status).toBe(201)
  expect(created.body.data.brain).not.toHaveProperty('color')
  expect((await patch(handle, { color: 'red' })).status).toBe(200)
})

test('D-21 two organizations may use one handle, and each reaches its own Brain', async () => {
  const handle = fresh()
  const stranger = await createMember(app)
  const mine = await put(handle, { name: 'Mine' })
  const theirs = await app.request('PUT', `/v1/brains/${handle}`, { key: stranger.key, body: { name: 'Theirs' } })
  expect(theirs.status).toBe(201)
  expect(theirs.body.data.brain.id).not.toBe(mine.body.data.brain.id)
  expect((await get(handle)).name).toBe('Mine')
})

test("BRN-02 the list has the organization's Brains by handle, and pages by cursor without loss or repeat", async () => {
  const owner = await createMember(app)
  const list = async (query: string) => (await app.request('GET', `/v1/brains${query}`, { key: owner.key })).body.data
  expect(await list('')).toEqual({ brains: [], cursor: expect.any(String), hasMore: false })
  for (const handle of ['c', 'a', 'e', 'b', 'd'])
    await app.request('PUT', `/v1/brains/${handle}`, { key: owner.key, body: {} })
  const handles: string[] = []
  let page = await list('?limit=2')
  for (;;) {
    handles.push(...page.brains.map(({ handle }: { handle: string }) => handle))
    if (!page.hasMore) break
    page = await list(`?limit=2&after=${page.cursor}`)
  }
  expect(handles).toEqual(['a', 'b', 'c', 'd', 'e'])
  await app.request('PUT', '/v1/brains/f', { key: owner.key })
  expect((await list(`?after=${page.cursor}`)).brains).toMatchObject([{ handle: 'f' }])
})

test.each(['0', '501', '-1', '1.5', 'ten', ''])('D-03 limit=%s is 400', async (limit) => {
  const refused = await app.request('GET', `/v1/brains?limit=${limit}`, { key: member.key })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(refused.body.error.message).toContain('1 to 500')
})

test("D-54b a cursor of another list or organization is 400 on the organization's list", async () => {
  const handle = fresh()
  await put(handle)
  const stranger = await createMember(app)
  const cursors = [
    (await app.request('GET', `/v1/brains/${handle}/events`, { key: member.key })).body.data.cursor,
    (await app.request('GET', '/v1/keys', { headers: member.session })).body.data.cursor,
    (await app.request('GET', '/v1/brains', { key: stranger.key })).body.data.cursor,
  ]
  for (const cursor of cursors)
    expect((await app.request('GET', `/v1/brains?after=${cursor}`, { key: member.key })).status).toBe(400)
})

test('BRN-03 D-22 PATCH switches the mode and changes name and purpose; missing fields stay', async () => {
  const handle = fresh()
  await put(handle, { name: 'Notes', purpose: 'Old' })
  const { status, body } = await patch(handle, { mode: 'review', purpose: 'New' })
  expect(status).toBe(200)
  expect(body.data.brain).toMatchObject({ name: 'Notes', purpose: 'New', mode: 'review' })
  expect(await get(handle)).toMatchObject(body.data.brain)
  expect((await patch(handle, { mode: 'direct' })).body.data.brain.mode).toBe('direct')
})

test.each([
  ['an unknown mode', { mode: 'auto' }],
  ['an unknown rule', { reviewRules: { always: ['record.create'] } }],
  ['rules that are no object', { reviewRules: true }],
])('D-22 PATCH with %s is 400 and changes nothing', async (_case, body) => {
  const handle = fresh()
  await put(handle)
  const before = await get(handle)
  expect((await patch(handle, body)).status).toBe(400)
  expect(await get(handle)).toEqual(before)
})

test('BRN-03 PATCH of a handle that is no Brain is 404, for an admin key of another Brain too', async () => {
  expect((await patch('nothing-here', { mode: 'review' })).status).toBe(404)
})

test('BRN-01 neither PUT nor PATCH is on the event stream: it reports content', async () => {
  const handle = fresh()
  await put(handle)
  await put(handle, { name: 'New' })
  await patch(handle, { mode: 'review' })
  const { body } = await app.request('GET', `/v1/brains/${handle}/events`, { key: member.key })
  expect(body.data).toMatchObject({ events: [], hasMore: false })
})

test('D-22 AUT-05 a Brain key that tries to change name or purpose learns which capability it needs and which it has', async () => {
  const handle = fresh()
  await put(handle)
  const body = { name: 'admin alone', capabilities: ['admin'] }
  const { secret } = (await app.request('POST', `/v1/brains/${handle}/keys`, { key: member.key, body })).body.data
  const refused = await app.request('PATCH', `/v1/brains/${handle}`, { key: secret, body: { purpose: 'Another' } })
  expect([refused.status, refused.body.error.kind]).toEqual([403, 'forbidden'])
  expect(refused.body.error.message).toMatch(/needs a management key or a session; the key has admin\./)
})
