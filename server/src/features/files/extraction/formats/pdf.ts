import { getDocumentProxy } from 'unpdf'
import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'
import { findHeadingSizes, joinPieces, type Line, type Piece, writeLines } from './pdf-lines.ts'

// PDF: the text of each page. Scripts of the file are not run, and nothing that it names is fetched.

/** More pages than any document has. */
const maxPages = 10_000

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type TextItems = Awaited<ReturnType<Awaited<ReturnType<Document['getPage']>>['getTextContent']>>['items']

const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, enableXfa: false, verbosity: 0 }

const open = async (bytes: Buffer): Promise<Document> => {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), options)
  } catch (error) {
    throw new FileRefused(error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken')
  }
}

const toPieces = (items: TextItems): Piece[] =>
  items.flatMap((item) => {
    if (!('str' in item)) return []
    const [, , c = 0, d = 0, x = 0, y = 0] = item.transform.map(Number)
    const size = Math.hypot(c, d) || item.height || 10
    return [{ text: item.str, x, y, width: item.width, size, endsLine: item.hasEOL }]
  })

const readPage = async (document: Document, number: number): Promise<Line[]> => {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  page.cleanup()
  return joinPieces(toPieces(items))
}

/** Reads the pages that can be read; a file of which none can is broken. */
const readPages = async (document: Document, maxCharacters: number): Promise<Line[][]> => {
  const pages: Line[][] = []
  let length = 0
  let unreadable = 0
  for (let number = 1; number <= document.numPages; number++) {
    const lines = await readPage(document, number).catch(() => {
      unreadable++
      return []
    })
    for (const { cells } of lines) for (const { text } of cells) length += text.length + 1
    if (length > maxCharacters) throw new FileRefused('too_long')
    pages.push(lines)
  }
  if (unreadable === document.numPages) throw new FileRefused('broken')
  return pages
}

const readTitle = async (document: Document): Promise<string | undefined> => {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }))
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : ''
  return title === '' ? undefined : title
}

/** Reads a PDF. */
export const readPdf: ReadFormat = async ({ bytes }, writer) => {
  const document = await open(bytes)
  if (document.numPages > maxPages) throw new FileRefused('too_long')
  const pages = await readPages(document, writer.maxCharacters)
  const headingSizes = findHeadingSizes(pages.flat())
  for (const lines of pages) {
    writeLines(lines, headingSizes, writer)
    writer.endPage()
  }
  return readTitle(document)
}
