import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallSlots } from './call-slots.ts'

const limits = { node: 20, organization: 8, host: 6 }
const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
const call = fc.record({
  organization: fc.constantFrom('a', 'b', 'c', 'd'),
  to: fc.subarray(addresses, { minLength: 1 }),
})
const step = fc.oneof({ weight: 3, arbitrary: call }, { weight: 1, arbitrary: fc.nat(30) })

test('for any order of calls no limit is exceeded, an organization without a call at a host finds a slot, and all are released', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const slots = createCallSlots(limits)
      const open: { organization: string; to: readonly string[]; leave: () => void }[] = []
      const count = (is: (one: (typeof open)[number]) => boolean) => open.filter(is).length
      for (const one of steps) {
        if (typeof one === 'number') {
          for (const { leave } of open.splice(one % Math.max(1, open.length), 1)) leave()
          continue
        }
        const { organization, to } = one
        const isNew = count((other) => other.organization === organization) === 0
        const hasRoom = to.every((address) => count((other) => other.to.includes(address)) < limits.host)
        const leaveNode = slots.take(organization)
        if (isNew && open.length < limits.node) expect(leaveNode).toBeDefined()
        const leaveHost = leaveNode && slots.takeHost(to, organization)
        if (isNew && leaveNode && hasRoom) expect(leaveHost).toBeDefined()
        if (leaveNode && leaveHost) {
          const leave = () => {
            leaveHost()
            leaveNode()
          }
          open.push({ organization, to, leave })
        } else leaveNode?.()
        expect(open.length).toBeLessThanOrEqual(limits.node)
        expect(count((other) => other.organization === organization)).toBeLessThanOrEqual(limits.organization)
        for (const address of addresses)
          expect(count((other) => other.to.includes(address))).toBeLessThanOrEqual(limits.host)
      }
      for (const { leave } of open) leave()
      const alone = Array.from({ length: limits.host }, () => slots.takeHost(addresses, 'a'))
      expect(alone.filter(Boolean)).toHaveLength(limits.host / 2)
    }),
  )
})
