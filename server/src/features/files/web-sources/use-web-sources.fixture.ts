import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { findCaps } from '../../../access/limits.ts'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { runPass } from '../../../test/run-pass.ts'
import { createSourceRefreshing } from './refresh-sources.ts'

type Served = string | number | ((response: ServerResponse, headers: IncomingHttpHeaders) => void)

/** A site on this machine. A text is served as HTML, a number as a status, and other paths as 404. */
export const useSite = () => {
  const pages = new Map<string, Served>()
  const requests: { path: string; headers: IncomingHttpHeaders; at: number }[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers, at: performance.now() })
    const served = pages.get(path) ?? 404
    if (typeof served === 'function') served(response, request.headers)
    else if (typeof served === 'number') response.writeHead(served).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(served)
  })
  const site = {
    base: '',
    pages,
    requests,
    /** The paths that were asked for since the last call, without robots.txt. */
    takePaths: () =>
      requests
        .splice(0)
        .map(({ path }) => path)
        .filter((path) => path !== '/robots.txt'),
  }
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    site.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())
  return site
}

/** A page with a title and a sentence. */
export const toHtml = (title: string, text: string) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`

/** An app that fetches pages of this machine, where a test runs the work by hand. */
export const useWebSources = (settings: Record<string, string> = {}) => {
  const app = useOwnApp({
    ...{ NOEMA_ROLES: 'http', NOEMA_WEB_ALLOW: '127.0.0.1:*', NOEMA_WEB_PAUSE_MS: '0', ...settings },
  })
  const site = useSite()
  let made = 0

  /** The work of this node, or of another one by its name. */
  const createWork = (node?: string) => {
    const { deps } = app.app
    return createSourceRefreshing({ ...deps, findCaps: (standing) => findCaps(deps.limits, standing) }, node)
  }
  const pass = (work = createWork()) => runPass(app.app.deps, work)

  /** A Brain of a new organization. Nothing of earlier tests is fetched any more. */
  const start = async () => {
    for (const table of ['web_sources', 'web_pages', 'web_sites']) await app.database.pool.query(`delete from ${table}`)
    site.takePaths()
    const member = await createMember(app)
    const brain = await addBrain(app, member, `web-${++made}`)
    return { member, brain }
  }

  /** Adds pages of the site to the source `wiki`. */
  const add = (brain: TestBrain, paths: readonly string[], more: object = {}) =>
    brain.call('POST', '/web-sources/wiki/pages', { add: paths.map((path) => site.base + path), ...more })

  const read = async (brain: TestBrain) => (await brain.call('GET', '/web-sources/wiki')).body.data
  const readPage = async (brain: TestBrain, path: string) =>
    (await read(brain)).pages.find(({ url }: { url: string }) => url === site.base + path)

  const readDocument = (brain: TestBrain, path: string, query = '') =>
    brain.call('GET', `/documents/${encodeURIComponent(site.base + path)}${query}`)

  const readState = async (brain: TestBrain): Promise<number> =>
    (await brain.call('GET', '/documents?limit=1')).body.data.stateVersion

  return { app, site, createWork, pass, start, add, read, readPage, readDocument, readState }
}
