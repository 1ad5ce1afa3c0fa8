import { parentPort } from 'node:worker_threads'
import { openRpc } from '../../shared/threads/thread-rpc.ts'

// Replaces the worker for large requests by one that grows by the megabytes that a body names, and answers how often it was asked.
const kept: number[][] = []
let calls = 0
if (parentPort)
  openRpc(parentPort, {
    call: ({ body }: { body: Uint8Array }) => {
      for (let megabytes = body[0] ?? 0; megabytes > 0; megabytes--)
        kept.push(Array.from({ length: 131_072 }, () => 0.5))
      return { value: ++calls }
    },
    close: () => ({ value: undefined }),
  })
