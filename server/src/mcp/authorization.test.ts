import { UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../test/app.ts'
import { consent } from '../test/apps.ts'
import { createProvider, finishAuthorization, listToolsAt } from '../test/oauth-client.ts'
import { startPathProxy } from '../test/path-proxy.ts'

// An AI client that knows nothing but the address of an MCP server: by the protocol's official client, behind a proxy that shares
// its host with others and forwards only what is below its own path.

let proxy: Awaited<ReturnType<typeof startPathProxy>>
let app: TestApp
let brain: TestBrain
beforeAll(async () => {
  proxy = await startPathProxy({ basePath: '/noema', keepsPath: false })
  app = await startTestApp({ NOEMA_PUBLIC_URL: proxy.url, NOEMA_TRUSTED_ORIGINS: 'http://noema.test' })
  proxy.passTo(app.base)
  brain = await createBrain(app, 'brain')
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})

/** The person's browser: opens the request, consents, and comes back with what the client gets. */
const answerFor = async (asked: URL, brainOrAgents: string | null) => {
  const opened = await fetch(asked, { redirect: 'manual', headers: { cookie: brain.session.cookie ?? '' } })
  const page = new URL(opened.headers.get('location') ?? 'none:')
  expect(page.origin + page.pathname).toBe(`${proxy.url}/authorize`)
  const consented = await consent(app, brain, page.search.slice(1), { brain: brainOrAgents, capabilities: ['read'] })
  return new URL(consented.body.url).searchParams
}

test.each([
  ['a Brain', '/v1/brains/brain/mcp', 'brain', 'knowledge_search'],
  ['the agents of an organization', '/v1/mcp', null, 'agents_read'],
])(
  'APP-01 APP-02 COR-06 the official client connects to %s by its address alone, and stays connected',
  async (_name, path, target, tool) => {
    const { kept, provider } = createProvider('http://localhost:33418/callback')
    const address = proxy.url + path
    await expect(listToolsAt(address, provider)).rejects.toThrow(UnauthorizedError)
    const asked = kept.asked ?? new URL('none:')
    expect(asked.searchParams.get('resource')).toBe(address)
    const answer = await answerFor(asked, target)
    expect(answer.get('state')).toBe('of-the-client')
    expect(await finishAuthorization(address, provider, answer)).toBe('AUTHORIZED')
    expect(await listToolsAt(address, provider)).toContain(tool)
    // Corpora have what the member may read, and an app was let in to one Brain or to agents.
    expect((await listToolsAt(address, provider)).filter((name) => name.startsWith('corpora_'))).toEqual([])
    // Its access token has expired: it refreshes it by itself.
    await app.database.pool.query(`update "oauthAccessToken" set "expiresAt" = now() - interval '1 hour'`)
    expect(await listToolsAt(address, provider)).toContain(tool)
  },
)

test('APP-01 MCP servers and models name their metadata, which is the same for Brains that exist and for others', async () => {
  const places = {
    '/v1/mcp': 'POST',
    '/v1/brains/brain/mcp': 'POST',
    '/v1/brains/nothing-here/mcp': 'POST',
    '/v1/models': 'GET',
  }
  for (const [called, method] of Object.entries(places)) {
    const path = called.replace('/models', '')
    const refused = await fetch(proxy.url + called, { method })
    expect(refused.status).toBe(401)
    const challenge = refused.headers.get('www-authenticate')
    expect(challenge).toBe(`Bearer resource_metadata="${proxy.url}/.well-known/oauth-protected-resource${path}"`)
    const metadata = await (await fetch(/"(.+)"/.exec(challenge ?? '')?.[1] ?? '')).json()
    expect(metadata).toMatchObject({
      ...{ resource: proxy.url + path, authorization_servers: [`${proxy.url}/api/auth`] },
      scopes_supported: ['read', 'write', 'review'],
    })
  }
  // A proxy that forwards the whole host reaches the usual places as well.
  const origin = new URL(app.base).origin
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const places = [`${origin}/.well-known/${name}/noema/api/auth`, `${proxy.url}/api/auth/.well-known/${name}`]
    for (const place of places)
      expect(await (await fetch(place)).json()).toMatchObject({
        ...{ issuer: `${proxy.url}/api/auth`, code_challenge_methods_supported: ['S256'] },
        client_id_metadata_document_supported: true,
      })
  }
  expect((await fetch(`${origin}/.well-known/oauth-protected-resource/noema/v1/brains/brain/mcp`)).status).toBe(200)
  expect((await fetch(`${proxy.url}/.well-known/oauth-protected-resource/v1/brains/No%20Handle/mcp`)).status).toBe(404)
})
