import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerNotFound } from '../server/not-found.ts'
import { registerConsole } from './console.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-console-'))
const app = fastify({ exposeHeadRoutes: false })
app.setErrorHandler((_error, _request, reply) => reply.code(404).send({ error: { kind: 'not_found' } }))

const pages = ['/', '/sign-in', '/reset-password', '/brains', '/brains/$handle', '/brains/$handle/records/$id']
const opening = '<div class="app">Noema</div>'
const files = {
  ...Object.fromEntries(pages.map((path) => [path, []])),
  '/brains': ['assets/view.js', 'assets/view.css'],
}
const page =
  '<!doctype html><html lang="en"><head><title>Noema</title><script src="./theme.js"></script></head><div id="root"></div>'
const served = page.replace('./theme.js', '/theme.js')

beforeAll(() => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'pages.json'), JSON.stringify({ opening, files }))
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  writeFileSync(join(folder, 'assets', 'index-abc123.js'), 'export {}')
  writeFileSync(join(folder, 'assets', 'index-abc123.js.br'), 'as br')
  writeFileSync(join(folder, 'assets', 'index-abc123.js.gz'), 'as gzip')
  symlinkSync('/etc/hostname', join(folder, 'assets', 'linked.js'))
  registerNotFound(app, registerConsole(app, { folder, basePath: '' }))
})

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

test('every page of the console answers with the page under a strict policy', async () => {
  for (const url of [
    '/',
    '/?error=INVALID_TOKEN',
    '/sign-in',
    '/reset-password?token=t',
    '/brains',
    '/brains/handbook',
    '/brains/handbook/records/a%2Fb',
  ]) {
    const { statusCode, headers, body } = await get(url)
    expect([url, statusCode, body]).toEqual([url, 200, served])
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['content-security-policy']).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-src blob:; frame-ancestors 'none'; object-src 'none'",
    )
    expect(headers['referrer-policy']).toBe('same-origin')
  }
})

test('a browser with a session gets the frame and the names of the files, as another page', async () => {
  const cookie = '__Secure-noema.session_token=anything'
  const { headers, body } = await get('/brains', { cookie })
  expect(body).toContain('<html data-session lang="en">')
  expect(body).toContain(`<div id="root">${opening}</div>`)
  expect(body).toContain('<link rel="modulepreload" fetchpriority="low" crossorigin href="/assets/view.js">')
  expect(body).toContain('<link rel="preload" as="style" crossorigin href="/assets/view.css">')
  expect(body.indexOf('href="/v1/whoami"')).toBeLessThan(body.indexOf('<script'))
  expect(headers.vary).toBe('cookie, accept-encoding')
  const other = await get('/brains')
  expect([other.body, other.headers.vary]).toEqual([served, 'cookie, accept-encoding'])
  expect(other.headers.etag).not.toBe(headers.etag)
  expect((await get('/brains', { cookie, 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
  expect((await get('/sign-in', { cookie })).body).toBe(served)
})

test('files with a hash in their name are kept for ever, the others are asked for', async () => {
  const script = await get('/assets/index-abc123.js')
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const icon = await get('/favicon.svg')
  expect(icon.headers['content-type']).toBe('image/svg+xml')
  expect(icon.headers['cache-control']).toBe('no-cache')
})

test('a browser that has the file gets 304', async () => {
  const { headers } = await get('/')
  const etag = String(headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await get('/', { 'if-none-match': known })
    expect([known, again.statusCode, again.body, again.headers.etag]).toEqual([known, 304, '', etag])
  }
  expect((await get('/', { 'if-none-match': '"other"' })).statusCode).toBe(200)
})

test('HEAD answers the headers alone', async () => {
  const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/brains' })
  expect([statusCode, body, headers['content-length']]).toEqual([200, '', String(served.length)])
})

test('a path that is no page and no file stays the 404 of the API', async () => {
  const urls = [
    '/assets/gone.js',
    '/assets/',
    '/assets',
    '/v1/nothing',
    '/api/nothing',
    '/index.html',
    '/pages.json',
    '/brains/a/b',
    '/x',
  ]
  for (const url of urls) {
    const { statusCode, body } = await get(url)
    expect([url, statusCode, body]).toEqual([url, 404, '{"error":{"kind":"not_found"}}'])
  }
})

test('a browser that opens a path which does not exist gets a page with a way home, and programs get the error', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const url of ['/nowhere', '/brains/a/b', '/assets/gone.js']) {
    const { statusCode, headers, body } = await get(url, browser)
    expect([url, statusCode, headers['content-type']]).toEqual([url, 404, 'text/html; charset=utf-8'])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'accept-encoding, accept' })
    expect(headers['content-security-policy']).toContain("default-src 'self'")
    expect(body).toMatch(/^<!doctype html><html lang="en"><head><title>Page not found · Noema<\/title>/)
    expect(body).toContain('<a href="/">Go to the home page</a>')
  }
  for (const url of ['/v1/nothing', '/v1', '/api/nothing'])
    expect((await get(url, browser)).json()).toEqual({ error: { kind: 'not_found' } })
  for (const accept of ['*/*', 'application/json, text/plain, */*'])
    expect((await get('/nowhere', { accept })).json()).toEqual({ error: { kind: 'not_found' } })
  const posted = await app.inject({ method: 'POST', url: '/nowhere', headers: browser })
  expect(posted.json()).toEqual({ error: { kind: 'not_found' } })
})

test('no path leads out of the folder', async () => {
  const urls = ['/../package.json', '/assets/../../package.json', '/assets/%2e%2e/%2e%2e/etc/passwd', '/%2e%2e%2fx']
  for (const url of [...urls, '/assets/..%5c..%5cx', '/assets/linked.js']) expect((await get(url)).statusCode).toBe(404)
})

test('robots are kept away', async () => {
  expect((await get('/robots.txt')).body).toBe('User-agent: *\nDisallow: /\n')
})

test('without a build, the start page says how to make one', async () => {
  const bare = fastify()
  registerConsole(bare, { folder: join(folder, 'none'), basePath: '' })
  const { headers, body } = await bare.inject({ method: 'GET', url: '/' })
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body).toContain('npm run build -w @noema/console')
  expect((await bare.inject({ method: 'GET', url: '/brains' })).statusCode).toBe(404)
  await bare.close()
})

test('a file that the build compressed is sent as the browser accepts it, each way an entity of its own', async () => {
  const url = '/assets/index-abc123.js'
  const answers = await Promise.all(
    ['br, gzip', 'gzip', 'identity'].map((accepted) => get(url, { 'accept-encoding': accepted })),
  )
  expect(answers.map(({ body }) => body)).toEqual(['as br', 'as gzip', 'export {}'])
  expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined])
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ vary: 'accept-encoding', 'content-type': 'text/javascript; charset=utf-8' })
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  }
  const etags = answers.map(({ headers }) => String(headers.etag))
  expect(new Set(etags).size).toBe(3)
  const [known = ''] = etags
  expect((await get(url, { 'accept-encoding': 'br', 'if-none-match': known })).statusCode).toBe(304)
  expect((await get(url, { 'accept-encoding': 'gzip', 'if-none-match': known })).statusCode).toBe(200)
  expect((await get(`${url}.br`)).statusCode).toBe(404)
})
