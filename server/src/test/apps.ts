import { createHash, randomBytes } from 'node:crypto'
import type { TestApp } from './app.ts'

// An app that is let in through OAuth: its calls, and those of the browser of the person who is asked.

type Caller = Pick<TestApp, 'base'>
type Session = Record<string, string>

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
type Sent = { status: number; headers: Headers; body: any }

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const send = async ({ base }: Caller, path: string, init: RequestInit = {}): Promise<Sent> => {
  const response = await fetch(base + path, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, body: parse(await response.text()) }
}

export const redirectUri = 'https://app.example/callback'

/** Registers an app, as anyone can. */
export const registerApp = (app: Caller, metadata: object = {}): Promise<Sent> =>
  send(app, '/api/auth/oauth2/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Sample app',
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  })

/** A verifier of PKCE and its challenge. */
export const newPkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

type Query = Record<string, string>

/** Opens the request of an app in the browser of a person; answers where it leads. */
export const openRequest = async (
  app: Caller,
  session: Session | undefined,
  query: Query,
): Promise<Sent & { to: URL }> => {
  const sent = await send(app, `/api/auth/oauth2/authorize?${new URLSearchParams(query)}`, {
    headers: { accept: 'text/html', ...(session ? { cookie: session.cookie ?? '' } : {}) },
  })
  return { ...sent, to: new URL(sent.headers.get('location') ?? 'none:') }
}

/** A call of the page of the consent. */
export const callConsent = (app: Caller, session: Session, path: 'consent' | 'request', body: object): Promise<Sent> =>
  send(app, `/api/auth/oauth2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...session },
    body: JSON.stringify(body),
  })

/** A call of an app with a form. */
export const sendForm = (app: Caller, path: 'token' | 'revoke', form: Query, headers: Query = {}): Promise<Sent> =>
  send(app, `/api/auth/oauth2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })

export type Asking = {
  clientId?: string
  /** The handle of a Brain; null for the agents of the organization. */
  brain?: string | null
  /** The path of the resource, if it is not the MCP server of `brain`. */
  resource?: string
  capabilities?: readonly string[]
  days?: number
  organizationId?: string
  metadata?: object
}

type Person = { session: Session; organizationId: string }

/** The resource of a Brain, or of the agents. */
export const toResource = (publicUrl: string, brain: string | null): string =>
  `${publicUrl}/v1/${brain === null ? '' : `brains/${brain}/`}mcp`

type Deployed = TestApp

/** Lets an app ask, up to the page of the consent. */
export const askForConsent = async (app: Deployed, person: Person, asking: Asking = {}) => {
  const { brain = 'brain', metadata } = asking
  const clientId: string = asking.clientId ?? (await registerApp(app, metadata)).body.client_id
  const { verifier, challenge } = newPkce()
  const { publicUrl } = app.app.deps
  const resource = asking.resource === undefined ? toResource(publicUrl, brain) : publicUrl + asking.resource
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state: 'of-the-app', resource },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  }
  const opened = await openRequest(app, person.session, query)
  return { clientId, verifier, resource, query, opened, signed: opened.to.search.slice(1) }
}

/** Consents on the page, and answers where it leads. */
export const consent = async (
  app: Deployed,
  person: Person,
  signed: string,
  { brain = 'brain', capabilities = ['read', 'write', 'review'], days = 30, organizationId }: Asking = {},
): Promise<Sent> => {
  const expiresAt = new Date(app.clock.now().getTime() + days * 86_400_000).toISOString()
  return callConsent(app, person.session, 'consent', {
    accept: true,
    oauth_query: signed,
    scope: [...capabilities, 'offline_access'].join(' '),
    grant: { organizationId: organizationId ?? person.organizationId, brain, expiresAt },
  })
}

type Code = { clientId: string; verifier: string; code: string; redirect?: string }

/** Exchanges the code that a consent led to. */
export const exchangeCode = (app: Caller, { clientId, verifier, code, redirect = redirectUri }: Code): Promise<Sent> =>
  sendForm(app, 'token', {
    ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: redirect },
  })

export const refresh = (app: Caller, clientId: string, token: string, extra: Query = {}): Promise<Sent> =>
  sendForm(app, 'token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...extra })

/** Connects an app: its tokens, and its ids as the API lists them. */
export const connectApp = async (app: Deployed, person: Person & { key: string }, asking: Asking = {}) => {
  const asked = await askForConsent(app, person, asking)
  const consented = await consent(app, person, asked.signed, asking)
  const code = new URL(consented.body?.url ?? 'none:').searchParams.get('code') ?? ''
  const tokens = await exchangeCode(app, { clientId: asked.clientId, verifier: asked.verifier, code })
  if (tokens.status !== 200) throw new Error(JSON.stringify([asked.opened.to, consented.body, tokens.body]))
  const listed = await app.request('GET', '/v1/apps?limit=500', { key: person.key })
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
  const one = listed.body.data.apps.find(({ clientId }: any) => clientId === asked.clientId)
  return {
    ...asked,
    code,
    accessToken: tokens.body.access_token as string,
    refreshToken: tokens.body.refresh_token as string,
    tokens: tokens.body,
    id: one.id as string,
    grantId: one.grants[0].id as string,
  }
}

/** Sends messages to MCP servers, which may answer with a stream of one. */
export const createRpc = ({ base }: Caller) => {
  const rpc = async (token: string, path: string, method = 'tools/list', params: object = {}): Promise<Sent> => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) }
  }
  return {
    rpc,
    callTool: (token: string, path: string, name: string, given: object) =>
      rpc(token, path, 'tools/call', { name, arguments: given }),
    listTools: async (token: string, path: string): Promise<string[]> =>
      (await rpc(token, path)).body.result.tools.map(({ name }: { name: string }) => name),
  }
}
