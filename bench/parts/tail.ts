import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Bench, Turn } from './benchmark.ts'
import type { ServerProcess } from './child.ts'
import type { Series } from './comparison.ts'
import { createSeries } from './subject.ts'

/** An order for the tail client: the number of open tails while one writer writes record after record. */
export type TailOrder = {
  port: number
  tails: number
  headers: Record<string, string>
  tailPath: string
  writePath: string
  body: string
  seconds: number
  warmUpSeconds: number
}

/** Milliseconds from sending a write until every tail has its event and the writer its answer. */
export type TailResult = { p50: number; p99: number }

export type TailClient = { run(order: TailOrder): Promise<TailResult>; stop(): void }

/** Starts the process that the tails and the writer are of. */
export const startTailClient = (): TailClient => {
  const child = fork(fileURLToPath(new URL('tail-client.ts', import.meta.url)), { execArgv: [] })
  return {
    run: async (order) => {
      const answer = once(child, 'message')
      child.send(order)
      const [{ result, error }] = (await answer) as [{ result?: TailResult; error?: string }]
      if (!result) throw new Error(`the tails of port ${order.port} failed: ${error}`)
      return result
    },
    stop: () => void child.kill(),
  }
}

type Tailed = {
  name: string
  server: ServerProcess
  tails: number
  headers?: Record<string, string>
  tailPath?: string
  writePath?: string
}

const body = JSON.stringify({ kind: 'invoice', fields: { number: 'INV-2026-000001', status: 'open' } })

/** The way of one event from a write to so many tails of a server. */
export const createTails = (
  { effort }: Bench,
  client: TailClient,
  { name, server, tails, headers = {}, tailPath = '/', writePath = '/' }: Tailed,
): { p50: Series; p99: Series; turn: Turn } => {
  const [p50, p99] = [createSeries(name, 'ms', 'less'), createSeries(name, 'ms', 'less')]
  const order = { port: server.port, tails, headers, tailPath, writePath, body }
  const turn: Turn = async (counts) => {
    const result = await client.run({ ...order, ...effort })
    if (!counts) return
    p50.values.push(result.p50)
    p99.values.push(result.p99)
  }
  return { p50, p99, turn }
}
