import type { ReadDocument } from './read-document.ts'

const mostOperations = 100
const mostBytes = 4 * 1024 * 1024

/** Gathers documents into batches of at most 100 and about 4 MiB; a larger document goes alone. */
export async function* batchesOf(documents: AsyncIterable<ReadDocument>): AsyncGenerator<ReadDocument[]> {
  let batch: ReadDocument[] = []
  let bytes = 0
  for await (const document of documents) {
    if (batch.length > 0 && (batch.length === mostOperations || bytes + document.bytes > mostBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(document)
    bytes += document.bytes
  }
  if (batch.length > 0) yield batch
}
