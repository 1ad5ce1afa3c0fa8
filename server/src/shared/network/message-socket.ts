import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

// Messages between nodes over a connection: four bytes with the length, then the value as V8 writes it. An empty message says that
// the other end reads.

const headBytes = 4
/** Messages are acknowledged after this long, unless something else was sent meanwhile. */
const acknowledgeMilliseconds = 50

export type MessageSocket = {
  /** Sends a message, together with the others of this turn of the event loop. */
  send(message: unknown): void
  /** The bytes that wait to be sent. */
  waitingBytes(): number
}

type Ends = {
  /** The limit of one message. The connection ends at a longer one, and at one that cannot be read. */
  maxBytes: number
  receive(message: never): void
  /** Called whenever anything arrives. */
  heard?(): void
  /** True if the other end wants to know soon that its messages were read. */
  acknowledges?: boolean
}

/** Joins chunks to messages. Throws if one is too long. */
const createReader = (maxBytes: number, receive: (bytes: Buffer) => void) => {
  let chunks: Buffer[] = []
  let size = 0
  const take = (length: number): Buffer => {
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)
    chunks = [all.subarray(length)]
    size -= length
    return all.subarray(0, length)
  }
  /** The length of the message whose head was read. */
  let expected: number | undefined
  const next = (): Buffer | undefined => {
    if (expected === undefined && size >= headBytes) expected = take(headBytes).readUInt32BE()
    if (expected !== undefined && expected > maxBytes) throw new Error(`a message of ${expected} bytes is too long`)
    if (expected === undefined || size < expected) return undefined
    const message = take(expected)
    expected = undefined
    return message
  }
  return (chunk: Buffer): void => {
    chunks.push(chunk)
    size += chunk.length
    for (let message = next(); message; message = next()) if (message.length > 0) receive(message)
  }
}

/** Sends and receives messages over a connection. */
export const openMessages = (
  socket: Duplex,
  { maxBytes, receive, heard, acknowledges = false }: Ends,
): MessageSocket => {
  let isCorked = false
  let acknowledging: NodeJS.Timeout | undefined
  const write = (bytes: Buffer): void => {
    if (socket.destroyed || socket.writableEnded) return
    clearTimeout(acknowledging)
    acknowledging = undefined
    if (!isCorked) {
      isCorked = true
      socket.cork()
      process.nextTick(() => {
        isCorked = false
        socket.uncork()
      })
    }
    const head = Buffer.allocUnsafe(headBytes)
    head.writeUInt32BE(bytes.length)
    socket.write(head)
    if (bytes.length > 0) socket.write(bytes)
  }
  const acknowledge = () => write(Buffer.alloc(0))
  const read = createReader(maxBytes, (bytes) => {
    receive(deserialize(bytes) as never)
    if (acknowledges) acknowledging ??= setTimeout(acknowledge, acknowledgeMilliseconds)
  })
  socket.on('data', (chunk: Buffer) => {
    heard?.()
    try {
      read(chunk)
    } catch (error) {
      socket.destroy(error as Error)
    }
  })
  socket.once('close', () => clearTimeout(acknowledging))
  return { send: (message) => write(serialize(message)), waitingBytes: () => socket.writableLength }
}
