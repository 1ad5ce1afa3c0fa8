import { differingRows } from '../floors/check-rows.ts'
import { type Bench, type Benchmark, type Comparison, interleave, type Series, type Turn } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { LoadOrder } from '../parts/load.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'

/** Bodies with some 200 bytes of fields. */
const bodies = Array.from({ length: 64 }, (_, index) =>
  JSON.stringify({
    kind: 'invoice',
    fields: {
      number: `INV-2026-${String(index).padStart(6, '0')}`,
      customer: `Customer number ${index} of the northern region`,
      amount: 1234.5 + index,
      currency: 'EUR',
      status: index % 3 === 0 ? 'paid' : 'open',
      note: 'Sent by mail; payable within thirty days.',
    },
  }),
)

type Subject = { name: string; server: ServerProcess; order: Omit<LoadOrder, 'clients' | 'seconds' | 'warmUpSeconds'> }
type Measured = { perSecond: Series; p50: Series; p99: Series; cpu: Series }

const series = (name: string, unit: string, better: Series['better']): Series => ({ name, unit, better, values: [] })

const emptyMeasured = (name: string): Measured => ({
  perSecond: series(name, 'writes/s', 'more'),
  p50: series(name, 'ms', 'less'),
  p99: series(name, 'ms', 'less'),
  cpu: series(name, 'µs', 'less'),
})

/** Measures a subject once and keeps the figures. Answers how many writes were acknowledged. */
const measure = async (
  bench: Bench,
  subject: Subject,
  { clients, into }: { clients: number; into: Measured | undefined },
): Promise<number> => {
  const cpuBefore = subject.server.cpuMilliseconds()
  const result = await bench.load.run({ ...subject.order, ...bench.effort, clients })
  const cpuAfter = subject.server.cpuMilliseconds()
  if (!into) return result.answered
  into.perSecond.values.push(result.perSecond)
  into.p50.values.push(result.p50)
  into.p99.values.push(result.p99)
  if (cpuBefore !== undefined && cpuAfter !== undefined)
    into.cpu.values.push(((cpuAfter - cpuBefore) * 1000) / result.answered)
  return result.answered
}

const noemaSubject = async (noema: Noema): Promise<Subject> => {
  await noema.call('PUT', '/v1/brains/writes', {})
  const headers = { authorization: `Bearer ${noema.key}` }
  const order = { port: noema.port, method: 'POST', headers, paths: ['/v1/brains/writes/records'], bodies }
  return { name: 'noema', server: noema, order }
}

const floorSubject = async ({ url }: ScratchDatabase, name: string, maxInGroup: number): Promise<Subject> => {
  const server = await startServer({ script: 'bench/floors/writes-server.ts', args: [url, String(maxInGroup)] })
  const order = { port: server.port, method: 'POST', headers: {}, paths: ['/'], bodies }
  return { name, server, order }
}

/** What was acknowledged must be in the database, or the rate is of something else. */
const checkWritten = async ({ pool }: ScratchDatabase, acknowledged: number): Promise<void> => {
  const { rows } = await pool.query(`select count(*) as count from events`)
  const { count } = rows[0]
  if (Number(count) !== acknowledged)
    throw new Error(`${acknowledged} writes were acknowledged, ${count} events are there`)
}

const compare = (clients: string, mine: Measured, floor: Measured, target?: Comparison['target']): Comparison[] => [
  { what: `${clients}: writes/s`, noema: mine.perSecond, floor: floor.perSecond, target },
  { what: `${clients}: p50`, noema: mine.p50, floor: floor.p50 },
  { what: `${clients}: p99`, noema: mine.p99, floor: floor.p99 },
  { what: `${clients}: server CPU a write`, noema: mine.cpu, floor: floor.cpu },
]

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('writes_noema')
  const noema = await startNoema(database, bench.profileFolder)
  const mine = await noemaSubject(noema)
  const floorDatabase = await bench.postgres.createDatabase('writes_grouped')
  const grouped = await floorSubject(floorDatabase, 'floor', 256)
  const ungrouped = await floorSubject(await bench.postgres.createDatabase('writes_one_each'), 'one each', 1)
  const many = { mine: emptyMeasured('noema'), grouped: emptyMeasured('floor'), ungrouped: emptyMeasured('one each') }
  const one = { mine: emptyMeasured('noema'), grouped: emptyMeasured('floor') }
  let acknowledged = 0
  const turn =
    (subject: Subject, clients: number, into: Measured): Turn =>
    async (counts) => {
      const answered = await measure(bench, subject, { clients, into: counts ? into : undefined })
      if (subject === mine) acknowledged += answered
    }
  try {
    await interleave(bench.effort.repetitions, [
      turn(mine, 64, many.mine),
      turn(grouped, 64, many.grouped),
      turn(ungrouped, 64, many.ungrouped),
      turn(mine, 1, one.mine),
      turn(grouped, 1, one.grouped),
    ])
    await checkWritten(database, acknowledged)
    for (const difference of await differingRows(database, floorDatabase)) bench.note(`a stale floor: ${difference}`)
  } finally {
    for (const { server } of [mine, grouped, ungrouped]) await server.stop()
  }
  return [
    ...compare('64 clients', many.mine, many.grouped, { min: 0.5 }),
    {
      what: '64 clients: times one transaction a write',
      noema: many.mine.perSecond,
      floor: many.ungrouped.perSecond,
      target: { min: 10 },
    },
    ...compare('1 client', one.mine, one.grouped),
  ]
}

export const writes: Benchmark = {
  name: 'writes',
  about: 'Single records written into one Brain over HTTP, each acknowledged after its commit is on disk.',
  floor:
    'node:http and pg in one process: parses the same body, writes the same rows of the same tables in groups by one prepared statement, answers as much JSON. No keys, checks, signed cursors or lock; positions are kept in memory.',
  run,
}
