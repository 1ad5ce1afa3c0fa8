import { expect, test } from 'vitest'
import { toQrCode } from '../src/views/account/qr-modules.ts'

// As a reader of another maker read it.
const known = [
  '#######.......#######',
  '#.....#.#####.#.....#',
  '#.###.#..####.#.###.#',
  '#.###.#..####.#.###.#',
  '#.###.#.##..#.#.###.#',
  '#.....#.....#.#.....#',
  '#######.#.#.#.#######',
  '...........##........',
  '#.#.#.#..#.#....#..#.',
  '..#.....###...#...###',
  '.##...##.##.#...##.##',
  '.#..##..##....#....##',
  '....#.#####.#.#.#..#.',
  '........#.##.#.#...##',
  '#######....#.###.####',
  '#.....#...####.##....',
  '#.###.#.#.##.###...##',
  '#.###.#...#...##..##.',
  '#.###.#.###.#...###.#',
  '#.....#.......#....#.',
  '#######.###.#.#.#..##',
]

test('a text is drawn as the QR code that readers know', () => {
  expect(toQrCode('noema').map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))).toEqual(known)
})

test.each([
  [14, 21],
  [15, 25],
  [180, 53],
  [181, 57],
  [412, 77],
])('a text of %i bytes fits into %i modules', (length, size) => {
  const rows = toQrCode('x'.repeat(length))
  expect([rows.length, rows[0]?.length]).toEqual([size, size])
})

test('a text that is too long is refused', () => {
  expect(() => toQrCode('x'.repeat(413))).toThrow('too long')
})
