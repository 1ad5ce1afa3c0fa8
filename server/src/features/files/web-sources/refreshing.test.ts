import { expect, test } from 'vitest'
import { makePdf } from '../../../../../bench/parts/sample-files.ts'
import type { TestBrain } from '../../../test/app.ts'
import { listEvents } from './reading.fixture.ts'
import { toHtml, useWebSources } from './use-web-sources.fixture.ts'

const { app, site, createWork, pass, start, add, read, readPage, readDocument, readState } = useWebSources({
  NOEMA_WEB_MEGABYTES: '1',
})

const day = { minutes: 24 * 60 }
const refreshed = async (brain: TestBrain) => {
  app.clock.advance(day)
  site.takePaths()
  await pass()
  return read(brain)
}

test('WEB-04 a page that says that it is unchanged is not read again', async () => {
  const { brain } = await start()
  let sent = 0
  site.pages.set('/tagged', (response, headers) => {
    if (headers['if-none-match'] === '"one"' && headers['if-modified-since'] !== undefined) {
      response.writeHead(304).end()
      return
    }
    sent++
    const validators = { etag: '"one"', 'last-modified': 'Wed, 01 Apr 2026 10:00:00 GMT' }
    response.writeHead(200, { 'content-type': 'text/html', ...validators }).end(toHtml('Tagged', 'One.'))
  })
  await add(brain, ['/tagged'])
  await pass()
  await refreshed(brain)
  expect(sent).toBe(1)
  expect(await readPage(brain, '/tagged')).toMatchObject({ status: 'current', httpStatus: 304 })
  expect(await readState(brain)).toBe(1)
})

test('WEB-05 a page that cannot be read keeps its last text and says why, and recovers', async () => {
  const { brain } = await start()
  site.pages.set('/shaky', toHtml('Shaky', 'First.'))
  await add(brain, ['/shaky'])
  await pass()
  const broken: [Parameters<typeof site.pages.set>[1], RegExp][] = [
    [500, /status 500/],
    [403, /refuses access to this page \(403\)/],
    [(response) => response.destroy(), /connection was closed/],
    [(response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('x'), /type of which no text/],
    [(response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'.repeat(2_000_000)), /longer than/],
    [(response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), /compressed/],
    [(response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('x'), /broken/],
    ['<p></p>', /has no text/],
    [(response) => response.writeHead(302, { location: '/shaky' }).end(), /redirects more than 5 times/],
    [(response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(), /not a public internet address/],
    [(response) => response.writeHead(302, { location: 'ftp://a' }).end(), /https/],
  ]
  for (const [served, error] of broken) {
    site.pages.set('/shaky', served)
    await refreshed(brain)
    expect(await readPage(brain, '/shaky')).toMatchObject({ status: 'failing', error: expect.stringMatching(error) })
  }
  expect((await read(brain)).webSource.pages).toMatchObject({ failing: 1 })
  expect((await readDocument(brain, '/shaky')).body.data.document).toMatchObject({
    version: 1,
    text: '# Shaky\n\nFirst.',
  })
  site.pages.set('/shaky', toHtml('Shaky', 'Second.'))
  await refreshed(brain)
  expect(await readPage(brain, '/shaky')).toMatchObject({ status: 'current', error: null })
  expect((await readDocument(brain, '/shaky')).body.data.document).toMatchObject({ version: 2 })
})

test('WEB-05 a failure that may pass is retried after a quarter of an hour', async () => {
  const { brain } = await start()
  site.pages.set('/busy', 503)
  await add(brain, ['/busy'])
  await pass()
  site.pages.set('/busy', toHtml('Busy', 'Now.'))
  app.clock.advance({ minutes: 14 })
  await pass()
  expect((await readPage(brain, '/busy')).status).toBe('failing')
  app.clock.advance({ minutes: 2 })
  await pass()
  expect((await readPage(brain, '/busy')).status).toBe('current')
})

test('WEB-07 a site that asks to wait is not asked before, for any of its pages, and no page against its robots.txt', async () => {
  const { brain } = await start()
  const work = createWork()
  site.pages.set('/slow', (response) => response.writeHead(429, { 'retry-after': '172800' }).end())
  site.pages.set('/slow2', toHtml('Slow', 'Two.'))
  await add(brain, ['/slow', '/slow2'])
  await pass(work)
  expect(site.takePaths()).toEqual(['/slow'])
  expect(await readPage(brain, '/slow2')).toMatchObject({ error: expect.stringContaining('asked to wait until') })
  app.clock.advance({ minutes: 47 * 60 })
  await brain.call('POST', '/web-sources/wiki/refresh')
  await pass(work)
  expect(site.takePaths()).toEqual([])
  site.pages.set('/slow', toHtml('Slow', 'One.'))
  app.clock.advance({ minutes: 70 })
  await pass(work)
  expect(site.takePaths().sort()).toEqual(['/slow', '/slow2'])
  const other = await start()
  site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /private')
  site.pages.set('/private', toHtml('Private', 'Secret.')).set('/open', (response) => {
    response.writeHead(301, { location: '/private' }).end()
  })
  await add(other.brain, ['/private', '/open'])
  await pass()
  expect(site.takePaths()).toEqual(['/open'])
  for (const path of ['/private', '/open'])
    expect(await readPage(other.brain, path)).toMatchObject({ error: expect.stringContaining('robots.txt') })
  site.pages.delete('/robots.txt')
  const agents = new Set(site.requests.map(({ headers }) => headers['user-agent']))
  for (const agent of agents) expect(agent).toMatch(/compatible; noema\/[\d.]+; \+http.*\/docs\/guides\/web-pages\)/)
})

test('WEB-06 a page that is gone is retired after three refreshes and a day, and comes back', async () => {
  const { brain } = await start()
  site.pages.set('/gone', toHtml('Gone', 'Here.'))
  await add(brain, ['/gone'])
  await pass()
  site.pages.set('/gone', 404)
  for (let times = 0; times < 5; times++) {
    app.clock.advance({ minutes: 2 })
    await brain.call('POST', '/web-sources/wiki/refresh')
    await pass()
  }
  expect(await readPage(brain, '/gone')).toMatchObject({ status: 'missing', httpStatus: 404 })
  expect((await readDocument(brain, '/gone')).status).toBe(200)
  await refreshed(brain)
  expect((await readPage(brain, '/gone')).status).toBe('retired')
  expect((await readDocument(brain, '/gone')).status).toBe(404)
  site.pages.set('/gone', toHtml('Gone', 'Here.'))
  await refreshed(brain)
  expect((await readPage(brain, '/gone')).status).toBe('current')
  expect((await readDocument(brain, '/gone')).body.data.document).toMatchObject({ version: 2 })
})

test('WEB-06 many pages that are missing at once are not retired', async () => {
  const { brain } = await start()
  const paths = Array.from({ length: 60 }, (_, index) => `/many/${index}`)
  const rows = paths.map((path) => [site.base + path])
  await add(brain, ['/only'])
  await app.database.pool.query(
    `insert into web_pages (brain_id, source, document_id, url, missing, missing_since, checked_at, hash)
     select brain_id, 'wiki', url, url, 3, now() - interval '9 days', now(), 'x' from brains, unnest($2::text[]) as url
     where id = $1`,
    [brain.brain.id, rows.flat()],
  )
  await pass()
  expect((await read(brain)).pages.filter(({ status }: { status: string }) => status === 'retired')).toEqual([])
})

test('WEB-10 a redirect is followed, and a PDF keeps its file next to its text, with page numbers', async () => {
  const { brain, member } = await start()
  const pdf = makePdf([[{ text: 'Orders grew.', y: 700 }], [{ text: 'Turbines are in Lisbon.', y: 700 }]])
  site.pages.set('/report.pdf', (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf)
  })
  site.pages.set('/latest', (response) => response.writeHead(302, { location: '/report.pdf' }).end())
  await add(brain, ['/latest'])
  await pass()
  const { document } = (await readDocument(brain, '/latest')).body.data
  const path = `web/${new URL(site.base).host}/report.pdf`
  expect(document).toMatchObject({
    ...{ artifact: { path, version: 1 }, text: expect.stringContaining('Lisbon'), artifactDeleted: false },
    metadata: { url: `${site.base}/latest`, finalUrl: `${site.base}/report.pdf` },
  })
  const found = await brain.call('GET', '/search?q=turbines')
  expect(found.body.data.results[0]).toMatchObject({ page: 2 })
  const { artifacts } = (await app.request('GET', '/v1/artifacts', { key: member.key })).body.data
  expect(artifacts).toMatchObject([{ path, source: 'url', createdBy: { type: 'system' } }])
  await refreshed(brain)
  expect((await readDocument(brain, '/latest')).body.data.document.version).toBe(1)
})

test('WEB-03 in review a refresh waits as one change, is not repeated, and what was rejected comes back only if the page changes', async () => {
  const { brain } = await start()
  await brain.call('PATCH', '', { mode: 'review' })
  site.pages.set('/r', toHtml('R', 'One.'))
  await add(brain, ['/r'])
  await pass()
  const pending = async () => (await brain.call('GET', '/changes?decision=pending')).body.data.changes
  const [change, ...more] = await pending()
  expect(more).toEqual([])
  expect((await read(brain)).webSource.lastChange).toBe(change.id)
  await refreshed(brain)
  expect(await pending()).toHaveLength(1)
  await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'rejected' })
  expect(await pending()).toEqual([])
  await refreshed(brain)
  expect(await pending()).toEqual([])
  site.pages.set('/r', toHtml('R', 'Two.'))
  await refreshed(brain)
  expect(await pending()).toHaveLength(1)
})

test('WEB-11 a document of another source is left as it is, and the page says so', async () => {
  const { brain } = await start()
  site.pages.set('/own', toHtml('Own', 'From the web.'))
  await brain.call('POST', '/documents', { id: `${site.base}/own`, text: 'Mine.' })
  await add(brain, ['/own'])
  await pass()
  expect(await readPage(brain, '/own')).toMatchObject({
    status: 'failing',
    error: expect.stringContaining('another source'),
  })
  expect((await readDocument(brain, '/own')).body.data.document).toMatchObject({ version: 1, text: 'Mine.' })
  await brain.call('DELETE', `/documents/${encodeURIComponent(`${site.base}/own`)}`)
  await refreshed(brain)
  expect((await readDocument(brain, '/own')).body.data.document).toMatchObject({ version: 2 })
  expect((await listEvents(brain)).filter(({ type }) => type === 'snapshot.applied')).toHaveLength(1)
})

test('WEB-05 a page whose title cannot be stored as it is does not keep the others from being written', async () => {
  const { brain } = await start()
  const pdf = makePdf([[{ text: 'The text.', y: 700 }]], 'Annual\0 report')
  site.pages.set('/good', toHtml('Good', 'One.'))
  site.pages.set('/nul', (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf))
  await add(brain, ['/good', '/nul'])
  await pass()
  expect((await readDocument(brain, '/good')).status).toBe(200)
  expect((await readDocument(brain, '/nul')).body.data.document).toMatchObject({ title: 'Annual report' })
})

test('WEB-03 a page that lost its title differs once, and its document that is retired by hand stays so', async () => {
  const { brain } = await start()
  const serve = (title: string) => {
    const pdf = makePdf([[{ text: 'The text.', y: 700 }]], title)
    site.pages.set('/pdf', (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf))
  }
  serve('Titled')
  await add(brain, ['/pdf'])
  await pass()
  serve('')
  await refreshed(brain)
  expect((await readDocument(brain, '/pdf')).body.data.document).toMatchObject({ version: 2, title: null })
  await brain.call('DELETE', `/documents/${encodeURIComponent(`${site.base}/pdf`)}`)
  await refreshed(brain)
  expect((await readDocument(brain, '/pdf')).status).toBe(404)
  expect(await readPage(brain, '/pdf')).toMatchObject({ title: null })
})
