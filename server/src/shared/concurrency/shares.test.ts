import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createShares } from './shares.ts'

const holder = (organization: string, key = `key of ${organization}`) => ({ organization, key })
const many = { node: 100, organization: 100, key: 100 }

/** How many places a holder gets, one after the other. */
const takeAll = (shares: ReturnType<typeof createShares>, who: ReturnType<typeof holder>) => {
  const taken: (() => void)[] = []
  for (let place = shares.take(who); place; place = shares.take(who)) taken.push(place)
  return taken
}

test('a key, an organization and a node each take no more than their limit', () => {
  const shares = createShares({ node: 1_000, organization: 5, key: 3 })
  expect(takeAll(shares, holder('a', 'first'))).toHaveLength(3)
  expect(takeAll(shares, holder('a', 'second'))).toHaveLength(2)
  expect(takeAll(shares, holder('b'))).toHaveLength(3)
  expect(shares.held()).toBe(8)
})

test('an organization takes half of a node and leaves room to whoever comes after it', () => {
  const shares = createShares(many)
  const counts = ['a', 'b', 'c', 'd'].map((name) => takeAll(shares, holder(name)).length)
  expect(counts).toEqual([50, 25, 12, 6])
})

test('whoever holds most is refused first, and whoever holds nothing is let in while anything is free', () => {
  const shares = createShares({ ...many, node: 3 })
  expect(takeAll(shares, holder('greedy'))).toHaveLength(1)
  expect(shares.take(holder('second'))).toBeDefined()
  expect(shares.take(holder('greedy'))).toBeUndefined()
  expect(shares.take(holder('third'))).toBeDefined()
  expect(shares.take(holder('fourth'))).toBeUndefined()
})

test('what is given back can be taken again, and is given back once', () => {
  const shares = createShares({ node: 4, organization: 2, key: 2 })
  const [first, second] = takeAll(shares, holder('a'))
  first?.()
  first?.()
  expect(shares.held()).toBe(1)
  expect(takeAll(shares, holder('a'))).toHaveLength(1)
  second?.()
})

test('a node that has less refuses until enough was given back', () => {
  const shares = createShares(many)
  const taken = takeAll(shares, holder('a'))
  shares.resize(40)
  expect(shares.take(holder('b'))).toBeUndefined()
  for (const giveBack of taken.splice(0, 20)) giveBack()
  expect(shares.take(holder('b'))).toBeDefined()
})

test('in any order of taking and giving back, sums stay within the limits and end at nothing', () => {
  const step = fc.record({
    who: fc.integer({ min: 0, max: 3 }),
    amount: fc.integer({ min: 1, max: 9 }),
    gives: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = createShares({ node: 20, organization: 12, key: 9 })
      const taken: (() => void)[] = []
      for (const { who, amount, gives } of steps) {
        if (gives) taken.shift()?.()
        const place = shares.take(holder(`organization ${who % 2}`, `key ${who}`), amount)
        if (place) taken.push(place)
        expect(shares.held()).toBeLessThanOrEqual(20)
      }
      for (const giveBack of taken) giveBack()
      expect(shares.held()).toBe(0)
    }),
  )
})
