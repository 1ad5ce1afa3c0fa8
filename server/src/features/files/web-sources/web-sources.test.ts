import { expect, test } from 'vitest'
import { listAudit, listEvents } from './reading.fixture.ts'
import { toHtml, useWebSources } from './use-web-sources.fixture.ts'

const { app, site, pass, start, add, read, readPage, readDocument, readState } = useWebSources({
  NOEMA_MAX_WEB_SOURCES: '2',
  NOEMA_MAX_WEB_PAGES: '3',
  NOEMA_WEB_REFRESH_HOURS: '2',
  NOEMA_TIERS: '{"free":{"webPages":4}}',
})

test('WEB-01 one call adds a page, which becomes a document that search finds by its source and that names its URL', async () => {
  const { brain } = await start()
  site.pages.set('/moon', toHtml('The Moon', 'The Moon orbits the Earth in 27 days.'))
  const added = await add(brain, ['/moon'])
  expect(added).toMatchObject({
    status: 200,
    body: { data: { webSource: { source: 'wiki', refreshHours: 24, pages: { total: 1, waiting: 1 }, paused: null } } },
  })
  expect(await readPage(brain, '/moon')).toMatchObject({ status: 'waiting', checkedAt: null })
  await pass()
  const url = `${site.base}/moon`
  expect(await readPage(brain, '/moon')).toEqual({
    ...{ url, documentId: url, status: 'current', title: 'The Moon', httpStatus: 200, error: null },
    ...{ checkedAt: expect.any(String), fetchedAt: expect.any(String), nextAt: expect.any(String) },
  })
  expect((await readDocument(brain, '/moon')).body.data.document).toMatchObject({
    ...{ id: url, title: 'The Moon', contentType: 'text/markdown', source: { name: 'wiki', uri: url } },
    ...{
      text: '# The Moon\n\nThe Moon orbits the Earth in 27 days.',
      metadata: { url, fetchedAt: expect.any(String) },
    },
    provenance: { source: url, actor: { type: 'system' } },
  })
  const found = await brain.call('GET', '/search?q=orbits&source=wiki')
  expect(found.body.data.results).toMatchObject([{ id: url }])
  expect((await brain.call('GET', '/search?q=orbits&source=other')).body.data.results).toEqual([])
})

test('WEB-02 PUT sets all pages, a repeat changes nothing, and a page that is left out is retired', async () => {
  const { brain } = await start()
  site.pages.set('/a', toHtml('A', 'Alpha.')).set('/b', toHtml('B', 'Beta.'))
  const put = (paths: string[], more = {}) =>
    brain.call('PUT', '/web-sources/wiki', { urls: paths.map((path) => site.base + path), refreshHours: 6, ...more })
  const made = (await put(['/a', '/b', '/a#part'])).body.data.webSource
  expect(made).toMatchObject({ refreshHours: 6, pages: { total: 2 } })
  await pass()
  const before = await read(brain)
  expect((await put(['/b', '/a'])).body.data.webSource).toEqual(before.webSource)
  site.takePaths()
  await pass()
  expect(site.takePaths()).toEqual([])
  await put(['/b'])
  expect((await read(brain)).pages.map(({ url }: { url: string }) => url)).toEqual([`${site.base}/b`])
  await pass()
  expect((await readDocument(brain, '/a')).status).toBe(404)
  expect((await readDocument(brain, '/b')).status).toBe(200)
  // Added again, it begins again.
  await add(brain, ['/a'])
  await pass()
  expect((await readDocument(brain, '/a')).body.data.document).toMatchObject({ version: 2, text: '# A\n\nAlpha.' })
})

test('WEB-02 pages are removed by their URLs, a source can be deleted without its documents, and both are in the audit log', async () => {
  const { brain } = await start()
  site.pages.set('/a', toHtml('A', 'Alpha.')).set('/b', toHtml('B', 'Beta.'))
  await add(brain, ['/a', '/b'])
  await pass()
  await brain.call('POST', '/web-sources/wiki/pages', { remove: [`${site.base}/a`, 'no url'] })
  await pass()
  expect((await readDocument(brain, '/a')).status).toBe(404)
  expect((await brain.call('DELETE', '/web-sources/wiki')).body.data).toEqual({ deleted: true })
  expect((await brain.call('DELETE', '/web-sources/wiki')).status).toBe(404)
  expect((await brain.call('GET', '/web-sources')).body.data.webSources).toEqual([])
  app.clock.advance({ days: 30 })
  site.takePaths()
  await pass()
  expect(site.takePaths()).toEqual([])
  expect((await readDocument(brain, '/b')).status).toBe(200)
  expect(await listAudit(app, brain, 'web_source')).toMatchObject([
    { action: 'web_source.deleted', target: { type: 'web_source', id: 'wiki' }, before: { pages: 1 } },
    { action: 'web_source.changed', after: { pages: 1, added: 0, removed: 1 } },
    { action: 'web_source.changed', after: { pages: 2, added: 2 } },
  ])
})

test('WEB-03 a refresh is one change with its snapshot, and none if no page differs', async () => {
  const { brain } = await start()
  site.pages.set('/a', toHtml('A', 'Alpha.')).set('/b', toHtml('B', 'Beta.'))
  await add(brain, ['/a', '/b'])
  await pass()
  expect(await readState(brain)).toBe(1)
  app.clock.advance({ minutes: 24 * 60 + 1 })
  site.takePaths()
  await pass()
  expect(site.takePaths()).toEqual(['/a', '/b'])
  expect(await readState(brain)).toBe(1)
  site.pages.set('/a', toHtml('A', 'Alpha and more.')).set('/b', toHtml('B', 'Beta and more.'))
  app.clock.advance({ minutes: 24 * 60 })
  await pass()
  expect(await readState(brain)).toBe(2)
  const { webSource } = await read(brain)
  const events = await listEvents(brain)
  expect(events.map(({ type }) => type)).toEqual([
    ...['document.served', 'document.served', 'snapshot.applied'],
    ...['document.served', 'document.served', 'snapshot.applied'],
  ])
  expect(events[3]?.data.change).toBe(webSource.lastChange)
  const { snapshots } = (await brain.call('GET', '/sources/wiki/snapshots')).body.data
  expect(snapshots).toMatchObject([
    { status: 'applied', counts: { add: 2 } },
    { status: 'applied', counts: { update: 2 } },
  ])
})

test('WEB-09 sources, pages and intervals have limits, and so has an account', async () => {
  const { brain } = await start()
  const code = (status: number, name: string) => ({ status, body: { error: { code: name } } })
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `/${prefix}${index}`)
  expect(await add(brain, names(4, 'p'))).toMatchObject(code(409, 'too_many_web_pages'))
  expect((await brain.call('GET', '/web-sources/wiki')).status).toBe(404)
  expect((await add(brain, names(3, 'p'))).status).toBe(200)
  const other = (name: string, paths: string[]) =>
    brain.call('POST', `/web-sources/${name}/pages`, { add: paths.map((path) => site.base + path) })
  expect(await other('more', names(2, 'q'))).toMatchObject(code(409, 'web_page_cap'))
  expect((await other('more', names(1, 'q'))).status).toBe(200)
  expect(await other('third', ['/x'])).toMatchObject(code(409, 'too_many_web_sources'))
  expect((await add(brain, ['/p0'], { refreshHours: 1 })).body.error.message).toContain('at least 2 hours')
  const refresh = () => brain.call('POST', '/web-sources/wiki/refresh')
  expect((await refresh()).status).toBe(200)
  expect((await refresh()).status).toBe(429)
  app.clock.advance({ seconds: 61 })
  expect((await refresh()).status).toBe(200)
})
