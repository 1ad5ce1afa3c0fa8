import { createHash } from 'node:crypto'
import { exportFormat, exportLines } from '@noema/contracts/exports.ts'
import { describeIssue } from '@noema/contracts/validation-messages.ts'
import type { z } from 'zod'
import { ApiError, validation } from '../../../shared/errors.ts'
import { isJsonObject } from '../../../shared/text/json.ts'
import type { ExportCodec, Loaded } from '../../kernel/export-lines/export-lines.ts'
import { codecs, countName, noCounts } from './export-codecs.ts'
import type { Counts, Line } from './types.ts'

export type Header = z.infer<typeof exportLines.header>['header']

/** A line of content that has its codec's shape. */
export type ContentLine = Loaded<unknown> & { number: number; size: number; codec: ExportCodec }

const order = ['header', ...codecs.map(({ name }) => name), 'trailer']

/** The refusal of a line. */
export const badLine = (number: number, message: string) =>
  validation(`Line ${number}: ${message}`, { details: [{ path: ['line', number], message, line: number }] })

const toTypeName = ({ number, value }: Line): string => {
  const sort = isJsonObject(value) ? (Object.keys(value)[0] ?? '') : ''
  if (order.includes(sort)) return sort
  throw badLine(number, `it is not a line of an export: its first name is none of ${order.join(', ')}.`)
}

const check = <Shape extends z.ZodType>(schema: Shape, { number, value }: Line): z.output<Shape> => {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw badLine(number, `${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'not valid.'}`)
}

const readHeader = (line: Line): Header => {
  const header = isJsonObject(line.value) ? line.value.header : undefined
  const given = isJsonObject(header) ? header : {}
  if (given.format !== exportFormat.format)
    throw badLine(line.number, 'this is not an export of a Brain: the header is missing.')
  if (given.version !== exportFormat.version)
    throw badLine(
      line.number,
      `the file is of format version ${given.version}; this service reads ${exportFormat.version}.`,
    )
  return check(exportLines.header, line).header
}

/**
 * A value as it is in the file, with the defaults of properties that an earlier version did not write. The order of names stays:
 * equal Brains have equal files.
 */
const fillDefaults = (value: unknown, parsed: unknown): unknown => {
  if (value === parsed || !isJsonObject(value) || !isJsonObject(parsed)) return value
  const filled = Object.entries(value).map(([name, inside]) => [name, fillDefaults(inside, parsed[name])])
  const missing = Object.entries(parsed).filter(([name, added]) => added !== undefined && !Object.hasOwn(value, name))
  return Object.fromEntries([...filled, ...missing])
}

const readContent = (line: Line, codec: ExportCodec, header: Header): ContentLine => {
  const { number, bytes } = line
  const value = fillDefaults(line.value, check(codec.line, line))
  if (codec.isHistory && !header.history) throw badLine(number, `a file without history has no ${codec.name}.`)
  try {
    const loaded = codec.load(value)
    if (!header.history && loaded.isPast) throw validation('a file without history contains only current items.')
    if (loaded.states.some((state, index) => state > header.stateVersion || state < (loaded.states[index - 1] ?? 0)))
      throw validation(`its states are out of order, or beyond the header's ${header.stateVersion}.`)
    return { ...loaded, number, size: bytes.length, codec }
  } catch (error) {
    throw error instanceof ApiError ? badLine(number, error.message) : error
  }
}

const checkTrailer = (line: Line, counts: Counts, sha256: string): void => {
  const { trailer } = check(exportLines.trailer, line)
  const wrong = (Object.keys(counts) as (keyof Counts)[]).find((name) => counts[name] !== trailer[name])
  if (wrong) throw badLine(line.number, `it says ${trailer[wrong]} ${wrong}, but the file has ${counts[wrong]}.`)
  if (sha256 !== trailer.sha256)
    throw badLine(line.number, 'the SHA-256 does not match the lines before: the file was altered.')
}

type Reader = { onHeader(header: Header): void; onContent(line: ContentLine): Promise<void> }

/** The place of a line in the order of sorts: where the line before stood, or further on. */
const findPlace = (line: Line, place: number): number => {
  const sort = toTypeName(line)
  const next = order.indexOf(sort)
  if (next > 0 && next >= place) return next
  throw badLine(line.number, `a ${sort} comes after a ${order[place]}; the order is ${order.join(', ')}.`)
}

/**
 * Reads the lines of an export: the header, then the content by `onContent`, in the order of codecs, to the trailer.
 * Answers what the trailer vouches for. Throws where a line is wrong, or where the file ends without a trailer.
 */
export const readExport = async (lines: AsyncIterable<Line>, reader: Reader): Promise<Counts> => {
  const hash = createHash('sha256')
  const counts = noCounts()
  const end = order.length - 1
  let header: Header | undefined
  let place = 0
  let number = 0
  for await (const line of lines) {
    number = line.number
    if (place === end) throw badLine(number, 'there are more lines after the trailer.')
    if (header === undefined) {
      header = readHeader(line)
      reader.onHeader(header)
    } else {
      place = findPlace(line, place)
      const codec = codecs[place - 1]
      if (codec === undefined) {
        checkTrailer(line, counts, hash.digest('hex'))
        continue
      }
      counts[countName(codec.name)]++
      await reader.onContent(readContent(line, codec, header))
    }
    hash.update(line.bytes).update('\n')
  }
  if (place < end) throw badLine(number + 1, 'the file ends without its trailer: it is truncated.')
  return counts
}
