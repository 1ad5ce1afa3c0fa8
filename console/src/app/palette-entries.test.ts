import { expect, test } from 'vitest'
import { findEntries, listEntries } from './palette-entries.ts'

const names = { brains: ['handbook', 'harbour'], agents: [] }
const all = listEntries({ isAdministrator: false, names, handle: 'harbour', recent: [] })

test('a text finds the closest names first, also by some of their letters, and offers a search of the open Brain', () => {
  expect(findEntries(all, 'hbk', undefined).map(({ to }) => to)).toEqual(['/brains/handbook'])
  expect(findEntries(all, 'connectors', undefined).at(0)).toMatchObject({ to: '/connectors', sort: 'Page' })
  expect(findEntries(all, 'Brains', undefined).at(0)).toMatchObject({ to: '/brains', sort: 'Page' })
  const found = findEntries(all, 'a & b', 'harbour')
  expect(found.map(({ to }) => to)).toEqual(['/brains/harbour/playground?q=a+%26+b'])
})

test('each page is listed once, and only if it exists', () => {
  const places = all.map(({ to }) => to)
  expect(new Set(places).size).toBe(places.length)
  expect(places).toContain('/brains/harbour/records')
  expect(places).not.toContain('/brains/harbour/nothing')
})
