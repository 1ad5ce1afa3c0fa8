import { expect, test } from 'vitest'
import { fitText, fitWidths, writeTable } from './table.ts'
import { sink } from './test/run-cli.ts'

type Row = { id: string; title: string }
const columns = [
  { title: 'ID', value: ({ id }: Row) => id },
  { title: 'TITLE', value: ({ title }: Row) => title, shrinks: true as const },
]
const rows = [
  { id: 'doc_1', title: 'A title that is much longer than what is left of the line for it' },
  { id: 'doc_22', title: 'short\tand \u001b[31mhostile' },
]

const write = async (place: object, env: Record<string, string> = {}) => {
  const { output, text } = sink()
  await writeTable({ stdout: Object.assign(output, place), env }, {}, { rows, columns })
  return text()
}

test('at a terminal a table has titles and fits its width', async () => {
  const text = await write({ isTTY: true, columns: 40 }, { NO_COLOR: '1' })
  expect(text.split('\n')).toEqual([
    'ID      TITLE',
    'doc_1   A title that is much longer tha…',
    'doc_22  short and \\x1b[31mhostile',
    '',
  ])
})

test('titles are styled, unless NO_COLOR or a dumb terminal asks for plain text', async () => {
  expect(await write({ isTTY: true, columns: 40 })).toContain('\u001b[2m')
  expect(await write({ isTTY: true, columns: 40 }, { TERM: 'dumb' })).not.toContain('\u001b[')
})

test('elsewhere a table is rows with tabs between, whole and without titles', async () => {
  const text = await write({})
  expect(text).toBe(`doc_1\t${rows[0]?.title}\ndoc_22\tshort and \\x1b[31mhostile\n`)
})

test('wide characters take two columns', () => {
  expect(fitText('日本語のテキスト', 9)).toBe('日本語の…')
  expect(fitText('日本語', 6)).toBe('日本語')
})

test('only columns that may shrink give way, the widest first, and none beyond a few columns', () => {
  expect(fitWidths([10, 40, 20], [false, true, true], 50)).toEqual([10, 18, 18])
  expect(fitWidths([30, 20], [false, true], 20)).toEqual([30, 8])
  expect(fitWidths([30, 20], [false, false], 20)).toEqual([30, 20])
})

test('times are shown to the minute at a terminal, and whole elsewhere', async () => {
  const time = [{ title: 'AT', value: (at: string) => at }]
  const show = async (place: object) => {
    const { output, text } = sink()
    const rows = ['2026-03-01T12:34:56.789Z']
    await writeTable({ stdout: Object.assign(output, place), env: { NO_COLOR: '1' } }, {}, { rows, columns: time })
    return text()
  }
  expect(await show({ isTTY: true })).toBe('AT\n2026-03-01 12:34\n')
  expect(await show({})).toBe('2026-03-01T12:34:56.789Z\n')
})
