import { createHash, webcrypto } from 'node:crypto'

/** SHA-256 of a text in hex: it identifies the text, and is the id of a document that was sent without one. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same of a text that may be long, off the main thread. */
export const sha256InBackground = async (text: string): Promise<string> =>
  Buffer.from(await webcrypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex')

/** The id of a document that was sent without one (KNO-04). */
export const contentAddress = (text: string): string => `sha256:${sha256(text)}`
