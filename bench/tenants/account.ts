import { randomBytes } from 'node:crypto'

/** The origin of the browsers that sign accounts up. */
export const trustedOrigin = 'http://tenants.example.com'

/** A fresh unconfirmed account, with a management key of its organization. */
export type Account = {
  base: string
  key: string
  organizationId: string
  session: Record<string, string>
  /** Sends a request by the key and answers its status and data; 0 where no answer came. Never throws. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Sent>
}

type Sent = { status: number; data: Record<string, unknown> }

const isRaw = (body: unknown): body is Buffer | string => Buffer.isBuffer(body) || typeof body === 'string'

const sendTo =
  (base: string) =>
  async (method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Sent> => {
    try {
      const response = await fetch(base + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: isRaw(body) ? (body as string) : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, data: response.ok ? (JSON.parse(text).data ?? {}) : {} }
    } catch {
      return { status: 0, data: {} }
    }
  }

/** Signs an account up. The limits of a fresh account apply to all its calls. */
export const signUpAccount = async (port: number): Promise<Account> => {
  const base = `http://127.0.0.1:${port}`
  const name = `attacker-${randomBytes(4).toString('hex')}`
  const signedUp = await fetch(`${base}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { origin: trustedOrigin, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${name}@example.com`, password: 'correct horse battery', name }),
  })
  if (!signedUp.ok) throw new Error(`the sign-up was answered ${signedUp.status}: ${await signedUp.text()}`)
  const cookies = signedUp.headers.getSetCookie().map((one) => one.split(';')[0])
  const origin = { origin: trustedOrigin, cookie: cookies.join('; ') }
  const send = sendTo(base)
  const me = await send('GET', '/v1/whoami', undefined, origin)
  const organizationId = (me.data.organizations as { id: string }[])[0]?.id ?? ''
  const session = { ...origin, 'x-organization-id': organizationId }
  const minted = await send('POST', '/v1/keys', { name }, session)
  const key = String(minted.data.secret)
  const byKey = { authorization: `Bearer ${key}` }
  return {
    ...{ base, key, organizationId, session },
    send: (method, path, body, headers = byKey) => send(method, path, body, headers),
  }
}
