import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { FileRefused } from '../refusal.ts'

// Reads archives: Office files and books. Limits apply to the decompressed bytes, not to the sizes that the archive states.

/** More entries than any document has. */
const maxEntries = 20_000
/** The bytes that all entries of an archive may decompress to, and each one that is kept whole. */
const maxBytes = 1024 * 1024 * 1024
const maxWholeBytes = 64 * 1024 * 1024

/** An archive whose entries are read by name. */
export type Archive = {
  names: readonly string[]
  has(name: string): boolean
  /** The bytes of an entry, in pieces; none for an entry that is not there. */
  stream(name: string): AsyncGenerator<Buffer>
  /** A small entry as a whole; undefined if it is not there. */
  read(name: string): Promise<Buffer | undefined>
}

const openZip = (bytes: Buffer): Promise<ZipFile> =>
  new Promise((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true, strictFileNames: false }, (error, zip) =>
      error ? reject(new FileRefused('broken')) : resolve(zip),
    ),
  )

const listEntries = (zip: ZipFile): Promise<Map<string, Entry>> =>
  new Promise((resolve, reject) => {
    const entries = new Map<string, Entry>()
    if (zip.entryCount > maxEntries) return reject(new FileRefused('too_large'))
    zip.on('error', () => reject(new FileRefused('broken')))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      // The first entry of a name counts, so that two readers cannot see two documents.
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry)
      zip.readEntry()
    })
    zip.readEntry()
  })

const openEntry = (zip: ZipFile, entry: Entry): Promise<AsyncIterable<Buffer>> =>
  new Promise((resolve, reject) =>
    zip.openReadStream(entry, (error, stream) => (error ? reject(new FileRefused('broken')) : resolve(stream))),
  )

/** Opens an archive. Encrypted entries are refused when they are read. */
export const openArchive = async (bytes: Buffer): Promise<Archive> => {
  const zip = await openZip(bytes)
  const entries = await listEntries(zip)
  let total = 0
  async function* stream(name: string) {
    const entry = entries.get(name)
    if (!entry) return
    if (entry.isEncrypted()) throw new FileRefused('encrypted')
    const pieces = await openEntry(zip, entry)
    try {
      for await (const piece of pieces) {
        total += piece.length
        if (total > maxBytes) throw new FileRefused('too_large')
        yield piece
      }
    } catch (error) {
      throw error instanceof FileRefused ? error : new FileRefused('broken')
    }
  }
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    stream,
    read: async (name) => {
      if (!entries.has(name)) return undefined
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of stream(name)) {
        size += piece.length
        if (size > maxWholeBytes) throw new FileRefused('too_large')
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
  }
}
