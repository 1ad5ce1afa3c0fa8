import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { startNoema } from '../parts/noema.ts'
import { createTails, startTailClient } from '../parts/tail.ts'

const path = '/v1/brains/tailed'

const run = async (bench: Bench): Promise<Comparison[]> => {
  const noema = await startNoema(await bench.postgres.createDatabase('tail_noema'), bench.profileFolder)
  const { url } = await bench.postgres.createDatabase('tail_floor')
  const client = startTailClient()
  const servers: ServerProcess[] = [noema]
  const start = async (way: string) => {
    const server = await startServer({ script: 'bench/floors/tail-server.ts', args: [url, way, way] })
    servers.push(server)
    return server
  }
  try {
    await noema.call('PUT', path, {})
    const [memory, notify] = [await start('memory'), await start('notify')]
    const headers = { authorization: `Bearer ${noema.key}` }
    const paths = { tailPath: `${path}/events?newest=0`, writePath: `${path}/records` }
    const comparisons: Comparison[] = []
    for (const tails of [1, 100]) {
      const mine = createTails(bench, client, { name: 'Noema', server: noema, tails, headers, ...paths })
      const floor = createTails(bench, client, { name: 'in the process', server: memory, tails })
      const peer = createTails(bench, client, { name: 'LISTEN/NOTIFY', server: notify, tails })
      await interleave(bench.effort.repetitions, [mine.turn, floor.turn, peer.turn])
      const what = tails === 1 ? 'from a write to its tail' : `from a write to the last of ${tails} tails`
      comparisons.push(
        { what: `${what}: p50`, noema: mine.p50, floor: floor.p50, peer: peer.p50 },
        { what: `${what}: p99`, noema: mine.p99, floor: floor.p99, peer: peer.p99 },
      )
    }
    return comparisons
  } finally {
    client.stop()
    for (const server of servers) await server.stop()
  }
}

export const tail: Benchmark = {
  name: 'tail',
  about:
    'From sending a write until its event is at every live tail of the Brain, over Server-Sent Events; one writer, who waits for all tails before the next write.',
  floor:
    'node:http and pg: one process writes the same rows by one statement and hands the event to its own tails after the commit. No keys, cursors or order of other nodes’ writes, and no tail that falls behind.',
  peer: 'What one would write for several processes: the transaction also notifies, and a connection that listens reads the event and hands it on. Each notification is sent alone, and one that is missed is lost.',
  run,
}
