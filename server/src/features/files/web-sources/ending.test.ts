import { expect, test } from 'vitest'
import type { TestBrain } from '../../../test/app.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { toHtml, useWebSources } from './use-web-sources.fixture.ts'

const { app, site, createWork, pass, start, add, read, readPage, readDocument } = useWebSources({
  NOEMA_TIERS: '{"free":{"dailyWrites":3}}',
  NOEMA_MAX_WEB_FETCHES: '32/8/8',
})

const page = (path: string) => site.pages.set(path, toHtml('Page', `Text of ${path}.`))
/** The notifications of web sources that go on. */
const listFailing = async ({ session }: TestBrain) => {
  const { body } = await app.request('GET', '/v1/notifications', { headers: session })
  return body.data.notifications.filter(
    ({ kind, resolvedAt }: { kind: string; resolvedAt?: string }) => kind === 'web_source.failing' && !resolvedAt,
  )
}

const refreshed = async () => {
  app.clock.advance({ days: 1 })
  site.takePaths()
  await pass()
  return site.takePaths()
}

test('WEB-12 a source ends with the access of its author, says so, and goes on with the member who refreshes it', async () => {
  const { brain } = await start()
  page('/key')
  const minted = await brain.call('POST', '/keys', { name: 'crawler', capabilities: ['write', 'admin', 'read'] })
  const { key, secret } = minted.body.data
  await brain.call('POST', '/web-sources/wiki/pages', { add: [`${site.base}/key`] }, { key: secret })
  await pass()
  expect((await read(brain)).webSource.author).toMatchObject({ type: 'key', id: key.id })
  await brain.call('DELETE', `/keys/${key.id}`)
  expect(await refreshed()).toEqual([])
  expect((await read(brain)).webSource).toMatchObject({ paused: { reason: expect.stringContaining('has ended') } })
  expect((await readDocument(brain, '/key')).status).toBe(200)
  expect(await listFailing(brain)).toMatchObject([
    { brain: brain.brain.handle, target: { type: 'web_source', name: 'wiki' }, title: expect.stringContaining('wiki') },
  ])
  await brain.call('POST', '/web-sources/wiki/refresh')
  await pass()
  expect(site.takePaths()).toEqual(['/key'])
  expect((await read(brain)).webSource).toMatchObject({ paused: null, author: { type: 'key', id: brain.keyId } })
})

test('WEB-15 people are notified of a page that failed three times in a row, until it is fetched', async () => {
  const { brain } = await start()
  site.pages.set('/often', 500)
  await add(brain, ['/often'])
  for (const times of [1, 2, 3]) {
    await refreshed()
    expect(await listFailing(brain)).toHaveLength(times < 3 ? 0 : 1)
  }
  page('/often')
  await refreshed()
  expect(await listFailing(brain)).toEqual([])
})

test('WEB-12 pages of a person who left, or to whom the Brain is not open any more, are not fetched', async () => {
  const { brain, member } = await start()
  page('/person')
  const guest = await joinOrganization(app, member)
  const set = (headers: Record<string, string>) =>
    app.request('POST', `${brain.path}/web-sources/wiki/pages`, { headers, body: { add: [`${site.base}/person`] } })
  expect((await set(guest.session)).status).toBe(200)
  expect(await refreshed()).toEqual(['/person'])
  await removeMember(app, member, guest)
  expect(await refreshed()).toEqual([])
  expect((await read(brain)).webSource.paused).not.toBeNull()
  const other = await start()
  const second = await joinOrganization(app, other.member)
  await app.request('POST', `${other.brain.path}/web-sources/wiki/pages`, {
    ...{ headers: second.session, body: { add: [`${site.base}/person`] } },
  })
  await other.brain.call('PATCH', '/access', { openTo: 'members' })
  expect(await refreshed()).toEqual([])
})

test('WEB-12 a key needs write and admin to set pages, and read to see them', async () => {
  const { brain } = await start()
  const call = async (capabilities: string[], method: string, below: string, body?: object) =>
    (await brain.call(method, below, body, { key: await brain.mintKey(capabilities) })).status
  const body = { add: ['https://example.com/'] }
  expect(await call(['write', 'read'], 'POST', '/web-sources/wiki/pages', body)).toBe(403)
  expect(await call(['write', 'admin'], 'POST', '/web-sources/wiki/pages', body)).toBe(200)
  expect(await call(['write', 'admin'], 'GET', '/web-sources')).toBe(403)
  expect(await call(['read'], 'GET', '/web-sources/wiki')).toBe(200)
})

test('WEB-13 a held Brain fetches nothing and goes on after it, and a deleted one leaves nothing', async () => {
  const { brain } = await start()
  page('/held')
  await add(brain, ['/held'])
  await brain.call('PUT', '/hold', { reason: 'Audit' })
  await pass()
  expect(site.takePaths()).toEqual([])
  await brain.call('DELETE', '/hold')
  await pass()
  expect(site.takePaths()).toEqual(['/held'])
  await brain.call('DELETE', '', undefined)
  expect(await refreshed()).toEqual([])
})

test('WEB-13 beyond the writes of the day a refresh waits with its texts, says so, and writes them without another fetch', async () => {
  const { brain } = await start()
  for (const path of ['/c1', '/c2', '/c3', '/c4']) page(path)
  await add(brain, ['/c1', '/c2', '/c3', '/c4'])
  await pass()
  expect(site.takePaths()).toHaveLength(4)
  expect((await read(brain)).webSource).toMatchObject({ problem: expect.stringContaining('write operations of today') })
  expect((await readDocument(brain, '/c1')).status).toBe(404)
  await brain.call('POST', '/web-sources/wiki/pages', { remove: [`${site.base}/c4`] })
  await pass()
  expect(site.takePaths()).toEqual([])
  expect((await readDocument(brain, '/c1')).status).toBe(200)
  expect((await read(brain)).webSource.problem).toBeNull()
})

/** A node that stops in the midst of a fetch, as if it were killed: its lease stays. */
const killInFetch = async (brain: TestBrain, path: string) => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const { promise: never } = Promise.withResolvers<void>()
  site.pages.set(path, (response) => {
    resolve()
    void never.then(() => response.end())
  })
  const work = createWork()
  const { rows } = await work.lease({
    ...{ keys: [String(await findNumber(brain))], lease: 'of a dead node', now: app.clock.now() },
    until: new Date(app.clock.now().getTime() + 60_000),
    running: { free: 10, maxOfOrganization: 10, organizations: [], owners: [] },
  })
  const turn = { storeOutcome: async () => true, stopping: new AbortController().signal }
  void work.run(rows[0] as (typeof rows)[number], turn).catch(() => undefined)
  await asked
}

const findNumber = async (brain: TestBrain): Promise<number> =>
  (await app.database.pool.query('select brain_id from brains where id = $1', [brain.brain.id])).rows[0].brain_id

test('WEB-14 when a node dies, another goes on after its lease with the pages that it had not fetched, and makes one change', async () => {
  const { brain } = await start()
  page('/d1')
  await add(brain, ['/d1', '/d2'])
  await killInFetch(brain, '/d2')
  expect(site.takePaths()).toEqual(['/d1', '/d2'])
  page('/d2')
  await pass()
  expect(site.takePaths()).toEqual([])
  app.clock.advance({ seconds: 61 })
  await pass()
  expect(site.takePaths()).toEqual(['/d2'])
  expect((await brain.call('GET', '/changes')).body.data.changes).toHaveLength(1)
  expect(await readPage(brain, '/d1')).toMatchObject({ status: 'current' })
})

test('WEB-14 two nodes fetch each page once', async () => {
  const { brain } = await start()
  const paths = ['/n1', '/n2', '/n3']
  for (const path of paths) page(path)
  await add(brain, paths)
  await Promise.all([pass(), pass(), runPass(app.app.deps, createWork())])
  await pass()
  expect(site.takePaths().sort()).toEqual(paths)
  expect((await brain.call('GET', '/changes')).body.data.changes).toHaveLength(1)
})
