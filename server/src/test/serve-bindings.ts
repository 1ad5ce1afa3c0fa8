import { createKeyAuthentication } from '../access/authenticate-key.ts'
import { createSessionAuthentication } from '../access/authenticate-session.ts'
import type { Binding } from '../api/binding.ts'
import { createAuthenticate } from '../http/admission/authenticate.ts'
import { createHttpServer } from '../http/server/server.ts'
import type { ShareLimits } from '../shared/concurrency/fair-limiter.ts'
import { createRequester, publicUrl, type TestApp } from './app.ts'

const unlimited = { maxRequests: { node: 1_000, organization: 1_000, key: 1_000 }, maxWaitMilliseconds: 60_000 }

/** The HTTP edge over an app's database with endpoints of a test's own. */
export const serveBindings = async (
  { app: { deps, accounts } }: TestApp,
  bindings: readonly Binding[],
  limits: { maxRequests: ShareLimits; maxWaitMilliseconds: number } = unlimited,
) => {
  const trusted = new Set([publicUrl])
  const [keys, sessions] = [createKeyAuthentication(deps), createSessionAuthentication(deps)]
  const authenticate = createAuthenticate({ keys, sessions, accounts, trusted })
  const rest = {
    appUrl: publicUrl,
    takesRegistrations: true,
    trustedProxies: [],
    takesAnyOrigin: false,
    ...limits,
    maxConnections: { node: 1_000, network: 1_000 },
    byteRates: { node: 1e9, organization: 1e9 },
    workers: () => [],
    metrics: { register: undefined },
  }
  const server = createHttpServer(deps, { bindings, accounts, authenticate, trusted, publicUrl, ...rest })
  const port = await server.listen({ port: 0, host: '127.0.0.1' })
  const base = `http://127.0.0.1:${port}`
  return {
    base,
    request: createRequester(base),
    close: () => server.drain(),
  }
}
