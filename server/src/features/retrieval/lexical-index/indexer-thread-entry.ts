import { parentPort } from 'node:worker_threads'
import { buildIndex } from './build-segment.ts'
import type { IndexOrder } from './indexer-thread.ts'

// The thread on which texts are cut and indexed, so that requests do not wait meanwhile.

parentPort?.on('message', ({ versions, lastPassage }: IndexOrder) => {
  parentPort?.postMessage(buildIndex(versions, lastPassage))
})
