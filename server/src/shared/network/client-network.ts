import { isIP } from 'node:net'

/** The first four groups of an IPv6 address, written in full. */
const firstGroups = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(0, missing)).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Returns the network by which limits count a caller: the IPv4 address, or the 64-bit network of an IPv6 address, because
 * one machine has all of its addresses. An IPv4 address written as IPv6 counts as the IPv4 address.
 */
export const toClientNetwork = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  return isIP(address) === 6 ? `${firstGroups(address.replace(/%.*$/, ''))}::/64` : address
}

/** Checks whether a text is an address or a network, such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}
