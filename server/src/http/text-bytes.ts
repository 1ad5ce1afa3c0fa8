import { setImmediate } from 'node:timers/promises'

/** How much of a text is made bytes of in one turn of the event loop. */
const stepLength = 512 * 1024

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** The bytes of a text that may be long, a piece in each turn of the event loop, so that others are answered in between. */
export const toBytesInSteps = async (text: string): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for (let start = 0; start < text.length; ) {
    const end = Math.min(text.length, start + stepLength)
    // Both halves of a pair belong to one character.
    const cut = end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    pieces.push(Buffer.from(text.slice(start, cut)))
    start = cut
    await setImmediate()
  }
  return Buffer.concat(pieces)
}
