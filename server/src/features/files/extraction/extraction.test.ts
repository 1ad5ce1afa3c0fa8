import { expect, test } from 'vitest'
import {
  makeDocx,
  makeEpub,
  makePdf,
  makePptx,
  makeXlsx,
  slideShape,
  wordParagraph,
} from '../../../../../bench/parts/sample-files.ts'
import type { Format } from './find-format.ts'
import { runExtraction } from './run-extraction.ts'

const limits = { seconds: 60, memoryBytes: 512 * 1024 * 1024, maxCharacters: 1_000_000 }
const { signal } = new AbortController()

const extract = async (format: Format, bytes: Buffer | string) => {
  const sent = (async function* () {
    yield Buffer.from(bytes)
  })()
  const { text, title } = await runExtraction(sent, { format, contentType: '', charset: undefined }, { limits, signal })
  return { text, title }
}

const table = '| Month | Orders |\n| --- | --- |\n| July | 12 |'

test('FIL-08 a PDF becomes Markdown with its headings and tables, and each page ends with a form feed', async () => {
  const rows = [
    ['Month', 'Orders'],
    ['July', '12'],
  ]
  const pages = [
    [
      { text: 'Annual report', y: 780, size: 24 },
      { text: 'Orders grew in every re-', y: 740 },
      { text: 'gion of the country.', y: 727 },
      { text: 'A second paragraph.', y: 690 },
    ],
    rows.flatMap(([month = '', orders = ''], row) => [
      { text: month, x: 72, y: 700 - row * 14 },
      { text: orders, x: 300, y: 700 - row * 14 },
    ]),
  ]
  expect(await extract('pdf', makePdf(pages))).toEqual({
    title: 'A report',
    text: `# Annual report\n\nOrders grew in every region of the country.\n\nA second paragraph.\n\f\n\n${table}\n\f`,
  })
})

test('FIL-08 a Word document keeps headings, lists, tables and the pages that Word saved, and no deleted text', async () => {
  const item =
    '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>First</w:t></w:r></w:p>'
  const cell = (text: string) => `<w:tc>${wordParagraph(text)}</w:tc>`
  const rows = `<w:tbl><w:tr>${cell('Month')}${cell('Orders')}</w:tr><w:tr>${cell('July')}${cell('12')}</w:tr></w:tbl>`
  const next = '<w:p><w:r><w:lastRenderedPageBreak/><w:t># not a heading</w:t><w:br w:type="page"/></w:r></w:p>'
  const deleted = `<w:p><w:del><w:r><w:delText>Gone</w:delText></w:r></w:del><w:r><w:t>Kept</w:t></w:r></w:p>`
  const { text } = await extract('docx', makeDocx(wordParagraph('Plan', 'H1') + item + rows + next + deleted))
  expect(text).toBe(`# Plan\n\n- First\n\n${table}\n\f\n\n\\# not a heading\n\f\n\nKept\n\f`)
})

test('FIL-08 each sheet of a workbook is a heading and a table without empty columns, and dates are dates', async () => {
  const cell = (reference: string, value: string, more = '') => `<c r="${reference}" ${more}><v>${value}</v></c>`
  const rows = `<row>${cell('A1', '0', 't="s"')}${cell('XFD1', '1', 't="s"')}</row><row>${cell('A2', '45292', 's="1"')}${cell('XFD2', '12')}</row>`
  const { text } = await extract('xlsx', makeXlsx({ 'Sales | 2024': rows, Empty: '' }))
  expect(text).toBe('## Sales | 2024\n\n| Month | Orders |\n| --- | --- |\n| 2024-01-01 | 12 |')
})

test('FIL-08 a web page without a title has its first heading as one', async () => {
  const found = await extract('html', '<p>Intro<h2>The <b>first</b></h2><h1>Second</h1>')
  expect(found.title).toBe('The first')
  expect((await extract('html', '<title>Own</title><h1>Heading</h1>')).title).toBe('Own')
  expect((await extract('html', '<p>Only text')).title).toBeUndefined()
})

test('FIL-08 each slide is a page with its title as a heading', async () => {
  const { text } = await extract(
    'pptx',
    makePptx([slideShape(['Strategy'], 'title') + slideShape(['Grow', 'Save']), slideShape(['Thanks'], 'ctrTitle')]),
  )
  expect(text).toBe('## Strategy\n\n- Grow\n- Save\n\f\n\n## Thanks\n\f')
})

test('FIL-08 HTML keeps headings, lists, tables, code, quotations and links that people can follow, and no scripts', async () => {
  const html = `<!doctype html><title>Guide</title><h1>Guide &amp; more</h1><script>alert(1)</script><p>See <a href="https://example.com/a">the
    page</a> or <a href="javascript:alert(1)">this</a>.<ul><li>One<li>Two<ul><li>Inner</ul></ul><ol><li>First</ol>
    <table><tr><th>Month<th>Orders<tr><td>July<td>12</table><pre>a  b
c</pre><blockquote><p>Quoted</blockquote>`
  expect(await extract('html', html)).toEqual({
    title: 'Guide',
    text: `# Guide & more\n\nSee [the page](https://example.com/a) or this.\n\n- One\n- Two\n  - Inner\n1. First\n\n${table}\n\n\`\`\`\na  b\nc\n\`\`\`\n\n> Quoted`,
  })
})

test('FIL-08 the chapters of a book come in the order of its spine', async () => {
  const chapters = ['<html><body><h1>One</h1><p>First.</p></body></html>', '<html><body><h1>Two</h1></body></html>']
  expect(await extract('epub', makeEpub(chapters))).toEqual({
    title: 'A small novel',
    text: '# One\n\nFirst.\n\n# Two',
  })
})

test.each([
  [',', 'Month,Orders\nJuly,12\n'],
  [';', '\ufeffMonth;Orders\r\nJuly;12\r\n'],
  ['tab', 'Month\tOrders\nJuly\t12'],
])('FIL-08 values that are separated by %s are a table', async (_what, csv) => {
  expect((await extract('csv', csv)).text).toBe(table)
})

test('FIL-08 an email keeps its subject, people, date, text and the names of its attachments', async () => {
  const lines = [
    'From: Ada <ada@example.com>',
    'To: bob@example.com',
    'Subject: =?utf-8?q?Caf=C3=A9?=',
    'Date: Mon, 6 Jul 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>We meet <b>today</b>.</p>',
    '--b',
    'Content-Type: application/pdf; name=q3.pdf',
    'Content-Disposition: attachment; filename=q3.pdf',
    '',
    'x',
    '--b--',
  ]
  const { text, title } = await extract('email', lines.join('\r\n'))
  expect(title).toBe('Café')
  expect(text).toMatch(
    /^# Café\n\nFrom: Ada <ada@example.com>\nTo: bob@example.com\nDate: .*2026.*\n\nWe meet today\.\n\nAttachments: q3\.pdf$/,
  )
})

test.each([
  ['UTF-8', Buffer.from('Grüße')],
  ['UTF-16', Buffer.from('\ufeffGrüße', 'utf16le')],
  ['Latin', Buffer.from('Grüße', 'latin1')],
])('FIL-08 plain text in %s is read, and a form feed in it is no page', async (_what, bytes) => {
  expect((await extract('text', bytes)).text).toBe('Grüße')
  expect((await extract('text', 'One\fTwo')).text).toBe('One Two')
})
