import { once } from 'node:events'
import { createServer } from 'node:net'
import { toErrorCode } from '../storage/embedded/file-errors.ts'

// Systems give ports from 32768 on to whoever asks for any, so that a port of these would be somebody else's before it is used.
// Each process of a test run has its own.
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

/** A port of this machine on which nobody listens, and that nobody else is given: never one twice. */
export const findFreePort = async (): Promise<number> => {
  const port = first + (next++ % portsOfProcess)
  return (await isFree(port)) ? port : findFreePort()
}
