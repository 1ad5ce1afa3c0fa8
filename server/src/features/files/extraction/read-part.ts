import { invalidArgument } from '../../../shared/errors.ts'
import { openArtifact } from '../artifacts/artifacts.ts'
import type { VersionRow } from '../artifacts/version-queries.ts'
import { type ArtifactRequest, extractArtifact } from './extraction.ts'
import { findFormat, parseType } from './find-format.ts'
import { mayBeUtf8 } from './formats/text.ts'

// Reads the text of a file a part at a time. Text in UTF-8 is read from where the part begins; the text of another file is extracted whole,
// once for all parts that are read within minutes. The beginning of a text says whether it is in UTF-8, if its sender does not.

/** The part to read: from an offset that an earlier part named, or from a page on. */
export type TextPlace = { offset?: number | undefined; page?: number | undefined; size: number }

/** The pages of a part, by number. */
type Pages = { first: number; last: number; total: number }

/** A part of a text, with where the next one begins. */
export type TextPart = { text: string; pages: Pages | null; nextOffset: number | null }

type Deps = Parameters<typeof extractArtifact>[0]
type Reader = Pick<ArtifactRequest, 'organizationId' | 'subject' | 'isStillAllowed'>

const pageEnd = '\f'
const utf8Names = new Set(['utf-8', 'utf8', 'us-ascii'])
const beginningBytes = 65_536

/** The least part that has a whole character, so that each part moves on. */
const minSize = 4

/** The number of bytes before a last character of UTF-8 that is not whole. */
const countWhole = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte >= 0x80 && byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

const readBytes = async (deps: Deps, reader: Reader, row: VersionRow, range: { from: number; to: number }) =>
  Buffer.concat(await Array.fromAsync(openArtifact(deps, reader, row).read(range)))

/** True if a file is text in UTF-8: so its sender says, or so it begins. */
const isUtf8 = async (deps: Deps, reader: Reader, row: VersionRow): Promise<boolean> => {
  if (findFormat(row) !== 'text') return false
  const { charset } = parseType(row.contentType)
  if (charset !== undefined) return utf8Names.has(charset.toLowerCase())
  return mayBeUtf8(await readBytes(deps, reader, row, { from: 0, to: Math.min(row.bytes, beginningBytes) }))
}

const readUtf8 = async (
  deps: Deps,
  reader: Reader,
  row: VersionRow,
  { offset, size }: { offset: number; size: number },
): Promise<TextPart> => {
  const [from, to] = [Math.min(row.bytes, offset), Math.min(row.bytes, offset + size)]
  const part = await readBytes(deps, reader, row, { from, to })
  const used = to < row.bytes ? countWhole(part) : part.length
  return { text: part.toString('utf8', 0, used), pages: null, nextOffset: to < row.bytes ? from + used : null }
}

/** The ends of the pages of a text; none if it has no pages. */
const listPageEnds = (text: string): number[] => {
  const ends: number[] = []
  for (let at = text.indexOf(pageEnd); at >= 0; at = text.indexOf(pageEnd, at + 1)) ends.push(at + 1)
  const last = ends.at(-1)
  return last === undefined || text.slice(last).trim() === '' ? ends : [...ends, text.length]
}

const noPages = () => invalidArgument(['page'], 'This text has no pages. Send an offset, or neither.')

const findStart = (ends: readonly number[], { offset = 0, page }: TextPlace): number => {
  if (page === undefined) return offset
  if (ends.length === 0) throw noPages()
  const start = page === 1 ? 0 : ends[page - 2]
  if (start !== undefined && page <= ends.length) return start
  throw invalidArgument(['page'], `This text has ${ends.length} pages.`)
}

const pageAt = (ends: readonly number[], position: number): number => {
  const index = ends.findIndex((end) => position < end)
  return index < 0 ? ends.length : index + 1
}

const cutText = (text: string, place: TextPlace & { size: number }): TextPart => {
  const ends = listPageEnds(text)
  const start = Math.min(text.length, findStart(ends, place))
  const full = Math.min(text.length, start + place.size)
  // Half of a character beyond the first plane is none.
  const isCut = full < text.length && (text.codePointAt(full - 1) ?? 0) > 0xffff
  const end = isCut ? full - 1 : full
  const pages = ends.length === 0 ? null : { first: pageAt(ends, start), last: pageAt(ends, Math.max(start, end - 1)) }
  return {
    text: text.slice(start, end),
    pages: pages && { ...pages, total: ends.length },
    nextOffset: end < text.length ? end : null,
  }
}

/** Reads a part of the text of a version of a file. `at`: the argument that names the file. */
export const readTextPart = async (
  deps: Deps,
  reader: Reader & Pick<ArtifactRequest, 'at'>,
  row: VersionRow,
  { size: asked, ...start }: TextPlace,
): Promise<TextPart> => {
  if (start.offset !== undefined && start.page !== undefined)
    throw invalidArgument(['page'], 'Send either offset or page.')
  const size = Math.max(asked, minSize)
  if (!(await isUtf8(deps, reader, row))) {
    const { text } = await extractArtifact(deps, { ...reader, id: row.id, version: row.version, readsInParts: true })
    return cutText(text, { ...start, size })
  }
  if (start.page !== undefined) throw noPages()
  return readUtf8(deps, reader, row, { offset: start.offset ?? 0, size })
}
