import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What the load client does: `clients` send the requests in turn for `seconds`, after a warm-up that is not counted. */
export type LoadOrder = {
  port: number
  clients: number
  seconds: number
  warmUpSeconds: number
  method: string
  headers: Record<string, string>
  paths: string[]
  bodies: string[]
}

/** `answered` counts every request of the order, the warm-up's too; the rest is of those counted. Milliseconds. */
export type LoadResult = { answered: number; perSecond: number; p50: number; p99: number; bytes: number }

export type LoadClient = { run(order: LoadOrder): Promise<LoadResult>; stop(): void }

/** Starts the process that the load comes from. It serves all orders of a benchmark, so its code is warm for each. */
export const startLoadClient = (): LoadClient => {
  const child = fork(fileURLToPath(new URL('load-client.ts', import.meta.url)), { execArgv: [] })
  return {
    run: async (order) => {
      const answer = once(child, 'message')
      child.send(order)
      const [{ result, error }] = (await answer) as [{ result?: LoadResult; error?: string }]
      if (!result) throw new Error(`the load on port ${order.port} failed: ${error}`)
      return result
    },
    stop: () => void child.kill(),
  }
}
