import { z } from 'zod'
import { isNetwork } from '../shared/network/client-network.ts'
import { toHostPort } from '../shared/network/host-port.ts'
import { commaList, httpUrl, type Settings, trueOrFalse, type ValuesOf } from './setting.ts'

const origin = httpUrl.transform((url) => new URL(url).origin)

/** The path is copied into pages and cookies unescaped, so only plain characters may be in it. */
const publicUrl = httpUrl.refine((url) => !URL.canParse(url) || /^[^/]+:\/\/[^/?#]+(\/[\w.~-]+)*\/*$/.test(url), {
  error: 'an address without query, whose path has letters, digits, and - . _ ~ alone',
})

/** Settings of where people and browsers reach the service, and of the proxies in front of it. */
export const addressSettings = {
  NOEMA_PUBLIC_URL: {
    schema: publicUrl.optional(),
    about:
      'Public address of the service, as people and agents reach it. It may include a path, such as https://example.com/noema.',
    example: 'https://noema.example.com',
  },
  NOEMA_APP_ORIGIN: {
    schema: origin.optional(),
    about: 'Origin of your own web app where people sign in. When unset, they sign in at the public URL.',
    example: 'https://noema.example.com',
  },
  NOEMA_TRUSTED_ORIGINS: {
    schema: commaList.pipe(z.array(origin)).default([]),
    about: 'More origins whose browser requests are accepted, separated by commas.',
    example: 'https://admin.example.com',
  },
  NOEMA_CORS_ANY: {
    schema: trueOrFalse('false'),
    about: 'Whether pages of any origin may call `/v1` with a key. Their browsers send no cookie.',
    example: 'false',
  },
  NOEMA_TRUSTED_PROXIES: {
    schema: commaList
      .pipe(z.array(z.string().refine(isNetwork, 'addresses or networks such as 10.0.0.0/8')))
      .default([]),
    about:
      'Addresses or networks of your reverse proxies, separated by commas. Their `X-Forwarded-For` header names the client. Without this setting, all clients behind a proxy count as one.',
    example: '127.0.0.1,10.0.0.0/8',
  },
} as const satisfies Settings

export const readAddresses = (values: ValuesOf<typeof addressSettings>) => ({
  publicUrl: values.NOEMA_PUBLIC_URL?.replace(/\/+$/, ''),
  appOrigin: values.NOEMA_APP_ORIGIN,
  trustedOrigins: values.NOEMA_TRUSTED_ORIGINS,
  corsAny: values.NOEMA_CORS_ANY,
  /** Addresses and networks of the reverse proxies whose X-Forwarded-For is trusted. */
  trustedProxies: values.NOEMA_TRUSTED_PROXIES,
})

/** The address of the service for links and messages: one that opens in a browser, never 0.0.0.0. */
export const reachableUrl = (config: { publicUrl: string | undefined; host: string }, port: number): string => {
  if (config.publicUrl) return config.publicUrl
  const isAnyAddress = config.host === '0.0.0.0' || config.host === '::'
  const host = isAnyAddress ? '127.0.0.1' : config.host
  return `http://${toHostPort({ host, port })}`
}
