import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'

// A backup is a list of frames: one byte of type, four of length, the content. The last one vouches for all before it.

/** The type of a frame: the head of the backup, the head of a table, rows of it, or the end with its checksum. */
type FrameType = 'H' | 'T' | 'D' | 'Z'
export type Frame = { type: FrameType; content: Buffer }

const headLength = 5
const types: readonly FrameType[] = ['H', 'T', 'D', 'Z']
/** Rows are gathered to frames of about this size. */
const frameBytes = 256 * 1024
/** No frame is longer than one row of PostgreSQL may be. */
const maxFrameBytes = 1024 * 1024 * 1024

const toBytes = (type: FrameType, content: Buffer): Buffer => {
  const head = Buffer.alloc(headLength)
  head.write(type, 'latin1')
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

export type FrameWriter = {
  writeJson: (type: 'H' | 'T', value: object) => Promise<void>
  /** Takes a piece of a table's rows; a promise where the reader is slower. */
  addRows: (chunk: Buffer) => Promise<void> | undefined
  endRows: () => Promise<void>
  end: (totals: object) => Promise<void>
}

/** Writes frames to a stream, and at the end what vouches for them. */
export const createFrameWriter = (output: Writable): FrameWriter => {
  const hash = createHash('sha256')
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  const write = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes)
    if (!output.write(bytes)) await once(output, 'drain')
  }
  const flush = async (): Promise<void> => {
    if (gatheredBytes === 0) return
    const bytes = toBytes('D', Buffer.concat(gathered))
    gathered = []
    gatheredBytes = 0
    await write(bytes)
  }
  return {
    writeJson: (type, value) => write(toBytes(type, Buffer.from(JSON.stringify(value)))),
    addRows: (chunk) => {
      // The driver reuses its buffer, so a kept part is copied.
      gathered.push(Buffer.from(chunk))
      gatheredBytes += chunk.length
      return gatheredBytes < frameBytes ? undefined : flush()
    },
    endRows: flush,
    end: async (totals) => {
      const sha256 = hash.digest('hex')
      const bytes = toBytes('Z', Buffer.from(JSON.stringify({ ...totals, sha256 })))
      if (!output.write(bytes)) await once(output, 'drain')
    },
  }
}

/** A backup that cannot be read as a whole. */
export class DamagedBackup extends Error {
  constructor(what: string) {
    super(`The backup is damaged: ${what}. Nothing of it was stored; use another copy of it.`)
  }
}

/** A file that is none. */
export class NotABackup extends Error {
  readonly kind = 'validation'
  constructor() {
    super('This file is not a backup. Name one that `noema backup` wrote.')
  }
}

async function* cutFrames(input: AsyncIterable<Buffer>): AsyncGenerator<Frame & { bytes: Buffer }> {
  let rest: Buffer = Buffer.alloc(0)
  let pieces: Buffer[] = []
  let have = 0
  let requested = headLength
  for await (const piece of input) {
    pieces.push(piece)
    have += piece.length
    if (have < requested) continue
    rest = Buffer.concat(pieces)
    for (;;) {
      requested = headLength
      if (rest.length < requested) break
      const type = types.find((known) => known === rest.toString('latin1', 0, 1))
      const length = rest.readUInt32BE(1)
      if (type === undefined || length > maxFrameBytes) throw new DamagedBackup('it is not in the form of a backup')
      requested = headLength + length
      if (rest.length < requested) break
      yield { type, bytes: rest.subarray(0, requested), content: rest.subarray(headLength, requested) }
      rest = rest.subarray(requested)
    }
    pieces = [rest]
    have = rest.length
  }
  if (have > 0) throw new DamagedBackup('it ends in the middle')
}

/** Reads the frames of a backup but the last. Throws where that is missing, or does not vouch for those before. */
export async function* readFrames(input: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const hash = createHash('sha256')
  let isWhole = false
  for await (const { bytes, type, content } of cutFrames(input)) {
    if (isWhole) throw new DamagedBackup('something follows its end')
    if (type !== 'Z') {
      hash.update(bytes)
      yield { type, content }
      continue
    }
    const { sha256 } = JSON.parse(content.toString())
    if (sha256 !== hash.digest('hex')) throw new DamagedBackup('its checksum differs')
    isWhole = true
  }
  if (!isWhole) throw new DamagedBackup('it has no end')
}
