import { isIP } from 'node:net'
import { isPublicAddress, isWithin, type Network, parseNetwork } from './addresses.ts'

/** The reason why a URL may not be called, in a sentence for the caller. */
export class Refusal extends Error {}

/** A host or network that an operator allows although it is private, on one port or, by `*`, on any. */
export type Allowed = { to: Network | string; port: number | '*' }

/** The operator's exceptions to public HTTPS, and the name of their setting; `ports` are the only ones on public hosts, if any. */
export type Rules = { allow: readonly Allowed[]; ports: readonly number[]; setting: string }

/** A URL that may be called as far as its text shows; a host that is a name must still be resolved. */
export type Target = {
  url: URL
  host: string
  isLiteral: boolean
  /** The operator allows this host on this port. */
  isAllowed: boolean
  /** The networks that the operator allows on this port. */
  networks: readonly Network[]
}

const maxUrlLength = 2048
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

// Names that no public DNS answers (RFC 6761, 6762, 8375, 9476), and other names that private networks commonly use.
const localDomain =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|onion|test|example|invalid|alt)$/

const httpsPort = 443

/** An entry without its port: `host`, `10.1.0.0/16` or `[::1]`, which an IPv6 address is in before a port. */
const parseHost = (text: string): Network | string | undefined => {
  const network = parseNetwork(text.replace(/^\[(.*)\]$/, '$1'))
  if (network) return network
  const name = text.toLowerCase()
  return hostName.test(name) && !/^[\d.]+$/.test(name) ? name : undefined
}

const parsePort = (text: string): number | '*' | undefined => {
  if (text === '*') return '*'
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port > 0 && port < 65_536 ? port : undefined
}

/**
 * One entry of a setting that allows hosts: an address, a network or a host's name, then `:port`, or `:*` for every port. Without
 * a port it is that of https. Undefined for any other text.
 */
export const parseAllowed = (text: string): Allowed | undefined => {
  const bare = parseHost(text)
  if (bare !== undefined) return { to: bare, port: httpsPort }
  const [, host = '', end = ''] = /^(.+):([^:\]]+)$/.exec(text) ?? []
  // An IPv6 address has colons of its own, so it needs its brackets.
  if (host.includes(':') && !host.startsWith('[')) return undefined
  const [to, port] = [parseHost(host), parsePort(end)]
  return to === undefined || port === undefined ? undefined : { to, port }
}

const loopback = ['127.0.0.0/8', '::1'].map(parseNetwork).filter((network) => network !== undefined)

/** Checks if an entry leads to this machine itself, where services listen that trust every caller. */
export const isLoopback = ({ to }: Allowed): boolean => {
  if (typeof to === 'string') return to === 'localhost' || to.endsWith('.localhost')
  const [network, bits] = to
  return loopback.some(([own, ownBits]) => own.kind() === network.kind() && network.match(own, Math.min(bits, ownBits)))
}

const parseUrl = (text: string): URL => {
  // The parser would drop tabs and turn backslashes into slashes, and the called URL must be the one that was read.
  if (text.length > maxUrlLength || /[\s\\\p{C}]/u.test(text))
    throw new Refusal(`A URL has at most ${maxUrlLength} characters, and no spaces or backslashes.`)
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) throw new Refusal('This is not an https:// URL.')
  return new URL(text)
}

const toPort = ({ port, protocol }: URL): number => Number(port || (protocol === 'http:' ? 80 : httpsPort))

/** The refusal of what an operator may allow. */
const notAllowed = (sentence: string, { url }: Target, { setting }: Rules) =>
  new Refusal(
    `${sentence} The operator of this service can allow it by adding ${url.hostname}:${toPort(url)} to ${setting}.`,
  )

/** Checks what everybody but an operator's own receivers must keep. */
const checkPublic = (target: Target, rules: Rules): void => {
  const { url, host, isLiteral } = target
  const { ports } = rules
  if (isLiteral && !isPublicAddress(host))
    throw notAllowed('The address is not a public internet address.', target, rules)
  if (!isLiteral && (!host.includes('.') || localDomain.test(host)))
    throw notAllowed('The host is a local name, not a public one.', target, rules)
  if (url.protocol !== 'https:') throw new Refusal('The URL must begin with https://.')
  const port = toPort(url)
  if (ports.length > 0 && !ports.includes(port))
    throw new Refusal(`The port ${port} is not one of those that this service may call: ${ports.join(', ')}.`)
}

/** Checks the text of a URL; throws a Refusal. Numbers in other forms (decimal, octal, hex, short) are addresses. */
export const parseTarget = (text: string, rules: Rules): Target => {
  const url = parseUrl(text)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text))
    throw new Refusal('A URL with a user name or password is refused.')
  if (url.port === '0') throw new Refusal('Nothing listens on port 0.')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isLiteral = isIP(host) !== 0
  if (!isLiteral && !hostName.test(host))
    throw new Refusal('The host is not a valid DNS name. Write it without a dot at the end.')
  const port = toPort(url)
  const allowed = rules.allow.filter((entry) => entry.port === '*' || entry.port === port).map(({ to }) => to)
  const networks = allowed.filter((to) => typeof to !== 'string')
  const isAllowed = isLiteral ? isWithin(host, networks) : allowed.includes(host)
  const target = { url, host, isLiteral, isAllowed, networks }
  // Only resolution shows if a name leads into an allowed network.
  const isOpen = isAllowed || (!isLiteral && networks.length > 0)
  if (!isOpen) checkPublic(target, rules)
  return target
}

/** Checks all that a name resolved to; throws a Refusal where one address is not public, because any might be called. */
export const checkAddresses = (target: Target, addresses: readonly string[], rules: Rules): void => {
  if (addresses.length === 0) throw new Refusal('The host has no address.')
  const { networks } = target
  if (target.isAllowed || addresses.every((address) => isWithin(address, networks))) return
  checkPublic(target, rules)
  // The refusal does not name the address: it may come from a DNS that only this network sees.
  if (!addresses.every((address) => isPublicAddress(address) || isWithin(address, networks)))
    throw notAllowed('The host resolves to an address that is not a public internet address.', target, rules)
}
