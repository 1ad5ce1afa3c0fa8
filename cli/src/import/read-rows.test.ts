import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTypes } from './cell-types.ts'
import { maxLineBytes, readLines } from './read-lines.ts'
import { readRows } from './read-rows.ts'

const open = (text: string) => () => Readable.from([Buffer.from(text)])
const read = async (text: string, format: 'jsonl' | 'csv', types = '') => {
  const rows = []
  for await (const row of readRows(open(text), format, parseTypes(types))) rows.push(row)
  return rows
}
const readFields = async (text: string, types = '') =>
  (await read(text, 'csv', types)).map((row) => ('fields' in row ? row.fields : row.reason))

const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`
const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '007',
    '7',
    '-0',
    '0',
    '1.0',
    '1.5',
    '1e3',
    '1e21',
    '+1',
    'true',
    'TRUE',
    '9007199254740993',
    ' 1',
    'NaN',
  ),
  fc.constantFrom('a,b', 'line\nbreak', 'line\r\nbreak', '"quoted"', '"', 'null', 'Infinity', '0x10', '.5'),
)

test('a column of a CSV file has one type, and every value can be had back as it was written', async () => {
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 12 }),
    )
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const names = (rows[0] ?? []).map((_cell, index) => `c${index}`)
      const text = [names, ...rows].map((cells) => cells.map(quote).join(',')).join('\n')
      const found = await readFields(text)
      expect(found).toHaveLength(rows.length)
      for (const [index, name] of names.entries()) {
        const values = found.map((fields) => (fields as Record<string, unknown>)[name])
        const written = rows.map((cells) => cells[index] ?? '')
        expect(values.map((value) => (value === undefined ? '' : String(value)))).toEqual(written)
        expect(new Set(values.filter((value) => value !== undefined).map((value) => typeof value)).size).toBeLessThan(2)
      }
    }),
    { numRuns: 300 },
  )
})

test('types that the caller names are taken, and a cell of another type is rejected with its line', async () => {
  const text = 'zip,amount,paid,tags\n00750,007,true,"[""a""]"\n1,x,true,[]\n2,1,yes,[]\n3,1,true,{\n4,1\n'
  expect(await readFields(text, 'zip:string, amount:integer,paid:boolean,tags:json')).toEqual([
    { zip: '00750', amount: 7, paid: true, tags: ['a'] },
    'amount: "x" is no integer.',
    'paid: "yes" is neither true nor false.',
    expect.stringContaining('tags: '),
    'The row has 2 cells, and the first line 4.',
  ])
  expect((await read(text, 'csv')).map(({ line }) => line)).toEqual([2, 3, 4, 5, 6])
  expect(() => parseTypes('zip:zipcode')).toThrow('--types')
})

test.each([
  ['a,a\n1,2\n', 'Two columns'],
  ['a,\n1,2\n', 'no name'],
  ['a\n"open\n', 'no CSV'],
])('the CSV file %j is refused as a whole before a row is read', async (text, part) => {
  await expect(read(text, 'csv')).rejects.toThrow(part)
})

test('each line of a JSONL file is a row; what is none is rejected with its line', async () => {
  const rows = await read('\ufeff{"a": "\u2028"}\r\n\n[1]\n{"a": 007}\n{"b": null}', 'jsonl')
  expect(rows).toMatchObject([
    { line: 1, fields: { a: '\u2028' } },
    { line: 3, reason: 'The line is no JSON object.' },
    { line: 4, reason: 'The line is not JSON.' },
    { line: 5, fields: { b: null } },
  ])
})

test('lines are the same however the file arrives, and one that is too long is not held', async () => {
  const bytes = Buffer.from('a\n\nbé\r\nlast')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }), async (sizes) => {
      const parts: Buffer[] = []
      let from = 0
      for (const size of [...sizes, bytes.length]) {
        parts.push(bytes.subarray(from, from + size))
        from += size
      }
      expect(await Array.fromAsync(readLines(Readable.from(parts)))).toEqual(['a', '', 'bé', 'last'])
    }),
  )
  const long = [Buffer.alloc(maxLineBytes), Buffer.from('xx\nnext\n')]
  expect(await Array.fromAsync(readLines(Readable.from(long)))).toEqual([undefined, 'next'])
})
