import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { readCpuMilliseconds } from './child.ts'

/** An order for the load client: `clients` send the requests in turn for `seconds`, after a warm-up that does not count. */
export type LoadOrder = {
  /** The ports of the servers that the clients share; each client stays with one. */
  ports: readonly number[]
  clients: number
  seconds: number
  warmUpSeconds: number
  /** Ends earlier, when so many have been answered. */
  count?: number
  method: string
  headers: Record<string, string>
  /** Sent in turn by all clients together. */
  paths: readonly string[]
  /** True if each path is sent to only one port, as by a proxy that chooses the node by the path. */
  isDivided?: boolean
  bodies: readonly string[]
}

/** `answered` counts every request of the order, the warm-up's too; the rest is of those counted. Milliseconds. */
export type LoadResult = { answered: number; perSecond: number; p50: number; p99: number; bytes: number }

export type LoadClient = {
  run(order: LoadOrder): Promise<LoadResult>
  cpuMilliseconds(): number | undefined
  stop(): void
}

/** Starts the process that the load comes from. It serves all orders of a benchmark, so its code is warm for each. */
export const startLoadClient = (): LoadClient => {
  const child = fork(fileURLToPath(new URL('load-client.ts', import.meta.url)), { execArgv: [] })
  return {
    run: async (order) => {
      const answer = once(child, 'message')
      child.send(order)
      const [{ result, error }] = (await answer) as [{ result?: LoadResult; error?: string }]
      if (!result) throw new Error(`the load on port ${order.ports.join(', ')} failed: ${error}`)
      return result
    },
    cpuMilliseconds: () => readCpuMilliseconds(child.pid ?? 0),
    stop: () => void child.kill(),
  }
}
