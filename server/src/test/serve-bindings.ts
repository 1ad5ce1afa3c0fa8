import { createKeyAuthentication } from '../access/authenticate-key.ts'
import { createSessionAuthentication } from '../access/authenticate-session.ts'
import type { Binding } from '../api/binding.ts'
import { openBodyReader } from '../api/body-reader.ts'
import { createAuthenticate } from '../http/authenticate.ts'
import { createHttpServer } from '../http/server.ts'
import { createRequester, publicUrl, type TestApp } from './app.ts'

/** The HTTP edge over an app's database with endpoints of a test's own. */
export const serveBindings = async ({ app: { deps, accounts } }: TestApp, bindings: readonly Binding[]) => {
  const trusted = new Set([publicUrl])
  const [keys, sessions] = [createKeyAuthentication(deps), createSessionAuthentication(deps)]
  const authenticate = createAuthenticate({ keys, sessions, accounts, trusted })
  const bodies = openBodyReader()
  const rest = { bodies, trustedProxies: [], workers: () => [], metrics: { register: undefined } }
  const server = createHttpServer(deps, { bindings, accounts, authenticate, trusted, publicUrl, ...rest })
  const port = await server.listen({ port: 0, host: '127.0.0.1' })
  return {
    request: createRequester(`http://127.0.0.1:${port}`),
    close: () => Promise.all([server.drain(), bodies.close()]),
  }
}
