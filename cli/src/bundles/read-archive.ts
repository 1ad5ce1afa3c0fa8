import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { bundlePath } from '@noema/contracts/bundles.ts'
import { extract } from 'tar-stream'
import { UsageError } from '../exit-codes.ts'

// Archives from anyone: their sizes are limited while they are unpacked, and they have nothing but files with paths inside a folder.

/** A file of a bundle. */
export type BundleText = { path: string; text: string }

/** The most bytes of one file, and of all of them, and the most entries. */
export const archiveLimits = { fileBytes: 16 * 1024 * 1024, bytes: 1024 * 1024 * 1024, entries: 1_000_000 } as const

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes. Throws where they are no UTF-8. */
export const decodeText = (bytes: Uint8Array, path: string): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new UsageError(`${path} is not a text in UTF-8. A bundle has only texts.`)
  }
}

const tooLarge = (what: string) => new UsageError(`${what} is larger than a bundle may be. Nothing was written.`)

/** Bytes of a stream, up to the limit. */
async function* limitBytes(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > archiveLimits.bytes) throw tooLarge('The archive')
    yield piece
  }
}

const isZipped = async (file: string): Promise<boolean> => {
  for await (const piece of createReadStream(file, { end: 1 })) return piece[0] === 0x1f && piece[1] === 0x8b
  return false
}

const notAnArchive = (file: string, error: unknown): unknown =>
  error instanceof UsageError || !(error instanceof Error) || ('code' in error && error.code === 'ENOENT')
    ? error
    : new UsageError(`${file} cannot be read as a tar: ${error.message}. Nothing was written.`)

const toPath = (name: string): string => {
  const path = name.replace(/^(?:\.\/)+/, '')
  if (!bundlePath.safeParse(path).success || /^[A-Za-z]:/.test(path))
    throw new UsageError(`${JSON.stringify(name)} is no path inside a folder. Nothing was written.`)
  return path
}

/** The name of a file as file systems compare it that ignore case. */
export const toFolded = (path: string): string => path.normalize('NFC').toLowerCase()

/** The files of a tar or a gzipped tar, one after the other. Only concepts have their text; of others it is empty. */
export async function* readArchive(file: string): AsyncGenerator<BundleText> {
  const seen = new Set<string>()
  const unpacked = extract()
  const source = createReadStream(file)
  const input = (await isZipped(file)) ? createGunzip() : new PassThrough()
  const reading = pipeline(source, input, limitBytes, unpacked as unknown as NodeJS.WritableStream)
  reading.catch((error: unknown) => unpacked.destroy(error instanceof Error ? error : undefined))
  try {
    for await (const entry of unpacked) {
      const { name, type, size = 0 } = entry.header
      if (type === 'directory') {
        entry.resume()
        continue
      }
      if (type !== 'file' && type !== 'contiguous-file')
        throw new UsageError(`${JSON.stringify(name)} is a ${type}, not a file. Nothing was written.`)
      const path = toPath(name)
      if (seen.has(path)) throw new UsageError(`${path} is in the archive twice. Nothing was written.`)
      if (seen.add(path).size > archiveLimits.entries) throw tooLarge('The archive')
      if (size > archiveLimits.fileBytes) throw tooLarge(path)
      const parts: Buffer[] = []
      for await (const part of entry as AsyncIterable<Uint8Array>) parts.push(Buffer.from(part))
      yield { path, text: decodeText(Buffer.concat(parts), path) }
    }
    await reading
  } catch (error) {
    throw notAnArchive(file, error)
  } finally {
    unpacked.destroy()
    source.destroy()
    await reading.catch(() => undefined)
  }
}
