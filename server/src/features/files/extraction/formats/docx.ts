import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import type { MarkdownWriter } from './markdown.ts'
import { type Attributes, parseEntry, readOfficeTitle, readRelations, type XmlHandlers } from './xml.ts'
import { type Archive, openArchive } from './zip.ts'

// Word documents: headings by their styles, lists, tables, notes, and the pages of the last time that Word saved the file.

const isOff = (value: string | undefined): boolean => value === '0' || value === 'false' || value === 'off'

/** The level of headings by the ids of their styles. */
const readHeadings = async (archive: Archive, name: string): Promise<Map<string, number>> => {
  const levels = new Map<string, number>()
  let style = ''
  await parseEntry(archive, name, {
    open: (tag, attributes) => {
      const value = attributes['w:val'] ?? ''
      if (tag === 'w:style') style = attributes['w:styleId'] ?? ''
      else if (tag === 'w:name') {
        const level = /^heading ([1-9])$/i.exec(value)?.[1]
        if (level) levels.set(style, Number(level))
        else if (/^title$/i.test(value)) levels.set(style, 1)
      } else if (tag === 'w:outlineLvl' && !levels.has(style) && /^[0-8]$/.test(value))
        levels.set(style, Number(value) + 1)
    },
  })
  return levels
}

/** A paragraph as it is read. */
type Paragraph = { text: string; level: number | undefined; listDepth: number | undefined }

const newParagraph = (): Paragraph => ({ text: '', level: undefined, listDepth: undefined })

/** A table as it is read; one in a cell is text of that cell. */
type Table = { rows: string[][]; row: string[]; cell: string; span: number }

/** Parts that repeat others, or that are no text of the document. */
const skipped = new Set(['mc:Fallback', 'w:del', 'w:moveFrom', 'w:instrText', 'w:delText'])

/** Handles the tags of a document's text. */
class BodyReader {
  readonly #writer: MarkdownWriter
  readonly #headings: ReadonlyMap<string, number>
  readonly #paragraphs: Paragraph[] = []
  readonly #tables: Table[] = []
  #skipDepth = 0
  #isText = false
  /** True if there was text since the last end of a page. */
  #hasText = false
  #pages = 0
  #tableLength = 0

  constructor(writer: MarkdownWriter, headings: ReadonlyMap<string, number>) {
    this.#writer = writer
    this.#headings = headings
  }

  readonly handlers: XmlHandlers = {
    open: (name, attributes) => {
      if (this.#skipDepth > 0 || skipped.has(name)) this.#skipDepth++
      else this.#open(name, attributes)
    },
    text: (text) => {
      if (this.#isText && this.#skipDepth === 0) this.#add(text)
    },
    close: (name) => {
      if (this.#skipDepth > 0) this.#skipDepth--
      else this.#close(name)
    },
  }

  /** Ends the last page, if pages are known. */
  end(): void {
    if (this.#pages > 0) this.#writer.endPage()
  }

  #add(text: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph) paragraph.text += text
    if (text.trim() !== '') this.#hasText = true
    if ((paragraph?.text.length ?? 0) > this.#writer.maxCharacters) throw new FileRefused('too_long')
  }

  #open(name: string, attributes: Attributes): void {
    if (name === 'w:t') this.#isText = true
    else if (name === 'w:tab') this.#add('\t')
    else if (name === 'w:br' && attributes['w:type'] === 'page') this.#endPage()
    else if (name === 'w:br' || name === 'w:cr') this.#add('\n')
    else if (name === 'w:lastRenderedPageBreak') this.#endPage()
    else if (name === 'w:pageBreakBefore' && !isOff(attributes['w:val'])) this.#endPage()
    else if (name === 'w:p') this.#paragraphs.push(newParagraph())
    else if (name === 'w:tbl') this.#tables.push({ rows: [], row: [], cell: '', span: 1 })
    else this.#openProperty(name, attributes['w:val'] ?? '')
  }

  /** Reads a property of the open paragraph or cell. */
  #openProperty(name: string, value: string): void {
    const paragraph = this.#paragraphs.at(-1)
    const table = this.#tables.at(-1)
    if (name === 'w:gridSpan' && table) table.span = Math.min(Math.max(Number(value) || 1, 1), 100)
    if (!paragraph) return
    if (name === 'w:pStyle') paragraph.level = this.#headings.get(value)
    else if (name === 'w:outlineLvl' && /^[0-8]$/.test(value)) paragraph.level ??= Number(value) + 1
    else if (name === 'w:ilvl') paragraph.listDepth = Number(value) || 0
    else if (name === 'w:numId' && value !== '0') paragraph.listDepth ??= 0
  }

  #close(name: string): void {
    const table = this.#tables.at(-1)
    if (name === 'w:t') this.#isText = false
    else if (name === 'w:p') this.#endParagraph()
    else if (name === 'w:tbl') this.#endTable()
    else if (name === 'w:tc' && table) {
      table.row.push(table.cell, ...Array<string>(table.span - 1).fill(''))
      table.cell = ''
      table.span = 1
    } else if (name === 'w:tr' && table) {
      table.rows.push(table.row)
      table.row = []
    }
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (!paragraph) return
    const { text, level, listDepth } = paragraph
    const table = this.#tables.at(-1)
    if (table) {
      this.#tableLength += text.length + 1
      if (this.#tableLength > this.#writer.maxCharacters) throw new FileRefused('too_long')
      table.cell += table.cell === '' ? text : `\n${text}`
    } else if (level !== undefined) this.#writer.heading(level, text)
    else if (listDepth !== undefined) this.#writer.item(listDepth, text)
    else this.#writer.paragraph(text)
  }

  #endTable(): void {
    const table = this.#tables.pop()
    const outer = this.#tables.at(-1)
    if (!table) return
    if (outer) outer.cell += `\n${table.rows.map((row) => row.join(' ')).join('\n')}`
    else {
      this.#writer.table(table.rows)
      this.#tableLength = 0
    }
  }

  /** Ends a page, once for breaks that follow each other. Within a table or a paragraph, its beginning stays on the earlier page. */
  #endPage(): void {
    if (!this.#hasText || this.#tables.length > 0) return
    this.#hasText = false
    this.#pages++
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph && paragraph.text.trim() !== '') {
      const { level, listDepth } = paragraph
      this.#endParagraph()
      this.#paragraphs.push({ text: '', level, listDepth })
    }
    this.#writer.endPage()
  }
}

/** Reads a Word document. */
export const readDocx: ReadFormat = async ({ bytes }, writer) => {
  const archive = await openArchive(bytes)
  const { byType } = await readRelations(archive, '')
  const main = byType.get('officeDocument') ?? 'word/document.xml'
  if (!archive.has(main)) throw new FileRefused('broken')
  const parts = (await readRelations(archive, main)).byType
  const headings = await readHeadings(archive, parts.get('styles') ?? 'word/styles.xml')
  const body = new BodyReader(writer, headings)
  await parseEntry(archive, main, body.handlers)
  for (const type of ['footnotes', 'endnotes']) {
    const name = parts.get(type)
    if (name) await parseEntry(archive, name, body.handlers)
  }
  body.end()
  return readOfficeTitle(archive)
}
