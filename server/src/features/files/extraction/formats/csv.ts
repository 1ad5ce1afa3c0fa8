import { parse } from 'csv-parse/sync'
import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import { checkText, decodeText } from './text.ts'

// Tables of values that are separated by commas, semicolons, tabs or bars.

const delimiters = [',', ';', '\t', '|'] as const

/** The delimiter that the first lines have most often. */
const findDelimiter = (text: string): string => {
  const head = text
    .slice(0, 20_000)
    .split('\n')
    .slice(0, 20)
    .join('\n')
    .replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => ({ delimiter, count: head.split(delimiter).length }))
  return counts.reduce((best, one) => (one.count > best.count ? one : best)).delimiter
}

const parseRows = (text: string): string[][] => {
  const options = { bom: true, relaxColumnCount: true, relaxQuotes: true, skipEmptyLines: true }
  try {
    return parse(text, { ...options, delimiter: findDelimiter(text), maxRecordSize: 1024 * 1024 })
  } catch {
    throw new FileRefused('broken')
  }
}

/** Reads a table. */
export const readCsv: ReadFormat = async ({ bytes, charset }, writer) => {
  writer.table(parseRows(checkText(decodeText(bytes, charset))))
  return undefined
}
