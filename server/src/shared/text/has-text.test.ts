import { expect, test } from 'vitest'
import { hasText } from './has-text.ts'

const random = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

test('a text is found exactly where includes finds it', () => {
  const next = random(7)
  const write = (min: number, max: number) =>
    Array.from({ length: min + Math.floor(next() * (max - min)) }, () => 'aaaaaaab'[Math.floor(next() * 8)]).join('')
  const pairs = Array.from({ length: 5_000 }, () => {
    const text = write(30, 200)
    const from = Math.floor(next() * 40)
    return { text, sought: next() < 0.5 ? write(33, 40) : text.slice(from, from + 33 + Math.floor(next() * 40)) }
  })
  expect(pairs.filter(({ text, sought }) => text.includes(sought)).length).toBeGreaterThan(1_000)
  expect(pairs.filter(({ text, sought }) => !text.includes(sought)).length).toBeGreaterThan(1_000)
  expect(pairs.filter(({ text, sought }) => hasText(text, sought) !== text.includes(sought))).toEqual([])
})
