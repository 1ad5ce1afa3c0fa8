import { FileRefused } from '../refusal.ts'

// Writes the text of a file as Markdown: headings, paragraphs, lists and tables. A page ends with a form feed, as in the output of
// pdftotext, so the page of any position is one more than the form feeds before it.

/** The character after the last line of each page. */
const pageEnd = '\f'

/** Characters that no text keeps: controls but for tabs and line breaks. A form feed in a file would be a false page. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const controls = /[\0-\x08\x0b-\x1f\x7f\ufeff\ufffe\uffff]/g

/** A text without characters that cannot be stored, or that mean something here. */
export const cleanText = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(controls, ' ').toWellFormed()

/** A text on one line. */
export const toLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ').trim()

/** Signs at the start of a line that would make it a heading, a quotation or a list. */
const lineMark = /^(?=#{1,6}\s|>|[-+*]\s|(?:```|~~~)|\|)/

const escapeStart = (line: string): string => line.replace(lineMark, '\\')

const toCell = (text: string): string => toLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|')

/** Tables of more columns are refused: a line of them would be no table to anyone. */
const maxColumns = 2_000

/** The lines of a table. Empty rows are left out. */
function* listTableLines(rows: readonly (readonly string[])[]): Generator<string> {
  const kept = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  const columns = kept.reduce((most, row) => Math.max(most, row.length), 0)
  if (columns > maxColumns) throw new FileRefused('too_long')
  for (const [index, row] of kept.entries()) {
    yield `| ${Array.from({ length: columns }, (_, column) => toCell(row[column] ?? '')).join(' | ')} |`
    if (index === 0) yield `|${' --- |'.repeat(columns)}`
  }
}

export type MarkdownWriter = ReturnType<typeof createMarkdownWriter>

/** Creates a writer that refuses the file if its text becomes longer than `maxCharacters`. */
export const createMarkdownWriter = (maxCharacters: number) => {
  const blocks: string[] = []
  let length = 0
  let isInList = false
  const add = (text: string, separator = '\n\n'): void => {
    const isFirst = length === 0
    length += text.length + separator.length
    if (length > maxCharacters) throw new FileRefused('too_long')
    blocks.push(isFirst ? text : separator + text)
    isInList = false
  }
  return {
    maxCharacters,
    /** The number of characters so far. */
    length: () => length,
    heading: (level: number, text: string): void => {
      const line = toLine(text)
      if (line !== '') add(`${'#'.repeat(Math.min(Math.max(level, 1), 6))} ${line}`)
    },
    /** A paragraph; its line breaks stay. */
    paragraph: (text: string): void => {
      const lines = cleanText(text).split('\n').map(toLine)
      const kept = lines.filter((line) => line !== '').map(escapeStart)
      if (kept.length > 0) add(kept.join('\n'))
    },
    item: (depth: number, text: string, mark = '-'): void => {
      const line = toLine(text)
      if (line === '') return
      add(`${'  '.repeat(Math.min(depth, 8))}${mark} ${line}`, isInList ? '\n' : '\n\n')
      isInList = true
    },
    code: (text: string): void => {
      const kept = cleanText(text).replace(/^\n+|\s+$/g, '')
      const fence = '`'.repeat(Math.max(3, ...(kept.match(/`{3,}/g) ?? []).map((run) => run.length + 1)))
      if (kept !== '') add(`${fence}\n${kept}\n${fence}`)
    },
    quote: (text: string): void => {
      const lines = cleanText(text).split('\n').map(toLine)
      const kept = lines.filter((line) => line !== '')
      if (kept.length > 0) add(kept.map((line) => `> ${line}`).join('\n'))
    },
    /** A table whose first row is its head. Rows may have different lengths. */
    table: (rows: readonly (readonly string[])[]): void => {
      let separator = '\n\n'
      for (const line of listTableLines(rows)) {
        add(line, separator)
        separator = '\n'
      }
    },
    /** Text that is Markdown already. */
    markdown: (text: string): void => {
      const kept = cleanText(text).trim()
      if (kept !== '') add(kept)
    },
    endPage: (): void => add(pageEnd, length === 0 ? '' : '\n'),
    toText: (): string => blocks.join(''),
  }
}
