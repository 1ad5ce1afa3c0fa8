import { isIP } from 'node:net'
import { isPublicAddress, isWithin, type Network, parseNetwork } from './addresses.ts'

/** The reason why a URL may not be called, in a sentence for the caller. */
export class Refusal extends Error {}

/** The operator's exceptions to public HTTPS: names, networks, the only allowed ports if set, and the name of the setting. */
export type Rules = {
  hosts: ReadonlySet<string>
  networks: readonly Network[]
  ports: readonly number[]
  setting: string
}

/** A URL that may be called by its text; a host name must still be resolved. */
export type Target = { url: URL; host: string; isLiteral: boolean; isAllowed: boolean }

const maxUrlLength = 2048
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

// Names that no public DNS answers (RFC 6761, 6762, 8375, 9476), and other names that private networks commonly use.
const localDomain =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|onion|test|example|invalid|alt)$/

/** One entry of a setting that allows hosts: an address, a network, or a host's name; undefined where it is none. */
export const parseAllowed = (text: string): Network | string | undefined => {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  const network = parseNetwork(bare)
  if (network) return network
  const name = text.toLowerCase()
  return hostName.test(name) && !/^[\d.]+$/.test(name) ? name : undefined
}

/** The rules of these settings, which are in order. */
export const createRules = ({
  allow,
  ...rest
}: { allow: readonly string[] } & Pick<Rules, 'ports' | 'setting'>): Rules => {
  const allowed = allow.map(parseAllowed)
  return {
    hosts: new Set(allowed.filter((entry) => typeof entry === 'string')),
    networks: allowed.filter((entry) => typeof entry === 'object'),
    ...rest,
  }
}

const parseUrl = (text: string): URL => {
  // The parser would drop tabs and turn backslashes into slashes, and the called URL must be the one that was read.
  if (text.length > maxUrlLength || /[\s\\\p{C}]/u.test(text))
    throw new Refusal(`A URL has at most ${maxUrlLength} characters, and no spaces or backslashes.`)
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) throw new Refusal('This is not an https:// URL.')
  return new URL(text)
}

/** The refusal of what an operator may allow. */
const notAllowed = (sentence: string, { setting }: Rules) =>
  new Refusal(`${sentence} The operator of this service can allow it by ${setting}.`)

const checkName = (host: string, rules: Rules): void => {
  if (!host.includes('.') || localDomain.test(host))
    throw notAllowed('The host is a local name, not a public one.', rules)
}

/** Checks what everybody but an operator's own receivers must keep. */
const checkPublic = ({ url, host, isLiteral }: Target, rules: Rules): void => {
  const { ports } = rules
  if (isLiteral && !isPublicAddress(host)) throw notAllowed('The address is not a public internet address.', rules)
  if (!isLiteral) checkName(host, rules)
  if (url.protocol !== 'https:') throw new Refusal('The URL must begin with https://.')
  const port = Number(url.port || 443)
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
  const isAllowed = isLiteral ? isWithin(host, rules.networks) : rules.hosts.has(host)
  const target = { url, host, isLiteral, isAllowed }
  // Only resolution shows whether a name leads into an allowed network.
  const isOpen = isAllowed || (!isLiteral && rules.networks.length > 0)
  if (!isOpen) checkPublic(target, rules)
  return target
}

/** Checks all that a name resolved to; throws a Refusal where one address is not public, because any might be called. */
export const checkAddresses = (target: Target, addresses: readonly string[], rules: Rules): void => {
  if (addresses.length === 0) throw new Refusal('The host has no address.')
  if (target.isAllowed || addresses.every((address) => isWithin(address, rules.networks))) return
  checkPublic(target, rules)
  // The message does not name the address: it may come from a DNS that only this network sees.
  if (!addresses.every((address) => isPublicAddress(address) || isWithin(address, rules.networks)))
    throw notAllowed('The host resolves to an address that is not a public internet address.', rules)
}
