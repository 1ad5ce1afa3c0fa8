import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Networks of addresses, each with the length of its prefix. */
export type Network = [Address, number]

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
// Azure answers its machines at a public address, and returns credentials there.
const azureHost = '168.63.129.16'

/** Interface ids that carry an IPv4 address within: an ISATAP router would forward to it. */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)

/**
 * Checks whether an address belongs to the public internet. Only plain unicast passes. Private, local, shared, reserved,
 * documentation and benchmark addresses do not, nor does any IPv6 address that embeds an IPv4 one (mapped, NAT64, 6to4,
 * Teredo, ISATAP).
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

/** Checks whether an address is in one of the networks; an IPv4 address mapped into IPv6 counts the same. */
export const isWithin = (text: string, networks: readonly Network[]): boolean => {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text)
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

/** Builds a check whether an address is in one of the networks that these texts name. */
export const createNetworks = (texts: readonly string[]): ((address: string) => boolean) => {
  const networks = texts.map(parseNetwork).filter((network) => network !== undefined)
  return (address) => isWithin(address, networks)
}
