import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider'
import { publicUrl } from './app.ts'

// A real OpenID provider for tests, with its own pages. A name typed there signs in as the person of that name.

/** The provider's data about a person, by the name that they type. */
type Person = { email?: string; email_verified?: boolean | string; name?: string }

const openIdSecret = 'a secret between the provider and the service'

type Settings = { redirectTo?: string; port?: number }

/** Starts a provider. The caller closes it. */
export const startOpenIdProvider = async ({ redirectTo = publicUrl, port = 0 }: Settings = {}) => {
  const people = new Map<string, Person>()
  /** Answers of the provider that a test replaces, by their path. */
  const replaced = new Map<string, (response: ServerResponse) => void>()
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined
  const server = createServer((request, response) => {
    const other = replaced.get(new URL(request.url ?? '/', 'http://here').pathname)
    return other ? other(response) : answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'noema',
        client_secret: openIdSecret,
        redirect_uris: [`${redirectTo}/api/auth/callback/oidc`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
  })
  answer = provider.callback()
  return {
    issuer,
    people,
    replaced,
    settings: {
      NOEMA_OIDC_ISSUER: issuer,
      NOEMA_OIDC_CLIENT_ID: 'noema',
      NOEMA_OIDC_CLIENT_SECRET: openIdSecret,
      NOEMA_OIDC_NAME: 'Example Company',
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

/** Cookies of a browser without a window. */
export const createJar = () => {
  const cookies = new Map<string, string>()
  return {
    keep(headers: Headers): void {
      for (const line of headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        const at = pair.indexOf('=')
        if (pair.slice(at + 1) === '') cookies.delete(pair.slice(0, at))
        else cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
    },
    header: (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
}

/** Walks through the provider's pages as a person, and returns the address of the final redirect. */
export const passProvider = async (address: string, login: string, redirectTo = publicUrl): Promise<URL> => {
  const jar = createJar()
  let url = new URL(address)
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: jar.header() },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    jar.keep(response.headers)
    form = undefined
    const location = response.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      if (url.href.startsWith(redirectTo)) return url
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
    if (prompt === undefined) throw new Error(`the provider shows ${response.status} ${page.slice(0, 500)}`)
    form = new URLSearchParams({ prompt, login, password: 'any' })
  }
  throw new Error('the provider leads in circles')
}
