import { parentPort } from 'node:worker_threads'
import { buildSegment } from './build-segment.ts'
import type { BuildRequest } from './indexer-thread.ts'

// The thread on which texts are split and indexed, so that requests do not wait meanwhile.

parentPort?.on('message', ({ versions, lastPassage }: BuildRequest) => {
  parentPort?.postMessage(buildSegment(versions, lastPassage))
})
