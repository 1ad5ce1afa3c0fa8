import { z } from 'zod'

// An app describes itself: in a registration, which anyone may send, or in the document that its client_id leads to. Only a few
// values are taken. A name proves nothing, so people are shown the host that the consent is sent to.

/** The description that an app gives of itself, as far as it counts here. */
export type AppDescription = {
  name: string
  redirectUris: string[]
  /** Its method of authentication: `none`, or with a secret. */
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post'
}

/** The limits of a document by which an app describes itself. */
export const appDocuments = { organization: 'apps', idleSeconds: 5, totalSeconds: 5, maxBytes: 16 * 1024 }

const maxRedirects = 10
const maxAddress = 2_000
const maxName = 100

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']

/** True for an http address on the caller's own machine: a program there may answer at any port (RFC 8252). */
export const isLoopback = (address: string): boolean => {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && loopbackHosts.includes(hostname)
}

/** The reason why a consent must not be sent to an address; undefined if it may. */
const refuseRedirect = (address: string): string | undefined => {
  if (address.length > maxAddress || !URL.canParse(address)) return 'is not an absolute address'
  const { protocol, username, password, hostname } = new URL(address)
  if (address.includes('#') || username !== '' || password !== '') return 'has a fragment or a user name'
  if (/[\p{Cc}\s\\]/u.test(address)) return 'has characters that an address cannot have'
  if (isLoopback(address)) return undefined
  if (protocol !== 'https:') return 'is neither https nor http on this machine (localhost, 127.0.0.1, [::1])'
  return loopbackHosts.includes(hostname) ? 'is https on this machine; use http there' : undefined
}

/** Hosts of addresses, each once; with the port unless it is the usual one or any. */
export const toRedirectHosts = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.map((address) => (isLoopback(address) ? new URL(address).hostname : new URL(address).host))),
]

/** A name for people: without characters that are not seen or that turn the direction of what follows. */
const cleanName = (given: string): string =>
  given
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

const described = z.object({
  client_name: z.string().optional().catch(undefined),
  redirect_uris: z.array(z.string()).min(1).max(maxRedirects),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})

export type Refused = { error: 'invalid_redirect_uri' | 'invalid_client_metadata'; error_description: string }

const refused = (error: Refused['error'], description: string): Refused => ({ error, error_description: description })

const readAuthMethod = (given: string | undefined): AppDescription['authMethod'] | undefined => {
  if (given === undefined || given === 'client_secret_basic') return 'client_secret_basic'
  return given === 'none' || given === 'client_secret_post' ? given : undefined
}

/** Reads the metadata of a client (RFC 7591), or says why it cannot be a client here. */
export const readDescription = (metadata: unknown): AppDescription | Refused => {
  const read = described.safeParse(metadata)
  if (!read.success) {
    const isRedirect = read.error.issues.some(({ path }) => path[0] === 'redirect_uris')
    return isRedirect
      ? refused('invalid_redirect_uri', `Send redirect_uris: a list of 1 to ${maxRedirects} addresses.`)
      : refused('invalid_client_metadata', 'Send the metadata of a client as a JSON object.')
  }
  const { client_name: name = '', redirect_uris: redirectUris, ...flow } = read.data
  for (const address of redirectUris) {
    const reason = refuseRedirect(address)
    if (reason !== undefined) return refused('invalid_redirect_uri', `${JSON.stringify(address)} ${reason}.`)
  }
  if (flow.grant_types !== undefined && !flow.grant_types.includes('authorization_code'))
    return refused('invalid_client_metadata', 'Only the authorization_code grant leads to a consent. Ask for it.')
  if (flow.response_types !== undefined && !flow.response_types.includes('code'))
    return refused('invalid_client_metadata', 'Only the response type code is served. Ask for it.')
  const authMethod = readAuthMethod(flow.token_endpoint_auth_method)
  if (authMethod === undefined)
    return refused('invalid_client_metadata', 'Use one of: none, client_secret_basic, client_secret_post.')
  const hosts = toRedirectHosts(redirectUris)
  return { name: cleanName(name).slice(0, maxName).trim() || (hosts[0] ?? ''), redirectUris, authMethod }
}
