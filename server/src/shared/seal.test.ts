import { expect, test } from 'vitest'
import { createSeal } from './seal.ts'

const seal = createSeal('a service secret of 32 characters', 'tests')

test('what is sealed opens under the same secret, purpose and context alone, and never where it was altered', () => {
  for (const text of ['', 'whsec_abc', 'ö🧮', 'x'.repeat(10_000)]) {
    const sealed = seal.seal(text, 'one')
    expect(seal.open(sealed, 'one')).toBe(text)
    expect(seal.open(sealed, 'two')).toBeUndefined()
    expect(createSeal('a service secret of 32 characters', 'others').open(sealed, 'one')).toBeUndefined()
    expect(createSeal('another secret of 32 characters!', 'tests').open(sealed, 'one')).toBeUndefined()
    for (const at of [0, 12, sealed.length - 1]) {
      const altered = Buffer.from(sealed)
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(seal.open(altered, 'one')).toBeUndefined()
    }
    for (const length of [0, 5, 20]) expect(seal.open(sealed.subarray(0, length), 'one')).toBeUndefined()
  }
})

test('the same text is never sealed the same twice', () => {
  expect(seal.seal('text', 'one').equals(seal.seal('text', 'one'))).toBe(false)
})
