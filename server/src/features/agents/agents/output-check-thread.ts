import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../shared/threads/thread-priority.ts'
import { openRpc } from '../../../shared/threads/thread-rpc.ts'
import { checkOutput, type OutputRequest } from './output-schema.ts'

// The thread that checks outputs of runs: patterns of tenants may be slow, and no request waits for them here.

lowerThreadPriority('background')
if (parentPort) openRpc(parentPort, { check: (request: OutputRequest) => ({ value: checkOutput(request) }) })
