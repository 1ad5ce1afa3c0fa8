import { expect, test } from 'vitest'
import { alignLines, foldSame } from './side-by-side.ts'

const toText = (rows: ReturnType<typeof alignLines>) =>
  rows.map(({ before, after, isSame }) =>
    [before ? `${before.number} ${before.text}` : '', isSame ? '=' : '|', after ? `${after.number} ${after.text}` : '']
      .join(' ')
      .trim(),
  )

test('changed lines are in one row, and a line of one text alone has no other side', () => {
  expect(toText(alignLines('a\nb\nc\nd', 'a\nB\nc\nd\ne'))).toEqual([
    ...['1 a = 1 a', '2 b | 2 B', '3 c = 3 c', '4 d | 4 d', '| 5 e'],
  ])
  expect(toText(alignLines('', 'x\n'))).toEqual(['| 1 x'])
  expect(toText(alignLines('x\ny\n', 'y\n'))).toEqual(['1 x |', '2 y = 1 y'])
})

test('long blocks of unchanged lines are folded, with some left next to each change', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
  const after = lines.with(20, 'changed')
  const folded = foldSame(alignLines(lines.join('\n'), after.join('\n')))
  expect(folded.map(({ rows, isFolded }) => [rows.length, isFolded])).toEqual([
    ...[
      [17, true],
      [3, false],
      [1, false],
      [3, false],
      [16, true],
    ],
  ])
  expect(folded.flatMap(({ rows }) => rows).length).toBe(40)
  expect(foldSame(alignLines('a\nb\nc', 'a\nb\nd')).every(({ isFolded }) => !isFolded)).toBe(true)
})

test('texts that have hardly anything in common are compared in bounded time', () => {
  const make = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name} ${index}`).join('\n')
  const rows = alignLines(make('a'), make('b'))
  expect(rows.length).toBe(20_000)
})
