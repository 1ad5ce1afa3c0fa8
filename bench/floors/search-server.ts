import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from './bare-server.ts'

// The floor of search: PostgreSQL's own full-text search of the same passages with a GIN index, any of the words, ranked;
// and all vectors in memory, each compared with the query's in a plain loop. Both are fused by their ranks. The request
// contains the query's vector, so no model is called. It checks no key, has no versions and no evidence, and stores no
// receipt. Arguments: the database's URL, the Brain's number, and the length of a vector. GET /words, /meaning or
// /both?q=…&vector=…

const [url = '', brainId = '', dimensions = '384'] = process.argv.slice(2)
const axes = Number(dimensions)
const limit = 10
const passagesAtOnce = 50_000
const { pool } = openDatabase(url, createLog('error'), 4, { statementSeconds: 3_600 })

type Hit = { id: string; text: string }

const prepare = async (): Promise<Int8Array> => {
  await pool.query('drop table if exists bench_passages')
  await pool.query(`create table bench_passages as
    select passage, id, text, to_tsvector('english', text) as words from passages where brain_id = ${brainId}`)
  await pool.query('create index bench_passages_words on bench_passages using gin (words)')
  await pool.query('create index bench_passages_place on bench_passages (passage)')
  await pool.query('vacuum analyze bench_passages')
  const { rows } = await pool.query<{ last: number }>('select max(passage)::integer as last from bench_passages')
  const vectors = new Int8Array((rows[0]?.last ?? 0) * axes)
  for (let from = 0; from * axes < vectors.length; from += passagesAtOnce) {
    const page = await pool.query<{ run: Buffer }>(
      `select string_agg(vector, ''::bytea order by passage) as run from passage_vectors
       where brain_id = $1 and passage > $2 and passage <= $3`,
      [brainId, from, from + passagesAtOnce],
    )
    vectors.set(new Int8Array(page.rows[0]?.run ?? []), from * axes)
  }
  return vectors
}

const vectors = await prepare()

const byWords = async (q: string, count: number): Promise<number[]> => {
  const { rows } = await pool.query<{ passage: string }>({
    name: 'words',
    text: `select passage from bench_passages, to_tsquery('english', $1) as asked
      where words @@ asked order by ts_rank(words, asked) desc limit $2`,
    values: [q.trim().split(/\s+/).join(' | '), count],
  })
  return rows.map(({ passage }) => Number(passage))
}

/** The best of all passages, found by looking at each. */
const byMeaning = (query: Float32Array, count: number): number[] => {
  const best: { passage: number; score: number }[] = []
  let least = Number.NEGATIVE_INFINITY
  for (let at = 0; at < vectors.length; at += axes) {
    let score = 0
    for (let axis = 0; axis < axes; axis++) score += (vectors[at + axis] ?? 0) * (query[axis] ?? 0)
    if (score <= least) continue
    best.push({ passage: at / axes + 1, score })
    best.sort((one, other) => other.score - one.score).splice(count)
    if (best.length === count) least = best[count - 1]?.score ?? least
  }
  return best.map(({ passage }) => passage)
}

/** Reciprocal rank fusion (Cormack et al. 2009). */
const fuse = (lists: readonly (readonly number[])[]): number[] => {
  const scores = new Map<number, number>()
  for (const list of lists)
    for (const [rank, passage] of list.entries()) scores.set(passage, (scores.get(passage) ?? 0) + 1 / (61 + rank))
  return [...scores].sort(([, one], [, other]) => other - one).map(([passage]) => passage)
}

const readHits = async (passages: readonly number[]): Promise<Hit[]> => {
  const text = 'select id, text from bench_passages where passage = any($1::bigint[]) order by passage limit 10'
  return (await pool.query<Hit>({ name: 'hits', text, values: [passages.slice(0, limit)] })).rows
}

serveBare(async (request) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://floor')
  const q = searchParams.get('q') ?? ''
  const bytes = Buffer.from(searchParams.get('vector') ?? '', 'base64url')
  const query = new Float32Array(new Uint8Array(bytes).buffer)
  const found =
    pathname === '/both'
      ? fuse([await byWords(q, 100), byMeaning(query, 100)])
      : pathname === '/words'
        ? await byWords(q, limit)
        : byMeaning(query, limit)
  return { status: 200, text: JSON.stringify({ data: { results: await readHits(found) } }) }
})
