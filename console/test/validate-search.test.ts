import { expect, test } from 'vitest'
import { defineSearch, readFlag, readList, readNumber, readText, readWord } from '../src/validate-search.ts'

const read = defineSearch({
  q: readText,
  depth: readNumber,
  open: readFlag,
  kinds: readList,
  tab: (value) => readWord(value, ['fields', 'history']),
})

test('the query of a URL is parsed by the readers of a view', () => {
  const given = { q: 'harbour', depth: '2', open: 'true', kinds: 'person,,place', tab: 'history', other: 'x' }
  expect(read(given)).toEqual({ q: 'harbour', depth: 2, open: true, kinds: ['person', 'place'], tab: 'history' })
})

test('invalid parameters are dropped, so that the URL still opens', () => {
  const given = { q: '', depth: '-1', open: '1', kinds: ',', tab: 'nothing' }
  expect(Object.values(read(given))).toEqual([undefined, undefined, undefined, undefined, undefined])
  expect(readNumber('1e3')).toBeUndefined()
})
