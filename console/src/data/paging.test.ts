import { expect, test } from 'vitest'
import { createRowList } from './paging.ts'

type Page = { rows: readonly number[] }

const createCounted = () => {
  const read: Page[] = []
  const list = createRowList((page: Page) => {
    read.push(page)
    return page.rows
  })
  return { list, read }
}

test('a page that comes is put behind the rows that are there, which are not gone through again', () => {
  const { list, read } = createCounted()
  const pages: Page[] = Array.from({ length: 200 }, (_, index) => ({ rows: [index * 2, index * 2 + 1] }))
  for (let count = 1; count <= pages.length; count++) expect(list(pages.slice(0, count))).toHaveLength(count * 2)
  expect(list(pages).slice(-2)).toEqual([398, 399])
  expect(read).toEqual(pages)
})

test('a list that is read anew begins anew, and what was handed out before stays as it was', () => {
  const { list } = createCounted()
  const first: Page = { rows: [1] }
  const before = list([first])
  expect(list([first, { rows: [2] }])).toEqual([1, 2])
  expect(list([{ rows: [7] }])).toEqual([7])
  expect(list([])).toEqual([])
  expect(before).toEqual([1])
})
