import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { BrainClient } from '@noema/sdk'
import { contentTypes, type Skipped, toReason } from './find-files.ts'
import { markdownTitle } from './title.ts'

type Item = Parameters<BrainClient['snapshots']['plan']>[1]['items'][number]

/** A file as the item of a snapshot that it is, and the bytes that it takes in a request. One whose text is extracted goes alone. */
export type ReadDocument = { file: string; item: Item; bytes: number; isAlone?: true }

const mebibyte = 1024 * 1024
const maxFileBytes = 10 * mebibyte
// A request takes 16 MiB. Escapes can make JSON several times longer than its text.
const maxItemBytes = 16 * mebibyte - 1024
const maxIdLength = 200
const maxExternalIdLength = 500
const maxTitleLength = 1000

const withoutHalfCharacter = (text: string) => (text.isWellFormed() ? text : text.slice(0, -1))

/**
 * Shortens text to at most `maxLength` UTF-16 units: a longer one keeps its beginning, and 32 digits of its SHA-256 replace
 * the rest.
 */
const shorten = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32)
  return `${withoutHalfCharacter(text.slice(0, maxLength - hash.length - 1))}~${hash}`
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The id of a file's document, and its id in the source. */
export const toIds = (source: string, file: string) => ({
  id: shorten(`${source}/${file}`, maxIdLength),
  externalId: shorten(file, maxExternalIdLength),
})

const toItem = (source: string, file: string, text: string): Item => {
  const contentType = contentTypes[extname(file).toLowerCase()] ?? 'text/plain'
  const title = (contentType === 'text/markdown' ? markdownTitle(text) : undefined) ?? basename(file)
  return {
    ...toIds(source, file),
    text,
    title: withoutHalfCharacter(title.slice(0, maxTitleLength)),
    contentType,
  }
}

const readText = async (path: string): Promise<{ text: string } | { reason: string }> => {
  if ((await stat(path)).size > maxFileBytes) return { reason: 'is larger than 10 MiB' }
  const text = decode(await readFile(path))
  if (text === undefined) return { reason: 'is not valid UTF-8' }
  return text.includes('\0') ? { reason: 'contains a NUL character, so it is not a text' } : { text }
}

/**
 * Reads a file of the folder as the document `<source>/<file>`, or says why it is left out. Nothing in it depends on when
 * the file was written, so that an unchanged file is an unchanged document.
 */
export const readDocument = async (folder: string, source: string, file: string): Promise<ReadDocument | Skipped> => {
  const read = await readText(join(folder, file)).catch((error: unknown) => ({ reason: toReason(error) }))
  if ('reason' in read) return { file, reason: read.reason }
  const item = toItem(source, file, read.text)
  const bytes = Buffer.byteLength(JSON.stringify(item))
  return bytes > maxItemBytes ? { file, reason: 'is too large for one request' } : { file, item, bytes }
}
