import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import type { Comparison } from '../parts/comparison.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import { createRequests } from '../parts/subject.ts'

const versions = 1_000
const path = '/v1/brains/states/records/one'

/** Reads of the one record, by one client after the other's answer. */
const makeReads = (bench: Bench, noema: Noema, name: string, query: string) => {
  const headers = { authorization: `Bearer ${noema.key}` }
  const order = { ports: [noema.port], clients: 1, method: 'GET', headers, paths: [`${path}${query}`], bodies: [] }
  return createRequests(bench, name, { unit: 'reads', order })
}

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('states')
  const noema = await startNoema(database, bench.profileFolder)
  try {
    await noema.call('PUT', '/v1/brains/states', {})
    for (let version = 1; version <= versions; version++)
      await noema.call('PUT', path, { kind: 'invoice', fields: { version, note: 'Payable within thirty days.' } })
    await database.pool.query('vacuum analyze')
    const current = makeReads(bench, noema, 'current', '')
    const [first, middle] = [1, versions / 2].map((state) => makeReads(bench, noema, `asOf ${state}`, `?asOf=${state}`))
    if (!first || !middle) return []
    await interleave(bench.effort.repetitions, [current.turn, first.turn, middle.turn])
    const target = { min: 0.33 }
    return [first, middle].map(({ p50 }) => ({ what: `${p50.name}: p50`, noema: p50, floor: current.p50, target }))
  } finally {
    await noema.stop()
  }
}

export const states: Benchmark = {
  name: 'states',
  about: `A record with ${versions.toLocaleString('en')} versions, read as of an earlier state.`,
  floor: 'The same record as it is now, from the same server.',
  run,
}
