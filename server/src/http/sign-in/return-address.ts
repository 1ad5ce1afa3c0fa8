import { isObject } from '@noema/contracts/json.ts'
import { withoutBasePath } from '../../shared/network/base-path.ts'

// The addresses that a link of /api/auth may lead back to: pages of trusted origins only.

/** The names by which calls and links of /api/auth carry an address to return to. */
const names = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo']

const here = 'http://here.invalid'

/** True if a browser that follows it stays on a trusted origin. A path counts as this service's own. */
export const isTrustedAddress = (address: string, trusted: ReadonlySet<string>): boolean => {
  // A browser drops control characters and reads a backslash as a slash.
  if (/[\p{Cc}\\]/u.test(address) || !URL.canParse(address, here)) return false
  const { origin, pathname } = new URL(address, here)
  // Joining the path to something else must not give an address of another host.
  if (pathname.startsWith('//')) return false
  return origin === here ? address.startsWith('/') : trusted.has(origin)
}

/** The name of an address to return to, in a query or a body, that is not trusted; undefined where there is none. */
export const findUntrustedReturn = (
  query: URLSearchParams,
  body: unknown,
  trusted: ReadonlySet<string>,
): string | undefined =>
  names.find((name) => {
    const sent = [...query.getAll(name), ...(isObject(body) && name in body ? [body[name]] : [])]
    return sent.some((address) => typeof address === 'string' && !isTrustedAddress(address, trusted))
  })

type Sent = { url: string; json: unknown; body: Buffer | undefined }

/** A call whose addresses to return to are below the base path where they are paths: a path is a page of this service. */
export const withOwnReturns = (
  basePath: string,
  { url, json, body }: Sent,
): { url: string; body: Buffer | undefined } => {
  if (basePath === '') return { url, body }
  const isOwn = (address: unknown): address is string =>
    typeof address === 'string' && address.startsWith('/') && withoutBasePath(basePath, address) === address
  const [path = '', text] = url.split('?')
  const query = new URLSearchParams(text)
  const changed: Record<string, string> = {}
  for (const name of names) {
    const asked = query.get(name)
    if (isOwn(asked)) query.set(name, basePath + asked)
    const sent = isObject(json) ? json[name] : undefined
    if (isOwn(sent)) changed[name] = basePath + sent
  }
  return {
    url: text === undefined ? path : `${path}?${query}`,
    body: Object.keys(changed).length === 0 ? body : Buffer.from(JSON.stringify({ ...Object(json), ...changed })),
  }
}
