import { parentPort } from 'node:worker_threads'
import { openRpc } from '../../shared/threads/thread-rpc.ts'

// Replaces the worker for large requests by one that ends with its first call.
if (parentPort)
  openRpc(parentPort, {
    call: () => {
      throw process.exit()
    },
  })
