import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that are buffered in memory; the rest goes to a file. */
const maxInMemory = 4 * 1024 * 1024
/** Bytes that are read from the file at once. */
const maxRead = 512 * 1024

/** A file without a name: it disappears however this process ends. */
const openUnnamed = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `noema-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** The unread buffer: first the part in memory, then the part in the file, which was added later. */
const createBacklog = () => {
  const pieces: Buffer[] = []
  let inMemory = 0
  let file: FileHandle | undefined
  let [written, read] = [0, 0]
  return {
    isEmpty: () => pieces.length === 0 && written === read,
    add: async (piece: Buffer): Promise<void> => {
      if (written === read && inMemory + piece.length <= maxInMemory) {
        pieces.push(piece)
        inMemory += piece.length
        return
      }
      file ??= await openUnnamed()
      await file.appendFile(piece)
      written += piece.length
    },
    /** The first of what waits. There must be something. */
    take: async (): Promise<Buffer> => {
      const piece = pieces.shift()
      if (piece) {
        inMemory -= piece.length
        return piece
      }
      if (!file) throw new Error('there is nothing to take')
      const bytes = Buffer.allocUnsafe(Math.min(maxRead, written - read))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, read)
      read += bytesRead
      return bytes.subarray(0, bytesRead)
    },
    close: async (): Promise<void> => file?.close(),
  }
}

/**
 * Reads a source at full speed, however slow the reader is: unread bytes wait in memory, and beyond a limit on disk. So a
 * source that holds a resource while it is read, such as a transaction, is done quickly. It stops when the reader leaves.
 */
export async function* spool(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]()
  const backlog = createBacklog()
  let news = Promise.withResolvers<void>()
  let isLeft = false
  const state: { isEnded: boolean; failure?: unknown } = { isEnded: false }
  const notify = () => {
    news.resolve()
    news = Promise.withResolvers()
  }
  const readAll = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next()
        if (next.done || isLeft) return
        await backlog.add(next.value)
        notify()
      }
    } catch (error) {
      state.failure = error
    } finally {
      state.isEnded = true
      notify()
    }
  }
  const reading = readAll()
  try {
    for (;;) {
      const more = news.promise
      if (!backlog.isEmpty()) yield await backlog.take()
      else if (state.isEnded) break
      else await more
    }
    if ('failure' in state) throw state.failure
  } finally {
    isLeft = true
    await iterator.return?.()
    await reading
    await backlog.close()
  }
}
