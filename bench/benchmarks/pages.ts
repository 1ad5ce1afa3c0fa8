import { type Bench, type Benchmark, type Comparison, interleave, type Series, type Turn } from '../parts/benchmark.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import { type Noema, startNoema } from '../parts/noema.ts'

const eventCount = 100_000
const batchSize = 1_000
const pageSize = 500

const makeBatch = (first: number) => ({
  operations: Array.from({ length: batchSize }, (_, index) => ({
    op: 'record.create',
    kind: 'invoice',
    fields: { number: first + index, customer: `Customer ${index}`, status: 'open' },
  })),
})

/** Fills a Brain through the front door. */
const fillBrain = async (noema: Noema): Promise<void> => {
  await noema.call('PUT', '/v1/brains/pages', {})
  for (let first = 0; first < eventCount; first += batchSize)
    await noema.call('POST', '/v1/brains/pages/batch', makeBatch(first))
}

type Page = { events: unknown[]; cursor: string; hasMore: boolean }

/** The path of every page of the stream, as a reader that follows the cursors asks for them. */
const walkPages = async (noema: Noema): Promise<string[]> => {
  const paths: string[] = []
  let seen = 0
  for (let path = `/v1/brains/pages/events?limit=${pageSize}`; ; ) {
    const page = await noema.call<Page>('GET', path)
    if (page.events.length === pageSize) paths.push(path)
    seen += page.events.length
    if (!page.hasMore) break
    path = `/v1/brains/pages/events?limit=${pageSize}&after=${page.cursor}`
  }
  if (seen !== eventCount) throw new Error(`${eventCount} events were written, ${seen} were read`)
  return paths
}

type Subject = {
  server: ServerProcess
  headers: Record<string, string>
  paths: string[]
  perSecond: Series
  cpu: Series
}

const subject = (name: string, server: ServerProcess, paths: string[], headers = {}): Subject => ({
  server,
  headers,
  paths,
  perSecond: { name, unit: 'pages/s', better: 'more', values: [] },
  cpu: { name, unit: 'µs', better: 'less', values: [] },
})

const turn =
  (bench: Bench, { server, headers, paths, perSecond, cpu }: Subject, clients: number): Turn =>
  async (counts) => {
    const before = server.cpuMilliseconds()
    const order = { port: server.port, method: 'GET', headers, paths, bodies: [], clients, ...bench.effort }
    const result = await bench.load.run(order)
    const after = server.cpuMilliseconds()
    if (!counts) return
    perSecond.values.push(result.perSecond)
    if (before !== undefined && after !== undefined) cpu.values.push(((after - before) * 1000) / result.answered)
  }

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('pages')
  const noema = await startNoema(database, bench.profileFolder)
  await fillBrain(noema)
  const paths = await walkPages(noema)
  // What autovacuum does by itself a minute later.
  await database.pool.query('vacuum analyze')
  const { rows } = await database.pool.query(`select brain_id as id from brains where handle = 'pages'`)
  const floorArgs = (joinedIn: string) => [database.url, String(rows[0].id), joinedIn]
  const script = 'bench/floors/pages-server.ts'
  const inNode = await startServer({ script, args: floorArgs('node') })
  const inPostgres = await startServer({ script, args: floorArgs('postgres') })
  const floorPaths = paths.map((_, index) => `/?after=${index * pageSize}`)
  const headers = { authorization: `Bearer ${noema.key}` }
  const comparisons: Comparison[] = []
  try {
    for (const clients of [8, 1]) {
      const mine = subject('noema', noema, paths, headers)
      const floor = subject('floor', inNode, floorPaths)
      const joined = subject('joined in PostgreSQL', inPostgres, floorPaths)
      await interleave(
        bench.effort.repetitions,
        [mine, floor, joined].map((one) => turn(bench, one, clients)),
      )
      const who = clients === 1 ? '1 client' : `${clients} clients`
      comparisons.push(
        { what: `${who}: pages/s`, noema: mine.perSecond, floor: floor.perSecond, target: { min: 0.6 } },
        { what: `${who}: pages/s, floor joins in PostgreSQL`, noema: mine.perSecond, floor: joined.perSecond },
        { what: `${who}: server CPU a page`, noema: mine.cpu, floor: floor.cpu },
      )
    }
  } finally {
    for (const server of [noema, inNode, inPostgres]) await server.stop()
  }
  return comparisons
}

export const pages: Benchmark = {
  name: 'pages',
  about: `Pages of ${pageSize} events read from a Brain that has ${eventCount.toLocaleString('en')}.`,
  floor:
    'node:http and pg: the same rows by the same range of positions, as text, joined and sent. No keys, no cursors, no look at the Brain. The second floor lets PostgreSQL join the text.',
  run,
}
