import { type Bench, interleave } from './benchmark.ts'
import { type ServerProcess, startServer } from './child.ts'
import type { Comparison, Series } from './comparison.ts'
import { createCpuReaders } from './costs.ts'
import { fillPassages, rare } from './fill-passages.ts'
import { startNoema } from './noema.ts'
import { createRealPassages, type RealPassages } from './real-passages.ts'
import { createSeries, createTimed, type ReadCpu, timed } from './subject.ts'

const brain = 'library'
const queryCount = 64
const maxForMiniSearch = 100_000
const modes = ['lexical', 'semantic', 'hybrid'] as const
const floorPaths = { lexical: '/words', semantic: '/meaning', hybrid: '/both' }

/** Room for a million passages, for every size. */
const settings = {
  ...{ NOEMA_ROLES: 'http', NOEMA_SEARCH_MEMORY: '2048', NOEMA_VECTOR_MEMORY: '2048' },
}

type Question = RealPassages['queries'][number]
type Asked = {
  name: string
  port: number
  readCpu: ReadCpu
  headers?: Record<string, string>
  toPath(question: Question): string
}

/** Questions to a server, one after the other. */
const createQuestions = (
  bench: Bench,
  queries: readonly Question[],
  { name, port, readCpu, headers = {}, toPath }: Asked,
) => {
  let asked = 0
  const once = async () => {
    const question = queries[asked++ % queries.length]
    if (!question) throw new Error('there are no questions')
    return timed(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${toPath(question)}`, { headers })
      const text = await response.text()
      if (!response.ok || text.includes('"degraded"')) throw new Error(`${name} answered ${response.status}: ${text}`)
    })
  }
  return createTimed(bench, name, once, readCpu)
}

const single = (name: string, unit: string, better: Series['better'], value: number | undefined): Series => ({
  ...createSeries(name, unit, better),
  values: [value ?? Number.NaN],
})

/** The first search of a node, when nothing is in memory; repeated until the missing data has been read. */
const warm = async (port: number, key: string, { text }: Question): Promise<number> => {
  const startedAt = performance.now()
  for (;;) {
    const query = new URLSearchParams({ q: text, mode: 'hybrid' })
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`http://127.0.0.1:${port}/v1/brains/${brain}/search?${query}`, { headers })
    const answer = await response.text()
    if (!response.ok) throw new Error(`a search was answered ${response.status}: ${answer}`)
    if (!answer.includes('"degraded"')) return (performance.now() - startedAt) / 1000
  }
}

const toFloorPath =
  (mode: (typeof modes)[number]) =>
  ({ text, vector }: Question) => {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64url')
    return `${floorPaths[mode]}?${new URLSearchParams({ q: text, vector: mode === 'lexical' ? '' : bytes })}`
  }

const toPeerPath = ({ text }: Question) => `/?${new URLSearchParams({ q: text })}`

/** Searches of a Brain of this many passages, by words, by meaning and by both, and the duration of indexing. */
export const measureSearches = async (bench: Bench, size: number): Promise<Comparison[]> => {
  const passages = await createRealPassages(queryCount)
  const database = await bench.postgres.createDatabase(`passages_${size}`)
  const started: ServerProcess[] = []
  const start = async (script: string, args: string[]) => {
    const server = await startServer({ script, args: [database.url, ...args] })
    started.push(server)
    return server
  }
  try {
    const { brainId, indexedPerSecond } = await fillPassages(database, { brain, size, passages })
    const floor = await start('bench/floors/search-server.ts', [String(brainId), String(passages.dimensions)])
    const fts5 = await start('bench/peers/words-server.ts', [String(brainId), 'fts5'])
    const hasMiniSearch = size <= maxForMiniSearch
    const mini = hasMiniSearch && (await start('bench/peers/words-server.ts', [String(brainId), 'minisearch']))
    const noema = await startNoema(database, bench.profileFolder, settings)
    started.push(noema)
    const [first] = passages.queries
    const warmed = first && (await warm(noema.port, noema.key, first))
    const headers = { authorization: `Bearer ${noema.key}` }
    const toReadCpu = await createCpuReaders(database)
    const ask = (server: ServerProcess, asked: Omit<Asked, 'port' | 'readCpu'>) =>
      createQuestions(bench, passages.queries, { ...asked, port: server.port, readCpu: toReadCpu(server) })
    const comparisons: Comparison[] = []
    for (const mode of modes) {
      const toPath = ({ text }: Question) => `/v1/brains/${brain}/search?${new URLSearchParams({ q: text, mode })}`
      const mine = ask(noema, { name: 'Noema', headers, toPath })
      const least = ask(floor, { name: 'raw', toPath: toFloorPath(mode) })
      const byWords = mode === 'lexical'
      const peer = byWords ? ask(fts5, { name: 'FTS5', toPath: toPeerPath }) : undefined
      const other = byWords && mini ? ask(mini, { name: 'MiniSearch', toPath: toPeerPath }) : undefined
      const turns = [mine, least, peer, other].flatMap((one) => (one ? [one.turn] : []))
      await interleave(bench.effort.repetitions, turns)
      comparisons.push(
        { what: `${mode}: p50`, noema: mine.p50, floor: least.p50, peer: peer?.p50 },
        { what: `${mode}: p99`, noema: mine.p99, floor: least.p99, peer: peer?.p99 },
        { what: `${mode}: CPU`, noema: mine.cpu, floor: least.cpu, peer: peer?.cpu },
      )
      if (other) comparisons.push({ what: `${mode}: p50 and MiniSearch`, noema: mine.p50, peer: other.p50 })
    }
    return [
      ...comparisons,
      { what: 'indexed by words', noema: single('Noema', 'passages/s', 'more', indexedPerSecond) },
      { what: 'until a new node has all in memory', noema: single('Noema', 's', 'less', warmed) },
      { what: 'memory of the node then', noema: single('Noema', 'MB', 'less', noema.residentMegabytes()) },
    ]
  } finally {
    for (const server of started) await server.stop()
    await bench.postgres.dropDatabase(database)
  }
}

/** The filters, as parameters of a search. */
const filters: Record<string, Record<string, string>> = {
  source: { source: rare.source },
  'a key of metadata': { 'metadata.shelf': rare.shelf },
  time: { since: rare.since },
}

/** Hybrid searches with a filter that keeps one passage of a hundred, and the same without one. */
export const measureFilters = async (bench: Bench, size: number): Promise<Comparison[]> => {
  const passages = await createRealPassages(queryCount)
  const database = await bench.postgres.createDatabase(`filtered_${size}`)
  await fillPassages(database, { brain, size, passages })
  const noema = await startNoema(database, bench.profileFolder, settings)
  try {
    const [first] = passages.queries
    if (first) await warm(noema.port, noema.key, first)
    const headers = { authorization: `Bearer ${noema.key}` }
    const readCpu = (await createCpuReaders(database))(noema)
    const ask = (name: string, filter: Record<string, string>) => {
      const toPath = ({ text }: Question) =>
        `/v1/brains/${brain}/search?${new URLSearchParams({ q: text, mode: 'hybrid', ...filter })}`
      return createQuestions(bench, passages.queries, { ...{ name, headers, toPath, readCpu }, port: noema.port })
    }
    const whole = ask('no filter', {})
    const filtered = Object.entries(filters).map(([name, filter]) => ({ name, asked: ask(name, filter) }))
    await interleave(
      bench.effort.repetitions,
      [whole, ...filtered.map(({ asked }) => asked)].map(({ turn }) => turn),
    )
    return filtered.flatMap(({ name, asked }) => [
      { what: `by ${name}: p50`, noema: asked.p50, floor: whole.p50 },
      { what: `by ${name}: CPU`, noema: asked.cpu, floor: whole.cpu, target: { min: 1 } },
    ])
  } finally {
    await noema.stop()
    await bench.postgres.dropDatabase(database)
  }
}

export const aboutSearch = {
  floor:
    'The same passages behind node:http: by words, full-text search of PostgreSQL by a GIN index, any word, ranked by ts_rank; by meaning, every vector of 8 bits in memory compared in a plain loop, with the vector of the query given; by both, these two fused by their ranks. CPU is that of server and PostgreSQL, the process of the model apart. No keys, versions, evidence, feedback or receipts.',
  peer: 'Libraries behind node:http with all passages in memory, by words alone: FTS5 of SQLite and, up to 100,000 passages, MiniSearch.',
}
