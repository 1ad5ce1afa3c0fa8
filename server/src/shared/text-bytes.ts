import { setImmediate } from 'node:timers/promises'

// A long text is made bytes of a piece in each turn of the event loop, so that others are answered in between.

const pieceLength = 512 * 1024

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** The bytes of a text, in pieces. */
export async function* toPieces(text: string): AsyncGenerator<Buffer> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + pieceLength)
    // Both halves of a pair belong to one character.
    const cut = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    yield Buffer.from(text.slice(start, cut))
    start = cut
    if (start < text.length) await setImmediate()
  }
}

/** The bytes of a text as one. */
export const toBytesInSteps = async (text: string): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(toPieces(text)))
