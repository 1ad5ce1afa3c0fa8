import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

test('migrations are numbered one after the other, each number once', () => {
  const names = readdirSync(new URL('../server/src/storage/migrations/', import.meta.url)).sort()
  const numbers = names.map((name) => Number(name.slice(0, 4)))
  expect(names.length).toBeGreaterThan(30)
  expect(numbers).toEqual(names.map((_, index) => index + 1))
})
