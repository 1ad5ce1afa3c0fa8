import { insertBareBrain } from '../floors/brain.ts'
import { differingRows } from '../floors/check-rows.ts'
import { createBatchInserter } from '../floors/insert-batches.ts'
import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { makeBatch } from '../parts/invoices.ts'
import { startNoema } from '../parts/noema.ts'
import { createScratchFile } from '../parts/scratch-file.ts'
import { createRequests, createTimed } from '../parts/subject.ts'

const size = 1_000
const body = JSON.stringify(makeBatch(size))

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('batch_noema')
  const noema = await startNoema(database, bench.profileFolder)
  const bare = await bench.postgres.createDatabase('batch_bare')
  const { file, remove } = await createScratchFile('batch.db')
  const sqlite = await startServer({ script: 'bench/peers/sqlite-server.ts', args: [file] })
  const batchesTo = (name: string, port: number, path: string, headers: Record<string, string>) => {
    const order = { ports: [port], clients: 1, method: 'POST', headers, paths: [path], bodies: [body] }
    return createRequests(bench, name, { unit: 'batches', order })
  }
  try {
    await noema.call('PUT', '/v1/brains/batch', {})
    const mine = batchesTo('Noema', noema.port, '/v1/brains/batch/batch', { authorization: `Bearer ${noema.key}` })
    const floor = createTimed(
      bench,
      'raw insert',
      createBatchInserter(bare.pool, await insertBareBrain(bare.pool), size),
    )
    const peer = batchesTo('SQLite', sqlite.port, '/', {})
    await interleave(bench.effort.repetitions, [mine.turn, floor.turn, peer.turn])
    for (const difference of await differingRows(database, bare)) bench.note(`a stale floor: ${difference}`)
    const target = { min: 0.3 }
    return [{ what: `a batch of ${size}: p50`, noema: mine.p50, floor: floor.p50, peer: peer.p50, target }]
  } finally {
    for (const server of [noema, sqlite]) await server.stop()
    await remove()
  }
}

export const batch: Benchmark = {
  name: 'batch',
  about: `A batch of ${size.toLocaleString('en')} new records over HTTP, one change, acknowledged after its commit is on disk.`,
  floor:
    'pg alone, in this process: the same rows of the same tables by one prepared multi-row statement in a transaction. The rows are made beforehand; there is no HTTP, no parsing and no answer.',
  peer: 'SQLite behind node:http: the same body, a transaction of 1,000 records and their events. No versions, changes or keys.',
  run,
}
