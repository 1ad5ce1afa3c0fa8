import { differingRows } from '../floors/check-rows.ts'
import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import { invoiceBodies } from '../parts/invoices.ts'
import { startNoema } from '../parts/noema.ts'
import { createScratchFile } from '../parts/scratch-file.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { type Answered, createRequests } from '../parts/subject.ts'

const many = 64

type Subject = { name: string; server: ServerProcess; path?: string; headers?: Record<string, string> }

/** Writes of so many clients to a server. */
const createWrites = async (
  bench: Bench,
  database: ScratchDatabase,
  { name, server, path = '/', headers = {} }: Subject,
  { clients, onAnswered }: { clients: number; onAnswered?: (count: number) => void },
): Promise<Answered> => {
  const readPostgres = await createPostgresCpu(database)
  const order = { ports: [server.port], clients, method: 'POST', headers, paths: [path], bodies: invoiceBodies }
  const readCpu = () => ({
    ...{ server: server.cpuMilliseconds(), PostgreSQL: readPostgres(), load: bench.load.cpuMilliseconds() },
  })
  return createRequests(bench, name, { unit: 'writes', order, readCpu }, onAnswered)
}

/** Every acknowledged write must be in the database, or the rate is meaningless. */
const checkWritten = async ({ pool }: ScratchDatabase, acknowledged: number): Promise<void> => {
  const { rows } = await pool.query(`select count(*) as count from events`)
  const { count } = rows[0]
  if (Number(count) !== acknowledged)
    throw new Error(`${acknowledged} writes were acknowledged, ${count} events are there`)
}

const compare = (clients: string, mine: Answered, floor: Answered, peer: Answered, min?: number): Comparison[] => [
  {
    ...{ what: `${clients}: writes/s`, noema: mine.perSecond, floor: floor.perSecond, peer: peer.perSecond },
    ...{ cores: mine.cores(), target: min === undefined ? undefined : { min } },
  },
  { what: `${clients}: p50`, noema: mine.p50, floor: floor.p50, peer: peer.p50 },
  { what: `${clients}: p99`, noema: mine.p99, floor: floor.p99, peer: peer.p99 },
  { what: `${clients}: CPU of server and PostgreSQL a write`, noema: mine.cpu, floor: floor.cpu, peer: peer.cpu },
]

const startFloor = ({ url }: ScratchDatabase, maxInGroup: number) =>
  startServer({ script: 'bench/floors/writes-server.ts', args: [url, String(maxInGroup)] })

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('writes_noema')
  const noema = await startNoema(database, bench.profileFolder)
  await noema.call('PUT', '/v1/brains/writes', {})
  const headers = { authorization: `Bearer ${noema.key}` }
  const mine: Subject = { name: 'Noema', server: noema, path: '/v1/brains/writes/records', headers }
  const floorDatabase = await bench.postgres.createDatabase('writes_grouped')
  const grouped: Subject = { name: 'in groups', server: await startFloor(floorDatabase, 256) }
  const ungrouped: Subject = {
    ...{ name: 'one each', server: await startFloor(await bench.postgres.createDatabase('writes_one_each'), 1) },
  }
  const { file, remove } = await createScratchFile('writes.db')
  const script = 'bench/peers/sqlite-server.ts'
  const sqlite: Subject = { name: 'SQLite', server: await startServer({ script, args: [file] }) }
  let acknowledged = 0
  const onAnswered = (count: number) => {
    acknowledged += count
  }
  const subjects = [mine, grouped, ungrouped, sqlite]
  const create = (subject: Subject, clients: number) =>
    createWrites(bench, database, subject, { clients, ...(subject === mine ? { onAnswered } : {}) })
  try {
    const [us, floor, oneEach, peer] = await Promise.all(
      [mine, grouped, ungrouped, sqlite].map((one) => create(one, many)),
    )
    const [alone, floorAlone, peerAlone] = await Promise.all([mine, grouped, sqlite].map((one) => create(one, 1)))
    if (!us || !floor || !oneEach || !peer || !alone || !floorAlone || !peerAlone) return []
    const turns = [us, floor, oneEach, peer, alone, floorAlone, peerAlone]
    await interleave(
      bench.effort.repetitions,
      turns.map(({ turn }) => turn),
    )
    await checkWritten(database, acknowledged)
    for (const difference of await differingRows(database, floorDatabase)) bench.note(`a stale floor: ${difference}`)
    const beside = { floor: oneEach.perSecond, target: { min: 10 } }
    return [
      ...compare(`${many} clients`, us, floor, peer, 0.5),
      { what: `${many} clients and a transaction for each write`, noema: us.perSecond, ...beside },
      ...compare('1 client', alone, floorAlone, peerAlone),
    ]
  } finally {
    for (const { server } of subjects) await server.stop()
    await remove()
  }
}

export const writes: Benchmark = {
  name: 'writes',
  about: 'Single records written into one Brain over HTTP, each acknowledged after its commit is on disk.',
  floor:
    'node:http and pg in one process: parses the same body, writes the same rows of the same tables in groups by one prepared statement, answers as much JSON. No keys, checks, signed cursors or lock; positions are kept in memory.',
  peer: 'SQLite behind node:http, a transaction on disk for each write: no versions, changes or keys.',
  run,
}
