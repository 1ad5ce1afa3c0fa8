import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPkce } from '../../test/apps.ts'
import { type AuthApp, publicUrl, startAuthApp } from './auth-app.fixture.ts'

// Apps that are described by the document that their client_id leads to.

const redirectUri = 'https://tool.example/callback'

const documents: Record<string, object> = {
  'https://tool.example/app.json': {
    ...{ client_id: 'https://tool.example/app.json', client_name: 'Tool', redirect_uris: [redirectUri] },
    grant_types: ['authorization_code', 'refresh_token'],
  },
  'https://copy.example/app.json': {
    ...{ client_id: 'https://tool.example/app.json', client_name: 'Tool', redirect_uris: [redirectUri] },
  },
  'https://bad.example/app.json': {
    ...{ client_id: 'https://bad.example/app.json', client_name: 'Bad', redirect_uris: ['bad://callback'] },
  },
  'https://secret.example/app.json': {
    ...{ client_id: 'https://secret.example/app.json', redirect_uris: [redirectUri] },
    token_endpoint_auth_method: 'client_secret_post',
  },
}

let app: AuthApp
let cookie: string
beforeAll(async () => {
  app = await startAuthApp({ documents, rateLimit: { windowSeconds: 60, max: 1_000 } })
  cookie = (await app.verifiedUser('ada@example.com')).cookie
})
afterAll(() => app.close())

const open = async (clientId: string, session = cookie) => {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'read' },
    ...{ code_challenge: newPkce().challenge, code_challenge_method: 'S256' },
  })
  const headers = session === '' ? {} : { cookie: session }
  const answer = await app.app.inject({ method: 'GET', url: `/api/auth/oauth2/authorize?${query}`, headers })
  return new URL(String(answer.headers.location ?? 'none:'))
}

const countClients = async () => (await app.pool.query('select from "oauthClient"')).rowCount

test('APP-10 an app is described by the document at its client_id, which must name itself', async () => {
  const page = await open('https://tool.example/app.json')
  expect([page.origin, page.searchParams.get('error')]).toEqual([publicUrl, null])
  const asked = await app.call('POST', '/oauth2/request', { cookie, body: { oauth_query: page.search.slice(1) } })
  expect(asked.body).toMatchObject({
    app: { name: 'Tool', clientId: 'https://tool.example/app.json', redirectHost: 'tool.example' },
  })
  const others = ['copy.example/app.json', 'bad.example/app.json', 'secret.example/app.json', 'gone.example/app.json']
  const odd = [
    'tool.example',
    'tool.example/',
    'user@tool.example/app.json',
    'tool.example/app.json#x',
    'tool.example/../app.json',
  ]
  for (const address of [...others, ...odd])
    expect([address, (await open(`https://${address}`)).searchParams.get('error')]).toEqual([address, 'invalid_client'])
  expect(await countClients()).toBe(1)
})

test('APP-10 only people who are signed in make the service read an address, and a changed document counts within an hour', async () => {
  const address = 'https://new.example/app.json'
  documents[address] = { client_id: address, client_name: 'New', redirect_uris: [redirectUri] }
  expect((await open(address, '')).searchParams.get('sig')).toBe(null)
  expect(await countClients()).toBe(1)
  expect((await open(address)).searchParams.get('error')).toBe(null)
  documents[address] = { client_id: address, client_name: 'Newer', redirect_uris: ['https://elsewhere.example/'] }
  expect((await open(address)).searchParams.get('error')).toBe(null)
  await app.pool.query(`update "oauthClient" set "updatedAt" = now() - interval '61 minutes'`)
  expect((await open(address)).searchParams.get('error')).toBe('invalid_redirect')
  // Its host is away for a while.
  delete documents['https://tool.example/app.json']
  expect((await open('https://tool.example/app.json')).searchParams.get('error')).toBe(null)
})
