import { once } from 'node:events'
import { createServer } from 'node:net'
import { toErrorCode } from '../storage/embedded/file-errors.ts'

// Systems assign ports from 32768 on to any program, so such a port could be taken before it is used. Each process of a
// test run has its own range.
const lowest = 11_000
const portsOfProcess = 1_000
const processes = 20

const first = lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % processes) * portsOfProcess
let next = Math.floor(Math.random() * portsOfProcess)

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (toErrorCode(error) === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Returns a free port of this machine that no other caller gets, never one twice. */
export const findFreePort = async (): Promise<number> => {
  const port = first + (next++ % portsOfProcess)
  return (await isFree(port)) ? port : findFreePort()
}
