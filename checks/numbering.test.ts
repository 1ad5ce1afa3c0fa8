import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const migrations = new URL('../server/src/storage/migrations/', import.meta.url)
const decisions = new URL('../docs/decisions/', import.meta.url)

test.each([
  ['migrations', migrations],
  ['decisions', decisions],
])('%s are numbered one after the other, each number once', (_what, folder) => {
  const numbers = readdirSync(folder)
    .sort()
    .map((name) => Number(name.slice(0, 4)))
  expect(numbers.length).toBeGreaterThan(30)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

test('a decision begins with its number', () => {
  const wrong = readdirSync(decisions).filter(
    (name) => !readFileSync(new URL(name, decisions), 'utf8').startsWith(`# ${Number(name.slice(0, 4))}. `),
  )
  expect(wrong).toEqual([])
})
