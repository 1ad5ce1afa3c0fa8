import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  makeDocx,
  makeEpub,
  makePdf,
  makePdfFile,
  makePptx,
  makeXlsx,
  makeZip,
  pdfStream,
  wordParagraph,
} from '../../../../../bench/parts/sample-files.ts'
import type { Format } from './find-format.ts'
import { FileRefused, type Refusal } from './refusal.ts'
import { runExtraction } from './run-extraction.ts'

const limits = { seconds: 30, memoryBytes: 400 * 1024 * 1024, maxCharacters: 200_000 }

const extract = async (format: Format, bytes: Buffer, more: Partial<typeof limits> = {}) => {
  const sent = (async function* () {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  })()
  const { signal } = new AbortController()
  return runExtraction(
    sent,
    { format, contentType: '', charset: undefined },
    { limits: { ...limits, ...more }, signal },
  ).catch((error: unknown) => {
    if (error instanceof FileRefused) return error.refusal
    throw error
  })
}

const megabytes = (count: number, character = ' '): string => character.repeat(count * 1024 * 1024)
const cell = (reference: string, text: string) => `<c r="${reference}" t="str"><v>${text}</v></c>`
const whole = makePdf([[{ text: 'Text of a page', y: 700 }]])
const docx = makeDocx(wordParagraph('Text of a document'))

const deepPages = (depth: number): Buffer =>
  makePdfFile({
    objects: [
      '<< /Type /Catalog /Pages 2 0 R >>',
      ...Array.from({ length: depth }, (_, level) => `<< /Type /Pages /Kids [${level + 3} 0 R] /Count 1 >>`),
      '<< /Type /Page /MediaBox [0 0 9 9] >>',
    ],
  })

const pdfWith = (content: string, filter: string): Buffer => {
  const page = '<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R >>'
  return makePdfFile({
    objects: [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [5 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      pdfStream(content, filter),
      page,
    ],
  })
}

const flated = (text: string): string => deflateSync(Buffer.from(text), { level: 9 }).toString('latin1')
const drawing = 'BT /F1 9 Tf 1 0 0 1 9 9 Tm (Words that repeat) Tj ET\n'

const encryptedPdf = makePdfFile({
  objects: [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [] /Count 0 >>',
    `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) >>`,
  ],
  trailer: '/Encrypt 3 0 R /ID [(abcdefghijklmnop) (abcdefghijklmnop)] ',
})

const compound = (text: string): Buffer =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(500), Buffer.from(text, 'utf16le')])

/** Files with the refusal of each. */
const refused: readonly [name: string, format: Format, bytes: () => Buffer, refusal: Refusal][] = [
  ['an empty file that is called a PDF', 'pdf', () => Buffer.alloc(0), 'broken'],
  [
    'noise that is called a PDF',
    'pdf',
    () => Buffer.from(Array.from({ length: 9_999 }, (_, at) => (at * 7_919) % 251)),
    'broken',
  ],
  ['a PDF of its first line only', 'pdf', () => Buffer.from('%PDF-1.7\n'), 'broken'],
  ['a PDF that is encrypted', 'pdf', () => encryptedPdf, 'encrypted'],
  ['a PDF without text, as of a scanner', 'pdf', () => makePdf([[]]), 'no_text'],
  [
    'a PDF whose page decompresses to too much text',
    'pdf',
    () => pdfWith(flated(drawing.repeat(40_000)), '/Filter /FlateDecode '),
    'too_long',
  ],
  ['an empty file that is called a Word document', 'docx', () => Buffer.alloc(0), 'broken'],
  ['noise that is called an archive', 'docx', () => Buffer.from(`PK\x03\x04${'x'.repeat(500)}`), 'broken'],
  ['an archive that ends early', 'docx', () => docx.subarray(0, docx.length / 2), 'broken'],
  ['an archive without a document', 'docx', () => makeZip([{ name: 'a.txt', content: 'a' }]), 'broken'],
  [
    'an archive whose entry is larger than it says',
    'docx',
    () => makeZip([{ name: 'word/document.xml', content: 'a'.repeat(99), claims: { size: 5 } }]),
    'broken',
  ],
  ['a Word document that is encrypted', 'docx', () => compound('EncryptedPackage'), 'encrypted'],
  ['a Word document of before 2007', 'docx', () => compound('WordDocument'), 'unsupported'],
  [
    'a Word document whose entries have a password',
    'docx',
    () => makeZip([{ name: 'word/document.xml', content: 'a', claims: { flags: 1 } }]),
    'encrypted',
  ],
  ['a Word document without text', 'docx', () => makeDocx('<w:p/>'), 'no_text'],
  ['XML that is nested a hundred thousand levels deep', 'docx', () => makeDocx('<w:p>'.repeat(100_000)), 'too_deep'],
  ['tables in tables, five hundred levels deep', 'docx', () => makeDocx('<w:tbl><w:tr><w:tc>'.repeat(500)), 'too_deep'],
  ['a paragraph of megabytes', 'docx', () => makeDocx(wordParagraph(megabytes(8, 'x'))), 'too_long'],
  [
    'a table without an end',
    'docx',
    () => makeDocx(`<w:tbl>${`<w:tr><w:tc>${wordParagraph('a cell')}</w:tc></w:tr>`.repeat(100_000)}`),
    'too_long',
  ],
  ['two hundred megabytes of spaces', 'docx', () => makeDocx(megabytes(200)), 'no_text'],
  [
    'an archive of thirty thousand entries',
    'xlsx',
    () => makeZip(Array.from({ length: 30_000 }, (_, at) => ({ name: `${at}`, content: '', isStored: true }))),
    'too_large',
  ],
  [
    'a workbook whose sheet is missing',
    'xlsx',
    () =>
      makeZip([
        { name: 'xl/workbook.xml', content: '<workbook><sheets><sheet name="a" r:id="b"/></sheets></workbook>' },
        {
          name: 'xl/_rels/workbook.xml.rels',
          content:
            '<Relationships><Relationship Id="b" Type="x/worksheet" Target="worksheets/sheet9.xml"/></Relationships>',
        },
      ]),
    'broken',
  ],
  [
    'a workbook of two million rows',
    'xlsx',
    () => makeXlsx({ a: `<row>${cell('A1', 'a value')}</row>`.repeat(2_000_000) }),
    'too_long',
  ],
  [
    'a workbook whose cells repeat one text of a megabyte',
    'xlsx',
    () =>
      makeXlsx({ a: `<row>${'<c t="s"><v>0</v></c>'.repeat(5_000)}</row>` }, [
        { name: 'xl/sharedStrings.xml', content: `<sst><si><t>${megabytes(1, 'x')}</t></si></sst>` },
      ]),
    'too_long',
  ],
  [
    'a workbook with a value in each of sixteen thousand columns',
    'xlsx',
    () => makeXlsx({ a: `<row>${'<c t="str"><v>a</v></c>'.repeat(16_000)}</row>` }),
    'too_long',
  ],
  [
    'a workbook that is a diagonal of cells',
    'xlsx',
    () =>
      makeXlsx({
        a: Array.from({ length: 1_900 }, (_, at) => `<row>${'<c/>'.repeat(at)}<c t="str"><v>a</v></c></row>`).join(''),
      }),
    'too_long',
  ],
  ['a presentation of too many slides', 'pptx', () => makePptx(Array.from({ length: 5_001 }, () => '')), 'too_long'],
  ['a presentation without words', 'pptx', () => makePptx(['', '']), 'no_text'],
  [
    'a book without a package',
    'epub',
    () => makeZip([{ name: 'mimetype', content: 'application/epub+zip' }]),
    'broken',
  ],
  [
    'a book with protection of its rights',
    'epub',
    () =>
      makeEpub(
        ['<p>a</p>'],
        [
          {
            name: 'META-INF/encryption.xml',
            content:
              '<encryption><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>',
          },
        ],
      ),
    'encrypted',
  ],
  ['a book whose chapter is a bomb', 'epub', () => makeEpub([`<p>${megabytes(100)}</p>`]), 'too_large'],
  [
    'HTML that is nested a hundred thousand levels deep',
    'html',
    () => Buffer.from('<div>'.repeat(100_000)),
    'too_deep',
  ],
  ['HTML of scripts alone', 'html', () => Buffer.from('<script>let a = 1</script>'), 'no_text'],
  [
    'HTML with a table of three thousand columns',
    'html',
    () => Buffer.from(`<table><tr>${'<td>a'.repeat(3_000)}</table>`),
    'too_long',
  ],
  ['values with a quotation that never ends', 'csv', () => Buffer.from(`a,b\n"${megabytes(2, 'x')}`), 'broken'],
  ['a program that is called a table', 'csv', () => Buffer.from('\x7fELF\0\0\0\0'), 'broken'],
  ['an image that is called text', 'text', () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'broken'],
  ['more text than a document may have', 'text', () => Buffer.from(megabytes(1, 'x')), 'too_long'],
  ['an email without headers', 'email', () => Buffer.from('\r\n\r\n'), 'broken'],
  [
    'an email with parts that are nested a thousand levels deep',
    'email',
    () =>
      Buffer.from(
        Array.from(
          { length: 1_000 },
          (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
        ).join(''),
      ),
    'broken',
  ],
]

describe('hostile and broken files', () => {
  test.for(refused)('FIL-09 %s is refused', async ([, format, bytes, refusal]) => {
    expect(await extract(format, bytes())).toBe(refusal)
  })

  test('FIL-09 there are at least thirty', () => {
    expect(refused.length).toBeGreaterThanOrEqual(30)
  })

  test.each([
    [
      'a document type that defines entities by entities',
      'docx',
      () => makeDocx(`${wordParagraph('Safe &lol9;')}`, []),
    ],
    [
      'a title with a link to a file of the server',
      'html',
      () => Buffer.from('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>Safe &x;'),
    ],
    ['a PDF with bytes after its end', 'pdf', () => Buffer.concat([whole, Buffer.alloc(100_000)])],
    [
      'a PDF whose table of objects is wrong',
      'pdf',
      () => Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n1'), 'latin1'),
    ],
  ] as const)('FIL-09 %s is read, and nothing else', async (_name, format, bytes) => {
    const result = await extract(format, bytes())
    expect(result).toMatchObject({ text: expect.stringMatching(/Safe|Text of a page/) })
    expect(JSON.stringify(result)).not.toMatch(/root:|lollol/)
  })

  test('FIL-09 a PDF that says it has a billion pages is read as the one page that it has', async () => {
    const many = whole.toString('latin1').replace('/Count 1 ', '/Count 999999999 ')
    expect(await extract('pdf', Buffer.from(many, 'latin1'))).toMatchObject({ text: 'Text of a page\n\f' })
    expect(await extract('pdf', deepPages(3_000))).toMatch(/^(?:broken|no_text)$/)
  })

  test('FIL-09 an extraction that takes more than its seconds is ended', async () => {
    const slow = makeXlsx({ a: `<row>${cell('A1', '')}</row>`.repeat(4_000_000) })
    expect(await extract('xlsx', slow, { seconds: 0.3 })).toBe('time')
  })

  test('FIL-09 an extraction that takes more than its memory is ended', async () => {
    const large = makeXlsx({ a: '' }, [
      { name: 'xl/sharedStrings.xml', content: `<sst>${'<si><t>a</t></si>'.repeat(6_000_000)}</sst>` },
    ])
    expect(await extract('xlsx', large, { memoryBytes: 100 * 1024 * 1024 })).toBe('memory')
  })
})
