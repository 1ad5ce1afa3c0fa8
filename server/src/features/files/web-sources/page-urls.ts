import { createHash } from 'node:crypto'
import { invalidArgument, type Path } from '../../../shared/errors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'

/** A page: its URL, and the id of its document. */
export type PageAddress = { url: string; documentId: string }

const maxIdLength = 200

/** The id of the document of a page: its URL, or the hash of a long one. */
const toDocumentId = (url: string): string =>
  url.length <= maxIdLength ? url : `url-sha256:${createHash('sha256').update(url).digest('hex')}`

/** The URL of a page as it is stored: without its fragment, which no server sees. */
const normalizeUrl = (text: string): string => {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

/** The pages that a call names, each once. Throws where a URL may not be fetched as far as its text shows. */
export const toPages = (
  { findRefusal }: Pick<Outbound, 'findRefusal'>,
  urls: readonly string[],
  at: Path,
): PageAddress[] => {
  const pages = new Map<string, PageAddress>()
  for (const [index, text] of urls.entries()) {
    const refusal = findRefusal(text)
    if (refusal !== undefined) throw invalidArgument([...at, index], refusal)
    const url = normalizeUrl(text)
    pages.set(url, { url, documentId: toDocumentId(url) })
  }
  return [...pages.values()]
}

/** The ids of the pages that a call removes. A text that is no URL names no page. */
export const toRemovedIds = (urls: readonly string[]): string[] =>
  urls.filter((text) => URL.canParse(text)).map((text) => toDocumentId(normalizeUrl(text)))
