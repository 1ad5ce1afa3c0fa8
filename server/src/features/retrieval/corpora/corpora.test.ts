import { expect, test } from 'vitest'
import { addBrain, createBrain, createMember } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'

const app = useApp()
const member = useMember(app)

const call = (method: string, path: string, body?: object, key = member.key) =>
  app.request(method, `/v1/corpora${path}`, { key, ...(body ? { body } : {}) })
const put = (name: string, ...brains: (string | object)[]) =>
  call('PUT', `/${name}`, { parts: brains.map((one) => (typeof one === 'string' ? { brain: one } : one)) })

test('COR-01 a corpus is created, read, listed, replaced whole and deleted, and the audit log says so', async () => {
  await addBrain(app, member, 'one')
  await addBrain(app, member, 'two')
  const full = {
    ...{ brain: 'two', asOf: 0, types: ['document'], kinds: ['team'], sources: ['wiki'] },
    where: { team: 'core', year: 2020 },
  }
  const made = await put('all', 'one', full)
  expect(made).toMatchObject({ status: 201, body: { data: { corpus: { name: 'all' } } } })
  expect(made.body.data.corpus.parts).toEqual([{ brain: 'one' }, full])
  expect((await put('all', 'one', full)).status).toBe(200)
  expect((await call('GET', '/all')).body.data.corpus).toEqual(made.body.data.corpus)
  expect((await put('all', 'two')).body.data.corpus.parts).toEqual([{ brain: 'two' }])
  await put('both', 'one', 'two')
  const page = (await call('GET', '?limit=1')).body.data
  expect(page).toMatchObject({ corpora: [{ name: 'all', parts: [{ brain: 'two' }] }], hasMore: true })
  expect((await call('GET', `?after=${page.cursor}`)).body.data).toMatchObject({
    corpora: [{ name: 'both' }],
    hasMore: false,
  })
  expect((await call('DELETE', '/all')).body.data).toEqual({ deleted: true })
  expect([(await call('GET', '/all')).status, (await call('DELETE', '/all')).status]).toEqual([404, 404])
  const { entries } = (await app.request('GET', '/v1/audit?target=all', { key: member.key })).body.data
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    ...['corpus.stored', 'corpus.stored', 'corpus.deleted'],
  ])
})

test('COR-01 a malformed corpus is refused, with the place of the error', async () => {
  await addBrain(app, member, 'known')
  const parts = (count: number) => Array.from({ length: count }, (_, at) => ({ brain: `b${at}` }))
  expect((await put('Bad!', 'known')).status).toBe(400)
  for (const body of [{}, { parts: [] }, { parts: parts(21) }, { parts: [{ brain: 'known', more: 1 }] }])
    expect((await call('PUT', '/bad', body)).status, JSON.stringify(body)).toBe(400)
  const twice = await put('bad', 'known', { brain: 'known', types: ['record'] })
  expect(twice).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('Name each Brain once') } },
  })
  const unknown = await put('bad', 'known', 'unknown')
  expect(unknown).toMatchObject({ status: 404, body: { error: { details: [{ path: 'body.parts.1.brain' }] } } })
  expect((await call('GET', '/bad')).status).toBe(404)
})

test('COR-01 of two corpora that are put at once, one is there whole', async () => {
  for (const handle of ['left', 'right']) await addBrain(app, member, handle)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => (at % 2 ? put('raced', 'left') : put('raced', 'right', 'left'))),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201])
  const { parts } = (await call('GET', '/raced')).body.data.corpus
  expect([[{ brain: 'left' }], [{ brain: 'right' }, { brain: 'left' }]]).toContainEqual(parts)
})

test('COR-06 a corpus of another organization is one that does not exist, and Brain keys reach none', async () => {
  await addBrain(app, member, 'mine')
  await put('mine', 'mine')
  const stranger = await createBrain(app)
  expect((await call('GET', '/mine', undefined, stranger.key)).status).toBe(404)
  expect((await call('DELETE', '/mine', undefined, stranger.key)).status).toBe(404)
  expect((await call('POST', '/mine/search', { q: 'x' }, stranger.key)).status).toBe(404)
  expect((await call('PUT', '/theirs', { parts: [{ brain: 'mine' }] }, stranger.key)).status).toBe(404)
  const brainKey = await stranger.mintKey(['read', 'write', 'review', 'admin'])
  expect((await call('GET', '', undefined, brainKey)).status).toBe(401)
})

test('COR-07 an organization has so many corpora: one more is 409, a replacement is not, and deleting makes room', async () => {
  const node = await app.startNode({ NOEMA_MAX_CORPORA: '2' })
  const brain = await createBrain(app, 'kept')
  const send = (method: string, name: string) =>
    node.request(method, `/v1/corpora/${name}`, {
      key: brain.key,
      ...(method === 'PUT' ? { body: { parts: [{ brain: 'kept' }] } } : {}),
    })
  const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => send('PUT', name)))
  expect(all.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
  const [full] = all.filter(({ status }) => status === 409)
  expect(full?.body.error.code).toBe('too_many_corpora')
  const made = ['a', 'b', 'c', 'd'][all.findIndex(({ status }) => status === 201)] ?? ''
  expect((await send('PUT', made)).status).toBe(200)
  await send('DELETE', made)
  expect((await send('PUT', 'later')).status).toBe(201)
  await node.close()
})

test('COR-08 a part whose Brain was deleted stays without a name, and a new Brain of the same handle is not in it', async () => {
  const brain = await addBrain(app, member, 'gone')
  await addBrain(app, member, 'stays')
  await put('rest', 'gone', 'stays')
  await brain.call('DELETE', '')
  const parts = async () => (await call('GET', '/rest')).body.data.corpus.parts
  expect(await parts()).toEqual([{ brain: null }, { brain: 'stays' }])
  await addBrain(app, member, 'gone')
  expect(await parts()).toEqual([{ brain: null }, { brain: 'stays' }])
})

test('COR-08 a corpus stays when the member who made it leaves', async () => {
  const owner = await createMember(app)
  const maker = await joinOrganization(app, owner, 'admin')
  await addBrain(app, owner, 'shared')
  const session = { headers: maker.session }
  const body = { parts: [{ brain: 'shared' }] }
  expect((await app.request('PUT', '/v1/corpora/made', { ...session, body })).status).toBe(201)
  await removeMember(app, owner, maker)
  expect((await app.request('GET', '/v1/corpora/made', session)).status).toBe(403)
  expect((await call('POST', '/made/search', { q: 'x' }, owner.key)).status).toBe(200)
})
