import type pg from 'pg'
import { freeBytes } from '../shared/free-bytes.ts'
import type { Answer, Row, SentValue } from './driver-types.ts'

// Bytes on their way to and from PostgreSQL: files, and the many rows of JSON text that are answered as they are. The driver copies a
// value that it sends twice, and reads every value as text: bytes had to become base64 in PostgreSQL and bytes again here, and text
// becomes UTF-8 again in the answer. Here the protocol's binary form is written and read directly, and each byte is copied once at
// most. Everything but these rows stays with the driver.

type Stream = pg.Connection['stream']

const dataRow = 'D'.charCodeAt(0)
const readyForQuery = 'Z'.charCodeAt(0)
const headerBytes = 5
/** A row has a count of fields and the length of each. */
const rowHeaderBytes = 6
/** No row of bytes is longer. */
const maxRowBytes = 64 * 1024 * 1024

/** Values below this size are copied next to the others. */
const copiedBytes = 16 * 1024

const toInt16 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(2)
  bytes.writeInt16BE(value)
  return bytes
}

const toInt32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** Joins short pieces, so that few are written. */
const joinShort = (pieces: readonly Buffer[]): Buffer[] => {
  const joined: Buffer[] = []
  let short: Buffer[] = []
  for (const piece of pieces) {
    if (piece.length < copiedBytes) short.push(piece)
    else {
      joined.push(Buffer.concat(short), piece)
      short = []
    }
  }
  return [...joined, Buffer.concat(short)]
}

/** The message that binds values to a statement, with bytes as they are, and asks for bytes. */
const toBindMessage = (name: string, values: readonly SentValue[]): Buffer[] => {
  const sent = values.map((value) => (typeof value === 'string' ? Buffer.from(value) : value))
  const body = [
    Buffer.from(`\0${name}\0`),
    toInt16(values.length),
    ...values.map((value) => toInt16(Buffer.isBuffer(value) ? 1 : 0)),
    toInt16(values.length),
    ...sent.flatMap((value) => (value === null ? [toInt32(-1)] : [toInt32(value.length), value])),
    toInt16(1),
    toInt16(1),
  ]
  const length = body.reduce((sum, piece) => sum + piece.length, 4)
  return joinShort([Buffer.from('B'), toInt32(length), ...body])
}

/** Gets the only field of a row, between two places of some bytes. */
type TakeRow = (bytes: Buffer, begin: number, end: number) => void

/** Buffers that answers are gathered in, kept for the next ones: V8 collects the whole heap for each 32 MiB of new ones. */
const spares: Buffer[] = []
const maxSpares = 16
const spareBytes = 64 * 1024
const maxSpareBytes = 1024 * 1024

/** The rows of an answer as one text with a separator in between: many small values would cost more than what they say. */
class JoinedRows {
  #bytes = spares.pop() ?? Buffer.allocUnsafeSlow(spareBytes)
  #length = 0
  #count = 0
  readonly #separator: Buffer

  constructor(separator: string) {
    this.#separator = Buffer.from(separator)
  }
  add(bytes: Buffer, begin: number, end: number): void {
    const needed = this.#length + this.#separator.length + end - begin
    if (needed > this.#bytes.length) this.#grow(needed)
    if (this.#count++ > 0) this.#length += this.#separator.copy(this.#bytes, this.#length)
    this.#length += bytes.copy(this.#bytes, this.#length, begin, end)
  }
  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#length)
    freeBytes(this.#bytes)
    this.#bytes = larger
  }
  /** The row that stands for all. Called once. */
  toRow(): Row {
    const text = this.#bytes.toString('utf8', 0, this.#length)
    if (this.#bytes.length > maxSpareBytes || spares.length >= maxSpares) freeBytes(this.#bytes)
    else spares.push(this.#bytes)
    return { text, count: this.#count }
  }
}

/** Takes the rows that begin at a place and are there whole. Returns the place of the next message. */
const takeWhole = (bytes: Buffer, from: number, take: TakeRow): number => {
  let at = from
  while (bytes[at] === dataRow && bytes.length - at >= headerBytes) {
    const end = at + 1 + bytes.readUInt32BE(at + 1)
    if (end > bytes.length) break
    take(bytes, at + headerBytes + rowHeaderBytes, end)
    at = end
  }
  return at
}

/**
 * Takes the rows out of the answer to the statement that is sent next, and leaves all else to the driver. A row that arrives in
 * several pieces is put together first; with `inPlace` any other is taken out of the piece in which it arrives.
 */
const takeRows = (stream: Stream, take: TakeRow, inPlace: boolean): void => {
  const listeners = stream.listeners('data') as ((bytes: Buffer) => void)[]
  const header = Buffer.alloc(headerBytes)
  let filled = 0
  let row: Buffer | undefined
  /** The bytes of a message to the driver that are still to come. */
  let left = 0
  const forward = (bytes: Buffer): void => {
    for (const listener of listeners) listener.call(stream, bytes)
  }
  const giveBack = (): void => {
    for (const listener of listeners) stream.on('data', listener)
    stream.off('data', read)
  }
  const beginMessage = (): void => {
    const length = header.readUInt32BE(1) - 4
    if (header[0] !== dataRow) {
      left = length
      forward(Buffer.from(header))
    } else if (length > maxRowBytes) stream.destroy(new Error('PostgreSQL answered a row of an impossible length.'))
    else row = Buffer.allocUnsafeSlow(length)
  }
  /** Reads some bytes, and returns how many. */
  const readSome = (bytes: Buffer): number => {
    if (left > 0) {
      const part = bytes.subarray(0, left)
      left -= part.length
      forward(part)
      return part.length
    }
    const target = row ?? header
    const copied = bytes.copy(target, filled)
    filled += copied
    if (filled < target.length) return copied
    filled = 0
    if (row) take(row, rowHeaderBytes, row.length)
    if (row) row = undefined
    else beginMessage()
    return copied
  }
  const read = (bytes: Buffer): void => {
    let isForwarded = false
    for (let at = 0; at < bytes.length; ) {
      const isBetween = !row && left === 0 && filled === 0
      if (isBetween && inPlace) at = takeWhole(bytes, at, take)
      // The end of the answer: the driver may send the next statement as soon as it has read it.
      if (isBetween && bytes[at] === readyForQuery) {
        giveBack()
        forward(bytes.subarray(at))
        return
      }
      isForwarded ||= left > 0
      if (at < bytes.length) at += readSome(bytes.subarray(at))
    }
    // The driver keeps what it has not read whole.
    if (!isForwarded) freeBytes(bytes)
  }
  stream.on('data', read)
  for (const listener of listeners) stream.off('data', listener)
}

/** `separator`: the rows are joined with it in between. */
type Parts = { name: string | undefined; text: string; values: readonly SentValue[]; separator: string | undefined }

/** A property of the driver's connections that its types lack: the prepared statements by name. */
type Known = { parsedStatements: Record<string, string | undefined> }

/** The driver calls this as it calls its own queries. It records by `name` and `text` what the connection has prepared. */
class ByteExecution implements pg.Submittable {
  readonly name: string
  readonly text: string
  readonly #values: readonly SentValue[]
  readonly #rows: Row[] = []
  readonly #joined: JoinedRows | undefined
  #command = ''
  callback: (error: unknown, answer?: Answer) => void

  constructor({ name = '', text, values, separator }: Parts, callback: ByteExecution['callback']) {
    this.name = name
    this.text = text
    this.#values = values
    this.#joined = separator === undefined ? undefined : new JoinedRows(separator)
    this.callback = callback
  }
  #takeRows(stream: Stream): void {
    const joined = this.#joined
    if (joined) takeRows(stream, (bytes, begin, end) => joined.add(bytes, begin, end), true)
    else takeRows(stream, (row, begin) => void this.#rows.push({ bytes: row.subarray(begin) }), false)
  }
  submit(connection: pg.Connection): void {
    const { name, text } = this
    const { stream, parsedStatements } = connection as pg.Connection & Known
    this.#takeRows(stream)
    stream.cork()
    if (name === '' || parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true)
    for (const piece of toBindMessage(name, this.#values)) stream.write(piece)
    connection.execute({}, true)
    connection.sync()
    process.nextTick(() => stream.uncork())
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.#command = text
  }
  handleReadyForQuery(): void {
    const [command = '', ...counts] = this.#command.split(' ')
    const rows = this.#joined ? [this.#joined.toRow()] : this.#rows
    this.callback(undefined, { command: command as 'SELECT', rowCount: Number(counts.at(-1) ?? 0), rows })
  }
  handleError(error: unknown): void {
    this.callback(error)
  }
  handleEmptyQuery(): void {}
}

/**
 * Executes a statement that sends bytes, or reads them in its only column. No other statement may be under way on the connection.
 */
export const executeBytes = (client: pg.PoolClient, parts: Parts): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const end = (error: unknown, answer?: Answer) => (answer ? resolve(answer) : reject(error))
    client.query(new ByteExecution(parts, end))
  })
