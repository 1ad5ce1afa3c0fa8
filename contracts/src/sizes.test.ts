import { expect, test } from 'vitest'
import { toSize } from './sizes.ts'

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1 KiB'],
  [48_211, '47 KiB'],
  [1_022_900, '999 KiB'],
  [1_048_000, '1 MiB'],
  [4_120_000, '3.9 MiB'],
  [10_240 * 1024 * 1024, '10 GiB'],
  [1_500 * 1024 ** 3, '1.5 TiB'],
  [2_000 * 1024 ** 5, '2,000 PiB'],
])('%i bytes are written as %s', (bytes, text) => {
  expect(toSize(bytes)).toBe(text)
})
