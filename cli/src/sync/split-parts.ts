import type { ReadDocument } from './read-document.ts'

const maxItems = 500
const maxBytes = 4 * 1024 * 1024

/** Some documents of a folder, as one request takes them. */
export type Part = { documents: ReadDocument[]; isLast: boolean }

/** Gathers documents into parts of at most 500 and about 4 MiB; a larger document goes alone. No documents give no part. */
export async function* splitParts(documents: AsyncIterable<ReadDocument>): AsyncGenerator<Part> {
  let part: ReadDocument[] = []
  let bytes = 0
  for await (const document of documents) {
    const isFull = part.length === maxItems || bytes + document.bytes > maxBytes
    if (part.length > 0 && (isFull || document.isAlone || part[0]?.isAlone)) {
      yield { documents: part, isLast: false }
      part = []
      bytes = 0
    }
    part.push(document)
    bytes += document.bytes
  }
  if (part.length > 0) yield { documents: part, isLast: true }
}
