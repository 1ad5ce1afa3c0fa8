import { createClient } from '@noema/sdk'
import { mailedLink, startTestApp, type TestApp } from '@noema/server/test/app.ts'
import { startPathProxy } from '@noema/server/test/path-proxy.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from './test/run-cli.ts'

// A service that shares its host with others: everything of it is below one path, through a proxy that passes the path on or
// cuts it off.

describe.each([
  ['passes the path on', true],
  ['cuts the path off', false],
])('D-83 behind a proxy that %s', (_way, keepsPath) => {
  let proxy: Awaited<ReturnType<typeof startPathProxy>>
  let service: TestApp
  let cookie: string
  let key: string

  beforeAll(async () => {
    proxy = await startPathProxy({ basePath: '/team/noema', keepsPath })
    service = await startTestApp({ NOEMA_PUBLIC_URL: `${proxy.url}/` })
    proxy.passTo(service.base)
  })
  afterAll(async () => {
    await service.close()
    await proxy.close()
  })

  const get = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(proxy.url + path, {
      method: 'POST',
      headers: { origin: proxy.origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  const account = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }

  test('the cookie of a session belongs to the path, and is taken back there', async () => {
    const signedUp = await post('/api/auth/sign-up/email', account)
    expect(signedUp.status).toBe(200)
    const set = signedUp.headers.getSetCookie()
    expect(set.length).toBeGreaterThan(0)
    for (const one of set) expect(one).toContain('Path=/team/noema;')
    cookie = set.map((one) => one.split(';')[0]).join('; ')
    const another = await post('/api/auth/sign-in/email', account)
    const other = another.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
    const left = await post('/api/auth/sign-out', {}, { cookie: other })
    expect(left.headers.getSetCookie().length).toBeGreaterThan(0)
    for (const one of left.headers.getSetCookie()) expect(one).toMatch(/Max-Age=0; Path=\/team\/noema(;|$)/)
  })

  test('the links of mails lead below the path, and so do the pages that they lead to', async () => {
    const link = mailedLink(service, account.email).href
    expect(link).toContain(`${proxy.url}/api/auth/verify-email?`)
    const confirmed = await get(link, { cookie })
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([302, `${proxy.url}/`])
    await post('/api/auth/request-password-reset', { email: account.email })
    expect(mailedLink(service, account.email).href).toContain(`${proxy.url}/reset-password?token=`)
    await post('/api/auth/request-password-reset', { email: account.email, redirectTo: '/reset-password' })
    const opened = await get(mailedLink(service, account.email).href)
    expect(opened.headers.get('location')).toContain(`${proxy.url}/reset-password?token=`)
  })

  test('the API, its stream and its search answer the SDK by an address with a path', async () => {
    const who = await get(`${proxy.url}/v1/whoami`, { cookie, origin: proxy.origin })
    const organization: string = JSON.parse(who.text).data.organizations[0].id
    const minted = await post('/v1/keys', { name: 'laptop' }, { cookie, 'x-organization-id': organization })
    key = ((await minted.json()) as { data: { secret: string } }).data.secret
    const client = createClient({ baseUrl: `${proxy.url}/`, apiKey: key })
    await client.brains.put('handbook', {})
    const brain = client.brain('handbook')
    await brain.documents.create({ title: 'How we release', text: 'Releases go out on Tuesdays.' })
    for await (const event of brain.events.follow()) {
      expect(event.type).toBe('document.served')
      break
    }
    const { results } = await brain.search({ q: 'releases' })
    expect(results).toHaveLength(1)
  })

  test('agents reach a Brain over MCP, and people by the command line', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' }
    const listed = await post('/v1/brains/handbook/mcp', list, headers)
    expect(await listed.text()).toContain('knowledge_search')
    const env = { NOEMA_BASE_URL: proxy.url, NOEMA_API_KEY: key }
    const found = await runCli(['search', 'releases', '--brain', 'handbook', '--json'], proxy.url, { env })
    expect(found.code).toBe(0)
    expect(found.stdout).toContain('How we release')
  })

  test('the documents name addresses below the path, and every link of their pages is there', async () => {
    const { servers } = JSON.parse((await get(`${proxy.url}/v1/openapi.json`)).text)
    expect(servers).toEqual([{ url: proxy.url }])
    const llms = await get(`${proxy.url}/llms.txt`)
    for (const [, address] of llms.text.matchAll(/\]\(([^)]+)\)/g)) expect(address).toContain(`${proxy.url}/`)
    for (const page of ['', '/', '/sign-in', '/brains/handbook', '/docs', '/docs/guides', '/docs/guides/webhooks']) {
      const { status, text, headers } = await get(proxy.url + page)
      expect([page, status]).toEqual([page, 200])
      expect(headers.get('content-security-policy')).toContain("default-src 'self'; base-uri 'none'")
      const links = [...text.matchAll(/ (?:href|src)="([^"#]+)/g)].map(([, link = '']) => link)
      for (const link of new Set(links.filter((one) => !one.startsWith('http')))) {
        expect(link, page).toMatch(/^\/team\/noema\//)
        expect([link, (await get(proxy.origin + link)).status]).toEqual([link, 200])
      }
    }
  })

  test('a probe reaches a node by either address, and no request goes to other services on the host', async () => {
    expect((await get(`${proxy.url}/readyz`)).status).toBe(200)
    expect((await get(`${service.base}/readyz`)).status).toBe(200)
    expect((await get(`${service.base}/team/noema/readyz`)).status).toBe(200)
    expect((await get(`${proxy.url}x/readyz`)).status).toBe(404)
    expect(proxy.strayed).toEqual(['GET /team/noemax/readyz'])
  })
})

test('D-83 a path that begins as one of the service does is refused at the start', async () => {
  for (const path of ['/v1', '/brains/noema', '/docs'])
    await expect(startTestApp({ NOEMA_PUBLIC_URL: `https://example.com${path}` })).rejects.toThrow(
      `NOEMA_PUBLIC_URL has the path ${path}`,
    )
})
