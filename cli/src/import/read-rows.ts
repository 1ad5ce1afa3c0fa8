import { pipeline, type Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { UsageError } from '../exit-codes.ts'
import { type CellTypes, createInference, toValue } from './cell-types.ts'
import { maxLineBytes, readLines } from './read-lines.ts'

/** One row of a file: its line, and its fields or why it has none. */
export type Row = { line: number; text: string } & ({ fields: Record<string, unknown> } | { reason: string })

/** Opens the file again for each reading. */
export type OpenFile = () => Readable

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toJsonRow = (text: string, line: number): Row => {
  try {
    const fields: unknown = JSON.parse(text)
    return isObject(fields) ? { line, text, fields } : { line, text, reason: 'The line is no JSON object.' }
  } catch {
    return { line, text, reason: 'The line is not JSON.' }
  }
}

async function* readJsonRows(open: OpenFile): AsyncGenerator<Row> {
  let line = 0
  for await (const text of readLines(open())) {
    line++
    const clean = line === 1 ? text?.replace(/^\ufeff/, '') : text
    if (clean === undefined) yield { line, text: '', reason: `The line is longer than ${maxLineBytes} bytes.` }
    else if (clean.trim() !== '') yield toJsonRow(clean, line)
  }
}

type Cells = { line: number; cells: readonly string[] }

/** The rows of a CSV file with its names, which are in the first line. */
async function* parseCsv(open: OpenFile): AsyncGenerator<Cells & { names: readonly string[] }> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxLineBytes,
  })
  // The parser ends with the error of the file.
  pipeline(open(), parser, () => undefined)
  let names: readonly string[] | undefined
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: Info; record: string[] }>)
      if (names) yield { line: info.lines, cells: record, names }
      else names = checkNames(record)
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`The file is no CSV: ${error.message}`)
    throw error
  }
}

const checkNames = (names: readonly string[]): readonly string[] => {
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw new UsageError(`Two columns have the name ${JSON.stringify(repeated)}.`)
  if (names.includes('')) throw new UsageError('A column has no name in the first line.')
  return names
}

const toCsvRow = ({ line, cells, names }: Cells & { names: readonly string[] }, types: CellTypes): Row => {
  const text = JSON.stringify(cells)
  if (cells.length !== names.length)
    return { line, text, reason: `The row has ${cells.length} cells, and the first line ${names.length}.` }
  const fields: [string, unknown][] = []
  for (const [index, name] of names.entries()) {
    const cell = cells[index] ?? ''
    if (cell === '') continue
    try {
      fields.push([name, toValue(cell, types.get(name) ?? 'string')])
    } catch (error) {
      return { line, text, reason: `${name}: ${error instanceof Error ? error.message : String(error)}` }
    }
  }
  return { line, text, fields: Object.fromEntries(fields) }
}

/** The types of all columns: those that the caller names, and the others from their values. */
const findTypes = async (open: OpenFile, given: CellTypes): Promise<CellTypes> => {
  const inference = createInference()
  for await (const { cells, names } of parseCsv(open))
    for (const [index, name] of names.entries()) inference.add(name, cells[index] ?? '')
  return new Map([...inference.types(), ...given])
}

async function* readCsvRows(open: OpenFile, given: CellTypes): AsyncGenerator<Row> {
  const types = await findTypes(open, given)
  for await (const parsed of parseCsv(open)) yield toCsvRow(parsed, types)
}

/** The rows of a file in their order. A CSV file is read twice: first for the types of its columns. */
export const readRows = (open: OpenFile, format: 'jsonl' | 'csv', types: CellTypes): AsyncIterable<Row> =>
  format === 'csv' ? readCsvRows(open, types) : readJsonRows(open)
