import { type Bench, type Benchmark, type Comparison, interleave, type Series } from '../parts/benchmark.ts'
import { startServer } from '../parts/child.ts'
import { startNoema } from '../parts/noema.ts'

const body = JSON.stringify({
  kind: 'invoice',
  fields: {
    number: 'INV-2026-000001',
    customer: 'Customer number 1 of the northern region',
    amount: 1234.5,
    currency: 'EUR',
    status: 'open',
    note: 'Sent by mail; payable within thirty days.',
  },
})

const writesPerSecond = (name: string): Series => ({ name, unit: 'writes/s', better: 'more', values: [] })

const run = async (bench: Bench, folder: string): Promise<Comparison[]> => {
  const { url } = await bench.postgres.createDatabase('peer_emmett')
  const noema = await startNoema(await bench.postgres.createDatabase('peer_noema'), bench.profileFolder)
  const peer = await startServer({ script: 'bench/peers/emmett-server.ts', args: [url, folder] })
  const orders = {
    noema: { port: noema.port, headers: { authorization: `Bearer ${noema.key}` }, paths: ['/v1/brains/peer/records'] },
    peer: { port: peer.port, headers: {}, paths: ['/'] },
  }
  const comparisons: Comparison[] = []
  try {
    await noema.call('PUT', '/v1/brains/peer', {})
    for (const clients of [64, 1]) {
      const series = { noema: writesPerSecond('noema'), peer: writesPerSecond('Emmett') }
      const turn = (who: 'noema' | 'peer') => async (counts: boolean) => {
        const order = { ...orders[who], ...bench.effort, clients, method: 'POST', bodies: [body] }
        const { perSecond } = await bench.load.run(order)
        if (counts) series[who].values.push(perSecond)
      }
      await interleave(bench.effort.repetitions, [turn('noema'), turn('peer')])
      comparisons.push({ what: `${clients} clients: writes/s`, noema: series.noema, floor: series.peer })
    }
  } finally {
    for (const server of [noema, peer]) await server.stop()
  }
  return comparisons
}

/** Noema beside the event store of @event-driven-io/emmett-postgresql, which is installed in `folder`. */
export const emmett = (folder: string): Benchmark => ({
  name: 'emmett',
  about:
    'Single writes over HTTP, each acknowledged after its commit, against an event store that one could use instead.',
  floor:
    'node:http around appendToStream over the same PostgreSQL: no keys, no records, statements or changes; one event a write, and a stream for each client where Noema orders all writes in one.',
  run: (bench) => run(bench, folder),
})
