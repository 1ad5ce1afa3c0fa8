import { FileRefused } from '../refusal.ts'
import type { ReadFormat } from './document.ts'

// Plain text and Markdown, in UTF-8 or the encoding that the sender names.

const toDecoder = (charset: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

/** Decodes text by its byte order mark, as UTF-8, or by the named encoding; Windows' Latin is what else is common. */
export const decodeText = (bytes: Buffer, charset?: string | undefined): string => {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const named = charset === undefined ? undefined : toDecoder(charset)
  if (named && named.encoding !== 'utf-8') return named.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** True if a text that begins with these bytes may be in UTF-8. */
export const mayBeUtf8 = (beginning: Buffer): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Text that is none has zero bytes, unless its encoding has them. */
export const checkText = (text: string): string => {
  if (text.includes('\0')) throw new FileRefused('broken')
  return text
}

/** Reads text as it is. */
export const readText: ReadFormat = async ({ bytes, charset }, writer) => {
  writer.markdown(checkText(decodeText(bytes, charset)))
  return undefined
}
