import { insertBareBrain } from '../floors/brain.ts'
import { createBatchInserter } from '../floors/insert-batches.ts'
import type { Bench as AnyBench, Turn } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Series } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { createRequests, createTimed } from '../parts/subject.ts'
import { batchSize, type Case, type Filled, type Measure } from './cases.ts'
import type { Node } from './nodes.ts'

/** `share`: how much of a full turn's requests a turn sends. */
export type Bench = AnyBench & { share: number }

/** One side of a case: what measures it once, and its figures, a value for each round that counts. */
export type Subject = { turn: Turn; series(): Partial<Record<Measure, Series>> }

/** The nodes of one checkout; the second is there for searches alone. */
export type Nodes = { plain: Node; search: Node | undefined }

/** The floor's servers, and its database of writes. */
type Floors = { reads: ServerProcess; writes: ServerProcess; search: ServerProcess | undefined; bare: ScratchDatabase }

const vectorLength = '384'
const maxInGroup = '256'
const reconnectShare = 0.1

export const startFloors = async ({ postgres }: Bench, { plain, search }: Nodes): Promise<Floors> => {
  const bare = await postgres.createDatabase('floor')
  const start = (script: string, ...args: string[]) => startServer({ script: `bench/floors/${script}`, args })
  return {
    bare,
    reads: await start('requests-server.ts', plain.database.url, String(plain.brainId)),
    writes: await start('writes-server.ts', bare.url, maxInGroup),
    search: search && (await start('search-server.ts', search.database.url, String(search.brainId), vectorLength)),
  }
}

type Served = {
  name: string
  server: ServerProcess
  headers?: Record<string, string>
  sent: ReturnType<Case['toRequests']>
}

/** Requests to a server that runs in its own turns only: the background work of the others would be counted as PostgreSQL's. */
const createServed = async (
  bench: Bench,
  { clients, count }: Case,
  { name, server, headers = {}, sent }: Served,
  database: ScratchDatabase,
): Promise<Subject> => {
  const readPostgres = await createPostgresCpu(database)
  const readCpu = () => ({ service: server.cpuMilliseconds(), postgres: readPostgres() })
  const order = { ports: [server.port], clients, headers, ...sent }
  const create = (share: number) =>
    createRequests(bench, name, { unit: 'requests', order: { ...order, count: count * share }, readCpu })
  const { perSecond, p50, p99, cpuBy, turn } = create(bench.share)
  const { turn: warmUp } = create(1)
  // Connections to the database may have been closed in the pause; opening them again is no part of a request.
  const { turn: reconnect } = create(reconnectShare)
  return {
    series: () => ({ rate: perSecond, p50, p99, ...cpuBy }),
    turn: async (counts) => {
      server.resume()
      try {
        await (counts ? reconnect : warmUp)(false)
        if (counts) await turn(true)
      } finally {
        server.pause()
      }
    },
  }
}

export const createNoema = (bench: Bench, one: Case, { plain, search }: Nodes, filled: Filled): Promise<Subject> => {
  const node = one.isSearch ? search : plain
  if (!node) throw new Error(`${one.name} has no node`)
  const headers = { authorization: `Bearer ${node.noema.key}` }
  const served = { name: 'Noema', server: node.noema, headers, sent: one.toRequests(filled) }
  return createServed(bench, one, served, node.database)
}

/** Batches inserted by this process: the rows are made beforehand, and there is no HTTP. */
const createInserts = async (bench: Bench, { bare }: Floors): Promise<Subject> => {
  const readPostgres = await createPostgresCpu(bare)
  const insert = createBatchInserter(bare.pool, await insertBareBrain(bare.pool, 'batches'), batchSize)
  const { p50, p99, cpuBy, turn } = createTimed(bench, 'floor', insert, () => ({ postgres: readPostgres() }))
  const toRate = (): Series => ({ ...p50, unit: '/s', better: 'more', values: p50.values.map((time) => 1000 / time) })
  return { turn, series: () => ({ rate: toRate(), p50, p99, ...cpuBy }) }
}

export const createFloor = async (
  bench: Bench,
  one: Case,
  floors: Floors,
  { key, filled }: { key: string; filled: Filled },
): Promise<Subject> => {
  if (one.floor === 'inserts') return createInserts(bench, floors)
  const server = floors[one.floor]
  if (!server) throw new Error(`${one.name} has no floor`)
  const headers = { authorization: `Bearer ${key}` }
  return createServed(bench, one, { name: 'floor', server, headers, sent: one.toFloorRequests(filled) }, floors.bare)
}
