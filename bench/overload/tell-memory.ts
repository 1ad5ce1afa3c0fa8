import { isMainThread } from 'node:worker_threads'

// Loaded into a server before it starts: tells what its memory is made of, and what is left of it after a collection.

/** Megabytes. `resident` is what the system gave; the others are what the main thread has of it. */
export type Memory = Record<'resident' | 'heapTotal' | 'heapUsed' | 'external' | 'arrayBuffers', number>
export type MemoryAnswer = { now: Memory; collected: Memory }

const read = (): Memory => {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const toMegabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  return {
    resident: toMegabytes(rss),
    heapTotal: toMegabytes(heapTotal),
    heapUsed: toMegabytes(heapUsed),
    external: toMegabytes(external),
    arrayBuffers: toMegabytes(arrayBuffers),
  }
}

if (isMainThread && process.send) {
  process.on('message', () => {
    const now = read()
    globalThis.gc?.()
    setTimeout(() => {
      globalThis.gc?.()
      process.send?.({ now, collected: read() } satisfies MemoryAnswer)
    }, 1_000)
  })
  process.channel?.unref()
}
