import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUnpacking, joinPages, pack } from './packed-pages.ts'

type Row = { id: number }

const toPages = (sizes: readonly number[]) => {
  let id = 0
  return sizes.map((size) => pack(Array.from({ length: size }, () => ({ id: id++ }))))
}

test('rows are in the order of their pages, for pages of any size and in any order of access', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 30 }), fc.array(fc.nat(200)), (sizes, places) => {
      const { unpack } = createUnpacking<Row>()
      const rows = joinPages(toPages(sizes), unpack)
      expect(rows.length).toBe(sizes.reduce((sum, size) => sum + size, 0))
      for (const place of places) expect(rows.at(place)?.id).toBe(place < rows.length ? place : undefined)
      expect(rows.at(-1)).toBe(undefined)
    }),
  )
})

test('a visible row stays the same object while pages load, and is found', () => {
  const { unpack, find } = createUnpacking<Row>()
  const pages = toPages([2, 2, 2])
  const before = joinPages(pages.slice(0, 1), unpack).at(1)
  expect(joinPages(pages, unpack).at(1)).toBe(before)
  expect(find(({ id }) => id === 1)).toBe(before)
  expect(find(({ id }) => id === 5)).toBe(undefined)
})

test('only a few pages are kept as objects', () => {
  const { unpack, find } = createUnpacking<Row>()
  const pages = toPages(Array(100).fill(1))
  const rows = joinPages(pages, unpack)
  const first = rows.at(0)
  for (let place = 1; place < 100; place++) rows.at(place)
  expect(find(({ id }) => id === 0)).toBe(undefined)
  expect(rows.at(0)).toEqual(first)
})
