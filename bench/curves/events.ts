import { type Bench, type Curve, interleave } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createCpuReaders } from '../parts/costs.ts'
import { fillStream } from '../parts/fill-stream.ts'
import { invoiceBodies } from '../parts/invoices.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { createRequests, type ReadCpu } from '../parts/subject.ts'
import { createTails, startTailClient, type TailClient } from '../parts/tail.ts'

const brain = 'growing'
const path = `/v1/brains/${brain}`
const readRecords = 64

/** What is asked of Noema, and the statements of the floor that bring the same rows. */
type Read = { what: string; paths: string[]; floorPaths: string[] }

/** Records that stand apart, so that reads of them are not all of the same pages of the disk. */
const selectSpread = async ({ pool }: ScratchDatabase, brainId: number, events: number): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select event -> 'data' -> 'record' ->> 'id' as id from events where brain_id = $1
       and position = any(array(select 1 + (number * $2::bigint) / $3 from generate_series(0, $3 - 1) as number))
     order by position`,
    [brainId, events, readRecords],
  )
  return rows.map(({ id }) => id)
}

const listReads = async (database: ScratchDatabase, brainId: number, events: number): Promise<Read[]> => {
  const middle = Math.floor(events / 2)
  const { rows } = await database.pool.query<{ cursor: string }>(
    `select event ->> 'cursor' as cursor from events where brain_id = $1 and position = $2`,
    [brainId, middle],
  )
  const ids = await selectSpread(database, brainId, events)
  const page = (query: string, at: number) => ({ paths: [`${path}/events?${query}`], floorPaths: [`/page?at=${at}`] })
  return [
    { what: 'the first page of 500 events', ...page('limit=500', 0) },
    { what: 'a page from the middle', ...page(`limit=500&after=${rows[0]?.cursor}`, middle) },
    { what: 'the last page', ...page('newest=500', Math.max(0, events - 500)) },
    {
      what: 'one record',
      paths: ids.map((id) => `${path}/records/${id}`),
      floorPaths: ids.map((id) => `/record?at=${id}`),
    },
    { what: 'the first 100 records', paths: [`${path}/records?limit=100`], floorPaths: ['/list?at='] },
    { what: 'the last 100 records', paths: [`${path}/records?limit=100&order=desc`], floorPaths: ['/last?at=~'] },
    { what: 'the Brain, with its counts', paths: [path], floorPaths: ['/count?at='] },
  ]
}

type Servers = {
  toReadCpu(server: ServerProcess): ReadCpu
  noema: Noema
  reads: ServerProcess
  writes: ServerProcess
  tail: ServerProcess
  client: TailClient
}

/** All that is measured of a Brain of some size, one thing after the other. */
const measure = async (bench: Bench, servers: Servers, reads: readonly Read[]): Promise<Comparison[]> => {
  const { noema, client } = servers
  const headers = { authorization: `Bearer ${noema.key}` }
  const comparisons: Comparison[] = []
  const { toReadCpu } = servers
  for (const { what, paths, floorPaths } of reads) {
    const order = { clients: 1, method: 'GET', bodies: [] }
    const mine = createRequests(bench, 'Noema', {
      unit: 'reads',
      order: { ...order, ports: [noema.port], headers, paths },
      readCpu: toReadCpu(noema),
    })
    const floorOrder = { ...order, ports: [servers.reads.port], headers: {}, paths: floorPaths }
    const floor = createRequests(bench, 'raw SQL', {
      unit: 'reads',
      order: floorOrder,
      readCpu: toReadCpu(servers.reads),
    })
    await interleave(bench.effort.repetitions, [mine.turn, floor.turn])
    comparisons.push(
      { what: `${what}: p50`, noema: mine.p50, floor: floor.p50 },
      { what: `${what}: CPU`, noema: mine.cpu, floor: floor.cpu },
    )
  }
  const tails = createTails(bench, client, {
    ...{ name: 'Noema', server: noema, tails: 1, headers },
    ...{ tailPath: `${path}/events?newest=0`, writePath: `${path}/records` },
  })
  const floorTails = createTails(bench, client, { name: 'raw SQL', server: servers.tail, tails: 1 })
  await interleave(bench.effort.repetitions, [tails.turn, floorTails.turn])
  comparisons.push({ what: 'from a write to a live tail: p50', noema: tails.p50, floor: floorTails.p50 })
  const order = { clients: 1, method: 'POST', bodies: invoiceBodies }
  const writesTo = (name: string, server: ServerProcess, where: string, by: Record<string, string>) =>
    createRequests(bench, name, {
      unit: 'writes',
      order: { ...order, ports: [server.port], headers: by, paths: [where] },
      readCpu: toReadCpu(server),
    })
  const writes = writesTo('Noema', noema, `${path}/records`, headers)
  const floorWrites = writesTo('raw SQL', servers.writes, '/', {})
  await interleave(bench.effort.repetitions, [writes.turn, floorWrites.turn])
  return [
    ...comparisons,
    { what: 'a write: p50', noema: writes.p50, floor: floorWrites.p50 },
    { what: 'a write: CPU', noema: writes.cpu, floor: floorWrites.cpu },
  ]
}

const runAt = async (bench: Bench, events: number): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase(`events_${events}`)
  const noema = await startNoema(database, bench.profileFolder, { NOEMA_EMBEDDINGS: 'off', NOEMA_ROLES: 'http' })
  const client = startTailClient()
  const started: ServerProcess[] = [noema]
  const start = async (script: string, args: string[]) => {
    const server = await startServer({ script: `bench/floors/${script}.ts`, args: [database.url, ...args] })
    started.push(server)
    return server
  }
  try {
    const brainId = await fillStream(noema, database, { brain, events })
    const servers = {
      ...{ noema, client, toReadCpu: await createCpuReaders(database) },
      reads: await start('reads-server', [String(brainId)]),
      writes: await start('writes-server', ['256', 'written']),
      tail: await start('tail-server', ['tailed', 'memory']),
    }
    return await measure(bench, servers, await listReads(database, brainId, events))
  } finally {
    client.stop()
    for (const server of started) await server.stop()
    await bench.postgres.dropDatabase(database)
  }
}

export const events: Curve = {
  name: 'events',
  of: 'events',
  sizes: [1_000, 10_000, 100_000, 1_000_000],
  about:
    'Work that takes longer the more events a Brain has: reads, writes and live tails of one client, next to a Brain that was filled through the API, a record for each event.',
  floor:
    'node:http and pg: the same rows of the same tables by the statement that needs least, without keys, cursors, checks or a look at the Brain; writes go to a Brain of their own in the same tables, and the tail is told in the process that writes. Counts are counted.',
  runAt,
}
