import type { IncomingHttpHeaders } from 'node:http'
import { forbidden } from '../../shared/errors.ts'

// Protects sessions against pages of other sites, because browsers add the cookie by themselves (AUT-10).

const engagingHeaders = ['cookie', 'origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'] as const

const loopbackNames = ['127.0.0.1', 'localhost']

/** The origin of a URL; none at port 0, which means a port that the system has still to choose. */
const toOrigins = ({ origin, port }: URL): string[] => (port === '0' ? [] : [origin])

/** The origins under which the pages of a service are opened. */
export const toOwnOrigins = (url: string): string[] => {
  const own = new URL(url)
  // During development a page is opened by either name of the machine itself.
  const others = loopbackNames.includes(own.hostname) ? loopbackNames : []
  return [own.hostname, ...others].flatMap((name) => {
    own.hostname = name
    return toOrigins(own)
  })
}

/** The origins that may call: the service's own, the app's, and those that the operator added. */
export const trustedOrigins = (settings: {
  publicUrl: string
  appUrl: string
  trustedOrigins: readonly string[]
}): Set<string> =>
  new Set([
    ...toOwnOrigins(settings.publicUrl),
    ...[settings.appUrl, ...settings.trustedOrigins].map((url) => new URL(url)).flatMap(toOrigins),
  ])

/**
 * Decides whether a request may act for the browser that sent it. Undefined when it may pass; otherwise the reason,
 * as one sentence that names what arrived and what is trusted.
 */
export const untrustedOrigin = (headers: IncomingHttpHeaders, trusted: ReadonlySet<string>): string | undefined => {
  if (!engagingHeaders.some((name) => headers[name] !== undefined)) return undefined
  const { origin, referer } = headers
  // Compared as text: a variant that a URL parser would forgive (user names, other cases, trailing slashes) is not the origin.
  if (origin !== undefined && trusted.has(origin)) return undefined
  if (origin === undefined && referer !== undefined)
    for (const one of trusted) if (referer === one || referer.startsWith(`${one}/`)) return undefined
  return `This request needs a trusted Origin or Referer header: ${describe(origin, referer)}, and trusted are ${[...trusted].join(', ')}. ${whereSet}`
}

/** Tells the operator which settings to change. */
const whereSet =
  'The setting NOEMA_TRUSTED_ORIGINS adds others; NOEMA_PUBLIC_URL says where the service itself is opened.'

/**
 * Refuses a page of an origin that is not trusted, whatever credential it has: a server of the Model Context Protocol
 * validates each Origin, so that a page that rebinds its name to this address reaches no tool. Programs send none.
 */
export const checkPageOrigin = ({ origin }: IncomingHttpHeaders, trusted: ReadonlySet<string>): void => {
  if (origin !== undefined && !trusted.has(origin))
    throw forbidden(
      `Pages of ${JSON.stringify(origin.slice(0, 200))} may not use MCP here; trusted are ${[...trusted].join(', ')}. ${whereSet}`,
      {
        code: 'MISSING_OR_NULL_ORIGIN',
      },
    )
}

const describe = (origin: string | undefined, referer: string | undefined): string => {
  if (origin !== undefined) return `Origin was "${origin.slice(0, 200)}"`
  return referer === undefined ? 'neither was sent' : `Referer was "${referer.slice(0, 200)}"`
}
