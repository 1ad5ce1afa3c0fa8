import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Networks of addresses, each with the length of its prefix. */
export type Network = [Address, number]

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
// Azure answers its machines at a public address, with their credentials among the answers.
const azureHost = '168.63.129.16'

/** Interface ids that carry an IPv4 address within: an ISATAP router would forward to it. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)

/**
 * Whether an address belongs to the public internet. Only plain unicast passes: what is private, local, shared, reserved,
 * for documentation or benchmarks does not, nor does any IPv6 address that leads to an IPv4 one (mapped, NAT64, 6to4,
 * Teredo, ISATAP), whatever that one is.
 */
export const isPublicAddress = (text: string): boolean => {
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast) && !isIsatap(address)
  return address.toString() !== azureHost
}

/** The network that a text such as `10.1.0.0/16` or `::1` names; undefined where it names none. */
export const parseNetwork = (text: string): Network | undefined => {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Whether an address lies in one of the networks; an IPv4 address counts the same where it is mapped into IPv6. */
export const isWithin = (text: string, networks: readonly Network[]): boolean => {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text)
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

/** Whether an address lies in one of the networks that these texts name. */
export const createNetworks = (texts: readonly string[]): ((address: string) => boolean) => {
  const networks = texts.map(parseNetwork).filter((network) => network !== undefined)
  return (address) => isWithin(address, networks)
}
