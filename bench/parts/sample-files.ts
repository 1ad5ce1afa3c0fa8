import { crc32, deflateRawSync } from 'node:zlib'

// Makes files for benchmarks and tests: archives, Office documents, books and PDFs, whole or broken in one way.

type ZipEntry = {
  name: string
  content: string | Buffer
  /** False claims of the archive about the entry. */
  claims?: { size?: number; flags?: number; crc?: number }
  isStored?: boolean
}

/** An archive of these entries. */
export const makeZip = (entries: readonly ZipEntry[]): Buffer => {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content, claims = {}, isStored = false } of entries) {
    const bytes = Buffer.from(content)
    const data = isStored ? bytes : deflateRawSync(bytes)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(claims.flags ?? 0x800, 2)
    fields.writeUInt16LE(isStored ? 0 : 8, 4)
    fields.writeUInt32LE(claims.crc ?? crc32(bytes), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(claims.size ?? bytes.length, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length % 0x10000, 4)
  end.writeUInt16LE(entries.length % 0x10000, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

const officeType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relations = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships>${Object.entries(targets)
    .map(
      ([id, target]) => `<Relationship Id="${id}" Type="${officeType}/${id.replace(/\d+$/, '')}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`

type Extras = readonly ZipEntry[]

const styles = `<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="H2">
<w:name w:val="heading 2"/></w:style></w:styles>`

/** A Word document with this body. */
export const makeDocx = (body: string, extras: Extras = []): Buffer =>
  makeZip([
    { name: '_rels/.rels', content: relations({ officeDocument: 'word/document.xml' }) },
    { name: 'word/_rels/document.xml.rels', content: relations({ styles: 'styles.xml' }) },
    { name: 'word/styles.xml', content: styles },
    { name: 'word/document.xml', content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>` },
    ...extras,
  ])

/** A paragraph of a Word document. */
export const wordParagraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

/** A workbook of sheets, each with the XML of its rows. */
export const makeXlsx = (sheets: Readonly<Record<string, string>>, extras: Extras = []): Buffer => {
  const names = Object.keys(sheets)
  const ids = Object.fromEntries(names.map((_, index) => [`worksheet${index + 1}`, `worksheets/sheet${index + 1}.xml`]))
  return makeZip([
    { name: '_rels/.rels', content: relations({ officeDocument: 'xl/workbook.xml' }) },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations({ ...ids, sharedStrings: 'sharedStrings.xml', styles: 'styles.xml' }),
    },
    {
      name: 'xl/workbook.xml',
      content: `<workbook><sheets>${names.map((name, index) => `<sheet name="${name}" r:id="worksheet${index + 1}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/styles.xml',
      content: '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    },
    ...Object.values(sheets).map((rows, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    })),
    ...(extras.some(({ name }) => name === 'xl/sharedStrings.xml')
      ? []
      : [{ name: 'xl/sharedStrings.xml', content: '<sst><si><t>Month</t></si><si><t>Orders</t></si></sst>' }]),
    ...extras,
  ])
}

/** A presentation of slides, each with the XML of its shapes. */
export const makePptx = (slides: readonly string[]): Buffer => {
  const ids = Object.fromEntries(slides.map((_, index) => [`slide${index + 1}`, `slides/slide${index + 1}.xml`]))
  return makeZip([
    { name: '_rels/.rels', content: relations({ officeDocument: 'ppt/presentation.xml' }) },
    { name: 'ppt/_rels/presentation.xml.rels', content: relations(ids) },
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation><p:sldIdLst>${Object.keys(ids)
        .map((id) => `<p:sldId r:id="${id}"/>`)
        .join('')}</p:sldIdLst></p:presentation>`,
    },
    ...slides.map((shapes, index) => ({
      name: `ppt/slides/slide${index + 1}.xml`,
      content: `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    })),
  ])
}

/** A shape of a slide with lines of text. */
export const slideShape = (lines: readonly string[], placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder === '' ? '' : `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${lines
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`

/** A book of chapters in HTML. */
export const makeEpub = (chapters: readonly string[], extras: Extras = []): Buffer =>
  makeZip([
    { name: 'mimetype', content: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      content: '<container><rootfiles><rootfile full-path="OEBPS/package.opf"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/package.opf',
      content: `<package><metadata><dc:title>A small novel</dc:title></metadata><manifest>${chapters
        .map((_, index) => `<item id="c${index}" href="c%20${index}.xhtml" media-type="application/xhtml+xml"/>`)
        .join(
          '',
        )}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    },
    ...chapters.map((content, index) => ({ name: `OEBPS/c ${index}.xhtml`, content })),
    ...extras,
  ])

/** A line on a page of a PDF: its text, and where and how large it is. */
export type PdfLine = { text: string; x?: number; y: number; size?: number }

type PdfObjects = { objects: string[]; trailer?: string }

/** A PDF of these objects, numbered from 1; the first is the catalog. */
export const makePdfFile = ({ objects, trailer = '' }: PdfObjects): Buffer => {
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer}>>\nstartxref\n${start}\n%%EOF`
  return Buffer.from(text, 'latin1')
}

export const pdfStream = (content: string, entries = ''): string =>
  `<< /Length ${content.length} ${entries}>>\nstream\n${content}\nendstream`

const toContent = (lines: readonly PdfLine[]): string =>
  lines
    .map(({ text, x = 72, y, size = 11 }) => {
      const escaped = text.replaceAll(/[\\()]/g, (sign) => `\\${sign}`)
      return `BT /F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped}) Tj ET`
    })
    .join('\n')

/** A PDF of pages of lines. */
export const makePdf = (pages: readonly (readonly PdfLine[])[], title = 'A report'): Buffer => {
  const first = 5
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Title (${title}) >>`,
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
      pdfStream(toContent(lines)),
    ]),
  ]
  return makePdfFile({ objects, trailer: '/Info 4 0 R ' })
}
