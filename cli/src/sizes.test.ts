import { expect, test } from 'vitest'
import { toSize } from './sizes.ts'

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [48_211, '48 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [4_120_000, '4.1 MB'],
])('%i bytes are told as %s', (bytes, told) => {
  expect(toSize(bytes)).toBe(told)
})
