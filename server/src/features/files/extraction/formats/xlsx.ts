import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import type { MarkdownWriter } from './markdown.ts'
import { type Attributes, parseEntry, readOfficeTitle, readRelations } from './xml.ts'
import { type Archive, openArchive } from './zip.ts'

// Workbooks: each sheet is a heading and a table of the cells that have something in them.

/** The cells of one sheet; a table of more would be longer than any text may be. */
const maxCells = 5_000_000

/** The shared texts of cells. */
const readShared = async (archive: Archive, name: string): Promise<string[]> => {
  const texts: string[] = []
  let text = ''
  let isText = false
  let phonetic = 0
  await parseEntry(archive, name, {
    open: (tag) => {
      if (tag === 'si') text = ''
      else if (tag === 't') isText = true
      else if (tag === 'rPh') phonetic++
    },
    text: (data) => {
      if (isText && phonetic === 0) text += data
    },
    close: (tag) => {
      if (tag === 'si') texts.push(text)
      else if (tag === 't') isText = false
      else if (tag === 'rPh') phonetic--
    },
  })
  return texts
}

/** The numbers of the built-in formats of dates and times. */
const isDateFormat = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47)

/** True for a format with letters of dates outside of quotes and brackets. */
const isDateCode = (code: string): boolean => /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''))

/** Which styles of cells show a number as a date. */
const readDateStyles = async (archive: Archive, name: string): Promise<boolean[]> => {
  const dates = new Set<number>()
  const styles: boolean[] = []
  let isCells = false
  await parseEntry(archive, name, {
    open: (tag, { numFmtId = '', formatCode = '' }) => {
      if (tag === 'numFmt' && isDateCode(formatCode)) dates.add(Number(numFmtId))
      else if (tag === 'cellXfs') isCells = true
      else if (tag === 'xf' && isCells) styles.push(dates.has(Number(numFmtId)) || isDateFormat(Number(numFmtId)))
    },
    close: (tag) => {
      if (tag === 'cellXfs') isCells = false
    },
  })
  return styles
}

const dayMilliseconds = 86_400_000

/** A date as ISO 8601, by its days since the end of 1899, or of 1903. */
const toDate = (value: string, is1904: boolean): string => {
  const days = Number(value) + (is1904 ? 1_462 : 0)
  const time = Math.round((days - 25_569) * dayMilliseconds)
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return value
  const text = new Date(time).toISOString().slice(0, 19)
  if (days < 1) return text.slice(11)
  return text.endsWith('T00:00:00') ? text.slice(0, 10) : text.replace('T', ' ')
}

/** The column of a cell such as `AB12`, from 0. */
const toColumn = (reference: string): number | undefined => {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference)?.[1]
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

type Workbook = { shared: readonly string[]; dates: readonly boolean[]; is1904: boolean; maxCharacters: number }

const toText = ({ shared, dates, is1904 }: Workbook, type: string, style: string, value: string): string => {
  if (type === 's') return shared[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'true' : 'false'
  if ((type === '' || type === 'n') && value !== '' && dates[Number(style)]) return toDate(value, is1904)
  return value
}

/** Reads the rows of a sheet, each as texts by column. */
const readRows = async (archive: Archive, name: string, workbook: Workbook): Promise<Map<number, string>[]> => {
  const rows: Map<number, string>[] = []
  let row = new Map<number, string>()
  let cell: Attributes = {}
  let column = -1
  let value = ''
  let isValue = false
  let length = 0
  let cells = 0
  const endCell = () => {
    const text = toText(workbook, cell.t ?? '', cell.s ?? '', value)
    if (text.trim() === '') return
    length += text.length
    if (length > workbook.maxCharacters || ++cells > maxCells) throw new FileRefused('too_long')
    row.set(column, text)
  }
  const found = await parseEntry(archive, name, {
    open: (tag, attributes) => {
      if (tag === 'row') {
        row = new Map()
        column = -1
      } else if (tag === 'c') {
        cell = attributes
        value = ''
        column = toColumn(attributes.r ?? '') ?? column + 1
      } else if (tag === 'v' || tag === 't') isValue = true
    },
    text: (data) => {
      if (isValue) value += data
    },
    close: (tag) => {
      if (tag === 'v' || tag === 't') isValue = false
      else if (tag === 'c') endCell()
      else if (tag === 'row' && row.size > 0) rows.push(row)
    },
  })
  if (!found) throw new FileRefused('broken')
  return rows
}

/** Writes a sheet without its empty rows and columns: a cell far away makes no table of nothing. */
const writeSheet = (writer: MarkdownWriter, title: string, rows: readonly ReadonlyMap<number, string>[]): void => {
  if (rows.length === 0) return
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort((a, b) => a - b)
  writer.heading(2, title)
  writer.table(rows.map((row) => columns.map((column) => row.get(column) ?? '')))
}

type Sheet = { title: string; id: string; isHidden: boolean }

const readSheets = async (archive: Archive, name: string): Promise<{ sheets: Sheet[]; is1904: boolean }> => {
  const sheets: Sheet[] = []
  let is1904 = false
  await parseEntry(archive, name, {
    open: (tag, attributes) => {
      if (tag === 'workbookPr') is1904 = attributes.date1904 === '1' || attributes.date1904 === 'true'
      else if (tag === 'sheet')
        sheets.push({
          title: attributes.name ?? '',
          id: attributes['r:id'] ?? '',
          isHidden: attributes.state !== undefined && attributes.state !== 'visible',
        })
    },
  })
  return { sheets, is1904 }
}

/** Reads a workbook. Hidden sheets are left out, as a reader of it does not see them. */
export const readXlsx: ReadFormat = async ({ bytes }, writer) => {
  const archive = await openArchive(bytes)
  const main = (await readRelations(archive, '')).byType.get('officeDocument') ?? 'xl/workbook.xml'
  if (!archive.has(main)) throw new FileRefused('broken')
  const { byId, byType } = await readRelations(archive, main)
  const { sheets, is1904 } = await readSheets(archive, main)
  const shared = await readShared(archive, byType.get('sharedStrings') ?? 'xl/sharedStrings.xml')
  const dates = await readDateStyles(archive, byType.get('styles') ?? 'xl/styles.xml')
  const workbook = { shared, dates, is1904, maxCharacters: writer.maxCharacters }
  for (const { title, id, isHidden } of sheets) {
    const name = byId.get(id)
    if (isHidden || name === undefined || !name.includes('sheet')) continue
    writeSheet(writer, title, await readRows(archive, name, workbook))
  }
  return readOfficeTitle(archive)
}
