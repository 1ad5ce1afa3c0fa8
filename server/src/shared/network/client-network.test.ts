import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toClientNetwork } from './client-network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:ffff::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s is counted as %s', (address, network) => {
  expect(toClientNetwork(address)).toBe(network)
})

test('all addresses of one IPv6 network count as one, and those of another do not', () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16))
  const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), (network, host, otherHost) => {
      const address = (last: string[]) => [...network, ...last].join(':')
      const shortened = new URL(`http://[${address(host)}]`).hostname.slice(1, -1)
      expect(toClientNetwork(shortened)).toBe(toClientNetwork(address(otherHost)))
      const [first = '0', ...rest] = network
      const other = [(Number.parseInt(first, 16) ^ 1).toString(16), ...rest, ...host].join(':')
      expect(toClientNetwork(other)).not.toBe(toClientNetwork(address(host)))
    }),
  )
})
