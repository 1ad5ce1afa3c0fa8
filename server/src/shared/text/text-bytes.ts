import { setImmediate } from 'node:timers/promises'

// Encodes a long text piece by piece, one per turn of the event loop, so that other requests run in between.

const pieceLength = 512 * 1024

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Yields a text in pieces, one per turn of the event loop. */
async function* cutText(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + pieceLength)
    // Both halves of a pair belong to one character.
    const cut = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    yield text.slice(start, cut)
    start = cut
    if (start < text.length) await setImmediate()
  }
}

/** The bytes of a text, in pieces. */
export async function* toPieces(text: string): AsyncGenerator<Buffer> {
  for await (const piece of cutText(text)) yield Buffer.from(piece)
}

/** Encodes a text as bytes in a buffer of its own. */
export const toBytesInSteps = async (text: string): Promise<Buffer<ArrayBuffer>> => {
  let length = 0
  for await (const piece of cutText(text)) length += Buffer.byteLength(piece)
  // The system gives memory that is all zeros page by page, as it is written to; to join pieces would take all of it at once.
  const bytes = Buffer.from(new ArrayBuffer(length))
  let at = 0
  for await (const piece of cutText(text)) at += bytes.write(piece, at)
  return bytes
}
