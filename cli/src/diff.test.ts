import { expect, test } from 'vitest'
import { diffText, diffValues } from './diff.ts'

const show = (lines: ReturnType<typeof diffText>) => lines.map(({ mark, text }) => `${mark}${text}`)

test('two texts are compared line by line, with the lines near a difference', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n')
  expect(show(diffText(before, before.replace('6', 'six')))).toEqual([' …', ' 4', ' 5', '-6', '+six', ' 7', ' 8', ' …'])
  expect(show(diffText('a', 'a'))).toEqual([' …'])
})

test('two values are compared field by field, removed lines before added ones', () => {
  const before = { kind: 'person', fields: { name: 'Ada', born: 1815, same: [1] } }
  const after = { kind: 'person', fields: { name: 'Ada L.', city: 'London', same: [1] } }
  expect(show(diffValues(before, after))).toEqual([
    '-fields.name: Ada',
    '+fields.name: Ada L.',
    '-fields.born: 1815',
    '+fields.city: London',
  ])
  expect(show(diffValues(null, { text: 'one\ntwo' }))).toEqual(['+text: one', '+two'])
  expect(show(diffValues({ text: 'one\ntwo' }, { text: 'one\n2' }))).toEqual([' text:', ' one', '-two', '+2'])
})
