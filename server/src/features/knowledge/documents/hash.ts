import { createHash } from 'node:crypto'
import { toPieces } from '../../../shared/text/text-bytes.ts'

/** SHA-256 of a text in hex: it identifies the text, and is the id of a document that was sent without one. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same of a text that may be long, a piece per turn of the event loop: twelve milliseconds for two million characters at once. */
export const sha256InSteps = async (text: string): Promise<string> => {
  const hash = createHash('sha256')
  for await (const piece of toPieces(text)) hash.update(piece)
  return hash.digest('hex')
}

/** The hash of a long text, with the text, if it was computed before. No caller can send it: JSON has no symbols. */
export const knownHash = Symbol('hash of the text')

type Hashed = { text: string; [knownHash]?: string }

/** The hash of the text of an operation. */
export const hashText = ({ text, [knownHash]: known }: Hashed): string => known ?? sha256(text)

/** The id of a document that was sent without one (KNO-04). */
export const contentAddress = (operation: Hashed): string => `sha256:${hashText(operation)}`
