import { CallFailure } from '../../../shared/outbound/call-failure.ts'

// One answer of a site to one GET, after its redirects. Each hop is checked and pinned like any other call.

/** A conditional request: what the site said about the text that is there already. */
export type Validators = { etag: string | null; lastModified: string | null }

/** The answer to a GET. `url` is where it came from. */
export type Answer = {
  url: string
  status: number
  headers: Headers
  bytes: Buffer
}

const maxRedirects = 5
const redirects = [301, 302, 303, 307, 308]

const toHeaders = ({ etag, lastModified }: Validators, userAgent: string): Record<string, string> => ({
  'user-agent': userAgent,
  accept: 'text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.8',
  ...(etag === null ? {} : { 'if-none-match': etag }),
  ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
})

/** The address that a redirect leads to. */
const findTarget = (response: Response, from: string): string => {
  const location = response.headers.get('location')
  if (location === null || !URL.canParse(location, from))
    throw new CallFailure('The site redirects, but does not say where.')
  const url = new URL(location, from)
  url.hash = ''
  return url.href
}

type Request = {
  url: string
  userAgent: string
  validators: Validators
  /** Called before each hop; throws where it may not be fetched. */
  check: (url: string) => Promise<void>
}

const read = async (response: Response, url: string): Promise<Answer> => {
  const { status, headers } = response
  const wantsBody = status === 200
  if (!wantsBody) await response.body?.cancel()
  const bytes = wantsBody ? Buffer.from(await response.arrayBuffer()) : Buffer.alloc(0)
  return { url, status, headers, bytes }
}

/** Gets a page. Throws CallFailure. */
export const getPage = async (
  fetchOnce: typeof fetch,
  { url: first, userAgent, validators, check }: Request,
): Promise<Answer> => {
  const headers = toHeaders(validators, userAgent)
  let url = first
  for (let hop = 0; hop <= maxRedirects; hop++) {
    await check(url)
    const response = await fetchOnce(url, { headers, redirect: 'manual' })
    if (!redirects.includes(response.status)) return read(response, url)
    await response.body?.cancel()
    url = findTarget(response, url)
  }
  throw new CallFailure(`The site redirects more than ${maxRedirects} times.`)
}
