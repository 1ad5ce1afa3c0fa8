import { parentPort } from 'node:worker_threads'
import { openRpc } from '../../shared/threads/thread-rpc.ts'

// In place of the thread for heavy calls: one that ends with the first.
if (parentPort)
  openRpc(parentPort, {
    call: () => {
      throw process.exit()
    },
  })
