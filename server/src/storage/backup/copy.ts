import { once } from 'node:events'
import type pg from 'pg'

// COPY in both directions over one connection, at the pace of the reader or writer. The driver lets a statement object
// handle its own messages: these are two such objects.

type CopyMessage = { chunk: Buffer }
type CopyConnection = pg.Connection & {
  stream: NodeJS.ReadWriteStream & { writableNeedDrain: boolean }
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** The shared part of both statements: they are done when the server is ready for the next one. */
const settleBy = (resolve: (rows: number) => void, reject: (error: unknown) => void) => {
  let failure: unknown
  let rows = 0
  return {
    fail: (error: unknown) => {
      failure ??= error
    },
    failure: () => failure,
    handleError: (error: unknown) => reject(failure ?? error),
    handleReadyForQuery: () => (failure === undefined ? resolve(rows) : reject(failure)),
    handleRowDescription: () => undefined,
    handleDataRow: () => undefined,
    handlePortalSuspended: () => undefined,
    handleEmptyQuery: () => undefined,
    handleCommandComplete: ({ text }: { text: string }) => {
      rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0)
    },
  }
}

/** Runs a `copy … to stdout`, and passes its output to `take`, which slows the server down while it is busy. */
export const copyOut = (client: pg.Client, text: string, take: (chunk: Buffer) => Promise<void> | undefined) =>
  new Promise<number>((resolve, reject) => {
    const { fail, failure, ...handlers } = settleBy(resolve, reject)
    client.query({
      ...handlers,
      submit: (connection: pg.Connection) => connection.query(text),
      handleCopyData: ({ chunk }: CopyMessage, connection: CopyConnection) => {
        // After a failure the output is read and dropped: the connection cannot stop in the middle.
        const busy = failure() === undefined ? take(chunk) : undefined
        if (busy === undefined) return
        connection.stream.pause()
        busy.catch(fail).finally(() => connection.stream.resume())
      },
    } as pg.Submittable)
  })

const pump = async (connection: CopyConnection, chunks: AsyncIterable<Buffer>, isOver: () => boolean) => {
  for await (const chunk of chunks) {
    if (isOver()) return
    connection.sendCopyFromChunk(chunk)
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
  }
  connection.endCopyFrom()
}

/** Runs a `copy … from stdin` with these bytes, at the pace that the server takes them. */
export const copyIn = (client: pg.Client, text: string, chunks: AsyncIterable<Buffer>) =>
  new Promise<number>((resolve, reject) => {
    let isOver = false
    const { fail, handleError, failure: _unused, ...handlers } = settleBy(resolve, reject)
    client.query({
      ...handlers,
      handleError: (error: unknown) => {
        isOver = true
        handleError(error)
      },
      submit: (connection: pg.Connection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => {
        pump(connection, chunks, () => isOver).catch((error: unknown) => {
          fail(error)
          connection.sendCopyFail('the bytes ended early')
        })
      },
    } as pg.Submittable)
  })
