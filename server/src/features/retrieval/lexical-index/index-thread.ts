import { parentPort } from 'node:worker_threads'
import { buildIndex } from './build-index.ts'
import type { IndexOrder } from './index-builder.ts'

// The thread on which texts are cut and indexed, so that requests do not wait meanwhile.

parentPort?.on('message', ({ versions, lastPassage }: IndexOrder) => {
  parentPort?.postMessage(buildIndex(versions, lastPassage))
})
