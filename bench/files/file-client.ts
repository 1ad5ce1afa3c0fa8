import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { parentPort, Worker } from 'node:worker_threads'

// A thread that sends and reads many files at once, so that its work delays no other measurement of the benchmark.

/** Transfers to do at once: of each path, with the bytes to send, or else a file to read. `seconds`: when to break off. */
type Transfers = {
  port: number
  key: string
  paths: readonly string[]
  sendBytes?: number
  seconds?: number
}

/** The bytes that were moved, the seconds that took, and the statuses of the answers that came. */
export type Moved = { bytes: number; seconds: number; statuses: number[] }

export type FileClient = { run(transfers: Transfers): Promise<Moved>; close(): Promise<number> }

/** Starts the thread. */
export const startFileClient = (): FileClient => {
  const worker = new Worker(new URL(import.meta.url))
  return {
    run: (transfers) =>
      new Promise((resolve, reject) => {
        worker.once('error', reject)
        worker.once('message', (moved: Moved) => {
          worker.off('error', reject)
          resolve(moved)
        })
        worker.postMessage(transfers)
      }),
    close: () => worker.terminate(),
  }
}

type Counted = { bytes: number }

const moveOne = (
  { port, key, sent }: { port: number; key: string; sent: Buffer | undefined },
  { path, signal }: { path: string; signal: AbortSignal | undefined },
  counted: Counted,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const method = sent ? 'POST' : 'GET'
    const headers = {
      authorization: `Bearer ${key}`,
      ...(sent && { 'content-type': 'application/octet-stream', 'content-length': sent.length }),
    }
    const failed = (error: Error) => (signal?.aborted ? resolve(0) : reject(error))
    const asked = request({ port, path, method, headers, agent: false, ...(signal && { signal }) }, (response) => {
      response.on('data', (piece: Buffer) => {
        if (!sent) counted.bytes += piece.length
      })
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', failed)
    })
    asked.on('error', failed)
    asked.end(sent)
  })

const move = async ({ port, key, paths, sendBytes, seconds }: Transfers): Promise<Moved> => {
  const sent = sendBytes === undefined ? undefined : randomBytes(sendBytes)
  const signal = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000)
  const counted = { bytes: 0 }
  const began = performance.now()
  const statuses = await Promise.all(paths.map((path) => moveOne({ port, key, sent }, { path, signal }, counted)))
  if (sent) counted.bytes = sent.length * paths.length
  return { ...counted, seconds: (performance.now() - began) / 1_000, statuses }
}

parentPort?.on('message', async (transfers: Transfers) => parentPort?.postMessage(await move(transfers)))
