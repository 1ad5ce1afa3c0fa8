import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plural, toAmount, toAmountOr } from './plural.ts'

test('an amount is written as English writes it, up to three decimals', () => {
  const amounts = fc.double({ min: -1e12, max: 1e12, noNaN: true })
  fc.assert(
    fc.property(fc.oneof(amounts, fc.integer()), (amount) => {
      const rounded = Math.round(amount * 1_000) / 1_000
      expect(toAmount(amount)).toBe(rounded.toLocaleString('en').replace(/^-0$/, '0'))
    }),
  )
})

test('an amount has its noun or a word for none', () => {
  expect([plural(1, 'item'), plural(1_200, 'item'), plural(2, 'entry', 'entries')]).toEqual([
    '1 item',
    '1,200 items',
    '2 entries',
  ])
  expect([toAmountOr(undefined, '∞'), toAmountOr(0, '∞')]).toEqual(['∞', '0'])
})
