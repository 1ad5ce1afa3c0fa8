import { parentPort } from 'node:worker_threads'
import type { TextsRequest } from '../../../shared/text/has-text.ts'
import { lowerThreadPriority } from '../../../shared/threads/thread-priority.ts'
import { openRpc } from '../../../shared/threads/thread-rpc.ts'
import {
  checkOutput,
  checkOutputSchema,
  findMissing,
  findPattern,
  findPatternProblem,
  type MatchRequest,
  type OutputRequest,
  type Schema,
} from './output-schema.ts'

// The thread that checks outputs of runs and their schemas: the schemas and patterns of tenants may be slow, and no other request
// waits for them here.

lowerThreadPriority('background')
if (parentPort)
  openRpc(parentPort, {
    check: (request: OutputRequest) => ({ value: checkOutput(request) }),
    checkPattern: (pattern: string) => ({ value: { problem: findPatternProblem(pattern) } }),
    match: (request: MatchRequest) => ({ value: { isFound: findPattern(request) } }),
    findMissing: (request: TextsRequest) => ({ value: { missing: findMissing(request) } }),
    checkSchema: (schema: Schema) => {
      checkOutputSchema(schema)
      return { value: true }
    },
  })
