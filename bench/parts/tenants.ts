import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess, startServer } from './child.ts'
import type { Noema } from './noema.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

// Receivers of webhooks in processes of their own, and tenants.

/** The deliveries of a receiver: their number, and the delay of their first bytes after their events, in milliseconds. */
export type Received = { count: number; p50: number; p99: number; max: number }

export type Receiver = ServerProcess & {
  hook: string
  received(): Promise<Received>
  reset(): Promise<void>
  /** Waits until so many came since the reset. */
  arrived(count: number): Promise<Received>
}

const startReceiver = async (script: string): Promise<Receiver> => {
  const server = await startServer({ script })
  const url = `http://127.0.0.1:${server.port}`
  const ask = async (path: string) => (await fetch(url + path)).json() as Promise<Received>
  return {
    ...server,
    hook: `${url}/hook`,
    received: () => ask('/'),
    reset: async () => void (await ask('/reset')),
    arrived: async (count) => {
      for (;;) {
        const received = await ask('/')
        if (received.count >= count) return received
        await delay(20)
      }
    },
  }
}

export const startReceiverServer = (): Promise<Receiver> => startReceiver('bench/floors/receiver-server.ts')

/** A receiver that takes every delivery and never answers. */
export const startHangingServer = (): Promise<Receiver> => startReceiver('bench/floors/hanging-server.ts')

/** The origin of the browsers that sign tenants up. */
const trustedOrigin = 'http://tenants.example.com'

/** An organization with a management key. */
export type Tenant = Pick<Noema, 'call' | 'key' | 'organizationId'>

/** Signs another account up, whose organization has no caps. */
export const addTenant = async (noema: Noema, { pool }: ScratchDatabase, name: string): Promise<Tenant> => {
  const base = `http://127.0.0.1:${noema.port}`
  const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    return response
  }
  const origin = { origin: trustedOrigin }
  const account = { email: `${name}@example.com`, password: 'correct horse battery', name }
  const signedUp = await send('POST', '/api/auth/sign-up/email', origin, account)
  await pool.query(`update "user" set "emailVerified" = true where email = $1`, [account.email])
  const cookie = signedUp.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const session = { ...origin, cookie }
  const { data: me } = (await (await send('GET', '/v1/whoami', session)).json()) as {
    data: { organizations: { id: string }[] }
  }
  const organizationId = me.organizations[0]?.id ?? ''
  await pool.query(`update organization set tier = 'staff' where id = $1`, [organizationId])
  const minted = await send('POST', '/v1/keys', { ...session, 'x-organization-id': organizationId }, { name })
  const { data } = (await minted.json()) as { data: { secret: string } }
  const key = { authorization: `Bearer ${data.secret}` }
  return {
    organizationId,
    key: data.secret,
    call: async <Data>(method: string, path: string, body?: unknown) => {
      const answer = (await (await send(method, path, key, body)).json()) as { data: Data }
      return answer.data
    },
  }
}

/** A Brain with so many webhooks to a receiver. */
export const addWatchedBrain = async ({ call }: Tenant, brain: string, webhooks: number, { hook }: Receiver) => {
  const path = `/v1/brains/${brain}`
  await call('PUT', path, {})
  for (let n = 0; n < webhooks; n++) await call('POST', `${path}/webhooks`, { url: hook })
  return path
}
