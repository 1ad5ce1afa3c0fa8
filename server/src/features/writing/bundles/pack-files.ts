import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { ConceptFile } from './write-concepts.ts'

/** Files as a gzipped tar, made as it is read. Equal files are equal bytes. */
export async function* packFiles(files: AsyncIterable<ConceptFile>): AsyncGenerator<Buffer> {
  const archive = pack()
  const zipped = createGzip()
  const feed = async (): Promise<void> => {
    for await (const { path, text, at } of files) {
      const bytes = Buffer.from(text)
      const entry = archive.entry({ name: path, size: bytes.length, mtime: new Date(at) })
      entry.end(bytes)
      await finished(entry)
    }
    archive.finalize()
  }
  const feeding = feed().catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  })
  const zipping = pipeline(archive, zipped)
  // Both fail with one cause, which the reader gets.
  zipping.catch(() => undefined)
  feeding.catch(() => undefined)
  try {
    yield* zipped
    await feeding
  } catch (error) {
    await feeding
    throw error
  } finally {
    archive.destroy()
    zipped.destroy()
    await feeding.catch(() => undefined)
  }
}
