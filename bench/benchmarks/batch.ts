import { insertBareBrain } from '../floors/brain.ts'
import { differingRows } from '../floors/check-rows.ts'
import { insertRows } from '../floors/insert-rows.ts'
import { nextChangeId, toRows } from '../floors/rows.ts'
import { type Bench, type Benchmark, type Comparison, interleave, type Series, type Turn } from '../parts/benchmark.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { median } from '../parts/statistics.ts'

const size = 1_000

const makeFields = (index: number) => ({
  number: `INV-2026-${String(index).padStart(6, '0')}`,
  customer: `Customer number ${index} of the northern region`,
  amount: 1234.5 + index,
  currency: 'EUR',
  status: index % 3 === 0 ? 'paid' : 'open',
  note: 'Sent by mail; payable within thirty days.',
})

const records = Array.from({ length: size }, (_, index) => ({ kind: 'invoice', fields: makeFields(index) }))
const body = JSON.stringify({ operations: records.map((record) => ({ op: 'record.create', ...record })) })

/** One client sends batch after batch. Answers milliseconds a batch, the middle of the turn. */
const measureNoema = async ({ load, effort }: Bench, noema: Noema): Promise<number> => {
  const headers = { authorization: `Bearer ${noema.key}` }
  const paths = ['/v1/brains/batch/batch']
  const order = { port: noema.port, clients: 1, method: 'POST', headers, paths, bodies: [body] }
  return (await load.run({ ...order, ...effort })).p50
}

/** Inserts batch after batch; the rows are made before the clock starts. */
const bareInserter = (pool: ScratchDatabase['pool'], brainId: number) => {
  let batches = 0
  let position = 0
  return async (): Promise<number> => {
    const at = new Date().toISOString()
    const stateVersion = ++batches
    const change = nextChangeId()
    const rows = records.map((record) => toRows(record, { change, stateVersion, position: ++position, at }))
    const statement = insertRows({ brainId, at, rows, writesToday: position })
    const startedAt = performance.now()
    await pool.query(statement)
    return performance.now() - startedAt
  }
}

const measureInserts = async ({ effort }: Bench, insert: () => Promise<number>): Promise<number> => {
  const warmUntil = performance.now() + effort.warmUpSeconds * 1000
  while (performance.now() < warmUntil) await insert()
  const until = performance.now() + effort.seconds * 1000
  const times: number[] = []
  while (performance.now() < until) times.push(await insert())
  return median(times)
}

const keep =
  (series: Series, measure: () => Promise<number>): Turn =>
  async (counts) => {
    const value = await measure()
    if (counts) series.values.push(value)
  }

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('batch_noema')
  const noema = await startNoema(database, bench.profileFolder)
  const bare = await bench.postgres.createDatabase('batch_bare')
  const insert = bareInserter(bare.pool, await insertBareBrain(bare.pool))
  const mine: Series = { name: 'noema', unit: 'ms', better: 'less', values: [] }
  const floor: Series = { name: 'raw insert', unit: 'ms', better: 'less', values: [] }
  try {
    await noema.call('PUT', '/v1/brains/batch', {})
    await interleave(bench.effort.repetitions, [
      keep(mine, () => measureNoema(bench, noema)),
      keep(floor, () => measureInserts(bench, insert)),
    ])
    for (const difference of await differingRows(database, bare)) bench.note(`a stale floor: ${difference}`)
  } finally {
    await noema.stop()
  }
  return [{ what: `a batch of ${size}: p50`, noema: mine, floor, target: { min: 0.3 } }]
}

export const batch: Benchmark = {
  name: 'batch',
  about: `A batch of ${size.toLocaleString('en')} new records over HTTP, one change, acknowledged after its commit is on disk.`,
  floor:
    'pg alone, in this process: the same rows of the same tables by one prepared multi-row statement in a transaction. The rows are made beforehand; there is no HTTP, no parsing and no answer.',
  run,
}
