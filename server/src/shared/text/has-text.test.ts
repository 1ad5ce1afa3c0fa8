import { expect, test } from 'vitest'
import { hasText } from './has-text.ts'

const random = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

test('a text is found exactly where includes finds it', () => {
  const next = random(7)
  const write = (max: number) =>
    Array.from({ length: Math.floor(next() * max) }, () => 'ab'[Math.floor(next() * 2)]).join('')
  const pairs = Array.from({ length: 5_000 }, () => ({ text: write(24), sought: write(6) }))
  expect(pairs.filter(({ text, sought }) => text.includes(sought)).length).toBeGreaterThan(1_000)
  expect(pairs.filter(({ text, sought }) => hasText(text, sought) !== text.includes(sought))).toEqual([])
})
