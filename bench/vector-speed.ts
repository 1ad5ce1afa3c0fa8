import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Embedder, EmbedderSource } from '../server/src/features/retrieval/embedding/types.ts'
import type { AcceptedPassages } from '../server/src/features/retrieval/lexical-index/types.ts'
import { openPgvector } from '../server/src/features/retrieval/vectors/pgvector.ts'
import { type QueryVector, VectorSearch } from '../server/src/features/retrieval/vectors/vector-search.ts'
import { Vectors } from '../server/src/features/retrieval/vectors/vectors.ts'
import { createLog } from '../server/src/shared/log.ts'
import { type OpenDatabase, openDatabase } from '../server/src/storage/database.ts'
import { migrate } from '../server/src/storage/migrate.ts'
import { type EmbeddedTexts, embeddedTexts } from './parts/embedded-texts.ts'
import { percentile } from './parts/statistics.ts'

// The passages nearest in meaning, found in memory and by pgvector on a server of yours: how many of the nearest,
// how fast, and what an index takes to build. A database is made for it there, and dropped.

const [address, given = '100000', file = join(tmpdir(), 'noema-bench-vectors')] = process.argv.slice(2)
if (!address) throw new Error('Usage: node bench/vector-speed.ts postgres://user@host/database [passages] [file]')

const space = 'bench/384'
const maxQueries = 200
const maxWanted = 200
/** About as many as one search by words and meaning compares beside those. */
const besides = 1_400
/** As many as a node embeds and stores at once. */
const addedLater = 256
const vectorsAtOnce = 5_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

const vectorAt = ({ vectors, dimensions }: EmbeddedTexts, place: number): Int8Array =>
  vectors.subarray(place * dimensions, (place + 1) * dimensions)

const toQueryVector = (vector: Int8Array): QueryVector => {
  const length = Math.hypot(...vector)
  return { space, values: Float32Array.from(vector, (value) => value / length) }
}

const insert = async (pool: OpenDatabase['pool'], texts: EmbeddedTexts, from: number, to: number, atOnce: number) => {
  for (let at = from; at < to; at += atOnce) {
    const places = Array.from({ length: Math.min(atOnce, to - at) }, (_, place) => at + place)
    const rows = [places.map((place) => place + 1), places.map((place) => Buffer.from(vectorAt(texts, place)))]
    await pool.query(`insert into passage_vectors select 1, '${space}', * from unnest($1::bigint[], $2::bytea[])`, rows)
    await pool.query('update vector_progress set passage = $1', [at + places.length])
    await pool.query('update passage_progress set last_passage = $1', [at + places.length])
  }
}

/** The passages with the greatest cosines of all that are accepted. */
const exactly = (
  texts: EmbeddedTexts,
  size: number,
  { values }: QueryVector,
  accepts: (passage: number) => boolean,
) => {
  const found: { passage: number; similarity: number }[] = []
  for (let place = 0; place < size; place++) {
    if (!accepts(place + 1)) continue
    const vector = vectorAt(texts, place)
    let [product, square] = [0, 0]
    for (let axis = 0; axis < vector.length; axis++) {
      const value = vector[axis] ?? 0
      product += value * (values[axis] ?? 0)
      square += value * value
    }
    found.push({ passage: place + 1, similarity: product / Math.sqrt(square) })
  }
  return found.sort((one, other) => other.similarity - one.similarity).slice(0, maxWanted)
}

const recall = (found: readonly number[], exact: readonly number[]): number => {
  const known = new Set(found)
  return exact.filter((passage) => known.has(passage)).length / exact.length
}

const formatTimes = (times: readonly number[]): string => {
  const sorted = times.toSorted((one, other) => one - other)
  const [min, p50, p99] = [0, 0.5, 0.99].map((share) => percentile(sorted, share).toFixed(1))
  return `least ${min} ms, p50 ${p50} ms, p99 ${p99} ms`
}

/** Each so many-th of some passages. */
const acceptEach = (each: number, lastPassage: number): AcceptedPassages => ({
  lastPassage,
  state: 1,
  fromStates: new Uint32Array(lastPassage + 1),
  toStates: new Uint32Array(lastPassage + 1).fill(2),
  filter: Uint8Array.from({ length: lastPassage + 1 }, (_, passage) => (passage % each === 0 ? 1 : 0)),
})

type Question = { queries: readonly QueryVector[]; exact: readonly number[][]; accepted: AcceptedPassages }

/** One way after the other: what part of the nearest each finds, and how long it takes. */
const compare = async (ways: Record<string, Vectors>, { queries, exact, accepted }: Question, wanted: number) => {
  for (const [name, vectors] of Object.entries(ways)) {
    const times: number[] = []
    let [first10, all] = [0, 0]
    for (const [turn, query] of queries.entries()) {
      const startedAt = performance.now()
      const near = await new VectorSearch(vectors.searchDeps, 1, query).findNearest(wanted, accepted)
      const found = near.passages.map(({ passage }) => passage)
      times.push(performance.now() - startedAt)
      first10 += recall(found.slice(0, 10), exact[turn]?.slice(0, 10) ?? []) / queries.length
      all += recall(found, exact[turn]?.slice(0, wanted) ?? []) / queries.length
    }
    say(`  ${name.padEnd(9)} recall@10 ${first10.toFixed(3)}, @${wanted} ${all.toFixed(3)}; ${formatTimes(times)}`)
  }
}

/** How long the nearest take together with the cosines of other passages, as a search asks for both. */
const compareOthers = async (
  ways: Record<string, Vectors>,
  queries: readonly QueryVector[],
  { size, all }: { size: number; all: AcceptedPassages },
) => {
  say(`the nearest ${maxWanted / 2}, and the cosines of ${besides} others`)
  for (const [way, vectors] of Object.entries(ways)) {
    const times: number[] = []
    for (const [turn, query] of queries.entries()) {
      const others = Array.from({ length: besides }, (_, at) => ((turn * 7_919 + at * 104_729) % size) + 1)
      const startedAt = performance.now()
      const search = new VectorSearch(vectors.searchDeps, 1, query)
      await search.findNearest(maxWanted / 2, all)
      await search.compare(others)
      times.push(performance.now() - startedAt)
    }
    say(`  ${way.padEnd(9)} ${formatTimes(times)}`)
  }
}

const measure = async (url: string, size: number, texts: EmbeddedTexts): Promise<void> => {
  const log = createLog('warn')
  const { db, pool, prepared, together, close } = openDatabase(url, log, 4)
  await migrate(db, log)
  const clock = { now: () => new Date() }
  const embedder: Embedder = {
    space: async () => space,
    embed: async () => ({ space, vectors: [] }),
    close: async () => {},
  }
  const source: EmbedderSource = { is: 'built-in' }
  const parts = {
    ...{ db, address: url, prepared, together, clock, log, maxBytes: 2 ** 30 },
    ...{ embedder, source, openSource: () => undefined },
  }
  await pool.query("insert into organization (id, name, slug) values ('o', 'o', 'o')")
  await pool.query(`insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at)
    values ('b', 'o', 'b', '', now(), now())`)
  await pool.query(`insert into vector_progress (brain_id, space) values (1, '${space}')`)
  await pool.query('insert into passage_progress (brain_id) values (1)')
  await insert(pool, texts, 0, size, vectorsAtOnce)
  await pool.query('vacuum analyze passage_vectors')
  const memory = new Vectors({ ...parts, large: undefined })
  const pgvector = new Vectors({
    ...parts,
    large: { pgvector: await openPgvector(db), passages: Math.min(size, 1_000) },
  })
  const building = await seconds(() => pgvector.keepIndexes())
  const { rows } = await pool.query<{ bytes: number }>("select pg_indexes_size('passage_vectors') as bytes")
  say(
    `${size} passages: built in ${building.toFixed(1)} s; all indexes ${((rows[0]?.bytes ?? 0) / 2 ** 20).toFixed(0)} MB`,
  )
  const queries = Array.from({ length: maxQueries }, (_, place) =>
    toQueryVector(vectorAt(texts, texts.count - 1 - place)),
  )
  const all = acceptEach(1, size)
  for (const query of queries)
    for (const way of [memory, pgvector]) {
      const { pending } = await new VectorSearch(way.searchDeps, 1, query).findNearest(maxWanted, all)
      if (query === queries.at(-1) && pending > 0) throw new Error('not all is in memory yet')
    }
  for (const each of [1, 10, 100]) {
    say(each === 1 ? 'all accepted' : `one of ${each} accepted`)
    const accepts = (passage: number) => passage % each === 0
    const exact = queries.map((query) => exactly(texts, size, query, accepts).map(({ passage }) => passage))
    for (const wanted of [maxWanted / 2, maxWanted])
      await compare({ memory, pgvector }, { queries, exact, accepted: acceptEach(each, size) }, wanted)
  }
  await compareOthers({ memory, pgvector }, queries, { size, all })
  const adding = await seconds(() => insert(pool, texts, size, size + addedLater, addedLater))
  say(`${addedLater} more vectors added in ${(adding * 1000).toFixed(0)} ms`)
  for (const vectors of [memory, pgvector]) await vectors.close()
  await close()
}

const size = Number(given)
const root = fileURLToPath(new URL('..', import.meta.url))
const texts = await embeddedTexts(root, file, size + addedLater + maxQueries)
const name = `noema_bench_${randomBytes(4).toString('hex')}`
const admin = openDatabase(address, createLog('warn'), 1)
try {
  await admin.pool.query(`create database ${name}`)
  const url = new URL(address)
  url.pathname = `/${name}`
  await measure(url.href, Math.min(size, texts.count - addedLater - maxQueries), texts)
} finally {
  await admin.pool.query(`drop database if exists ${name} with (force)`)
  await admin.close()
}
