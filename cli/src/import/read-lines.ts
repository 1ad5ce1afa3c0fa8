const newline = 0x0a
/** A longer line is no record: those have at most 1 MiB. */
export const maxLineBytes = 4 * 1024 * 1024

/** The lines of a stream of bytes. One that is too long is not held: it comes as undefined. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = []
  let bytes = 0
  const add = (part: Buffer): void => {
    bytes += part.length
    if (bytes <= maxLineBytes) parts.push(part)
    else parts = []
  }
  const take = (): string | undefined => {
    const line = bytes > maxLineBytes ? undefined : Buffer.concat(parts).toString().replace(/\r$/, '')
    parts = []
    bytes = 0
    return line
  }
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end))
      yield take()
      from = end + 1
    }
    add(chunk.subarray(from))
  }
  if (bytes > 0) yield take()
}
