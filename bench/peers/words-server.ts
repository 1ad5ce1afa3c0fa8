import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from '../floors/bare-server.ts'
import type { CollectionDocument } from '../parts/collections.ts'
import { openFts5, openMiniSearch } from './word-search.ts'

// A search by words that a user would otherwise put into their own process: SQLite's FTS5 or MiniSearch behind node:http,
// with the same passages in memory. Called with the database's URL, the Brain's number, and `fts5` or `minisearch`.

const [url = '', brainId = '', engine = 'fts5'] = process.argv.slice(2)
const passagesAtOnce = 50_000
const limit = 10

const texts = new Map<string, string>()
const { pool, close } = openDatabase(url, createLog('error'), 1, { statementSeconds: 3_600 })
for (let from = 0, isLast = false; !isLast; from += passagesAtOnce) {
  const { rows } = await pool.query<CollectionDocument>(
    'select id, text from passages where brain_id = $1 and passage > $2 and passage <= $3 order by passage',
    [brainId, from, from + passagesAtOnce],
  )
  for (const { id, text } of rows) texts.set(id, text)
  isLast = rows.length === 0
}
await close()
const documents = [...texts].map(([id, text]) => ({ id, text }))
const search = engine === 'fts5' ? openFts5(documents) : openMiniSearch(documents)

serveBare(async (request) => {
  const q = new URL(request.url ?? '/', 'http://peer').searchParams.get('q') ?? ''
  const results = search(q, limit).map((id) => ({ id, text: texts.get(id) }))
  return { status: 200, text: JSON.stringify({ data: { results } }) }
})
