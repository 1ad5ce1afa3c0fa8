import type { SearchMode } from '@noema/contracts/search.ts'
import type { App } from '../server/src/app.ts'
import type { BrainRow } from '../server/src/features/kernel/brains/brain-queries.ts'
import { selectLiveBrain } from '../server/src/features/kernel/brains/brain-queries.ts'
import type { ReceiptWriter } from '../server/src/features/retrieval/receipts/leave-receipt.ts'
import { runSearch } from '../server/src/features/retrieval/search/search.ts'
import { createTexts } from './parts/make-text.ts'
import { startNoema } from './parts/noema.ts'
import { openApp } from './parts/open-app.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'
import { timeIndexing } from './parts/time-indexing.ts'

// How long searches take inside the server, by words and by words and meaning, in a Brain of 1,000 passages and in one of
// 100,000; what their receipts add; and how many passages are indexed in a second. Queries are embedded by the real model.
// The passages' vectors are drawn at random: what is near differs by that, not how long it takes to find it.

const given = process.argv.slice(2).map(Number)
const sizes = given.length > 0 ? given : [1_000, 100_000]
const dimensions = 384
const wordsInText = 30
const turnsInTalk = 50
const documentsAtOnce = 1_000
const warmUps = 200
const queries = 1_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Makes a Brain of so many short texts, in talks, and answers its number. */
const fill = async (database: ScratchDatabase, size: number): Promise<number> => {
  const noema = await startNoema(database, undefined, { NOEMA_EMBEDDINGS: 'off', NOEMA_ROLES: 'http' })
  const path = `/v1/brains/size-${size}`
  const text = createTexts(size)
  await noema.call('PUT', path, {})
  for (let from = 0; from < size; from += documentsAtOnce) {
    const operations = Array.from({ length: Math.min(documentsAtOnce, size - from) }, (_, at) => ({
      op: 'document.put',
      id: `d${from + at}`,
      text: text(wordsInText),
      sequence: { id: `talk ${Math.floor((from + at) / turnsInTalk)}`, position: (from + at) % turnsInTalk },
    }))
    await noema.call('POST', `${path}/batch`, { operations })
  }
  await noema.stop()
  const { rows } = await database.pool.query<{ id: number }>(
    `select brain_id as id from brains where handle = 'size-${size}'`,
  )
  return rows[0]?.id ?? 0
}

/** Gives every passage of a Brain a vector, in the space of the model that embeds queries. */
const fillVectors = async ({ deps }: App, { pool }: ScratchDatabase, brainId: number, size: number): Promise<void> => {
  const space = await deps.vectors?.embedder.space()
  if (space === undefined) throw new Error('there is no model')
  // Parts of a long run of random bytes.
  await pool.query(
    `insert into passage_vectors (brain_id, space, passage, vector)
      select $1, $2, passage, substring(run from 1 + (random() * (length(run) - $4))::integer for $4)
      from (select string_agg(sha256(int4send(number)), ''::bytea) as run from generate_series(1, 100000) as number) as bytes,
        generate_series(1, $3::bigint) as passage`,
    [brainId, space, size, dimensions],
  )
  await pool.query('insert into vector_progress (brain_id, space, passage) values ($1, $2, $3)', [brainId, space, size])
}

type Times = { search: number[]; withReceipt: number[]; first: number }

/** Stores no receipts, to measure searches without them. */
const noWriter: ReceiptWriter = { write: async () => true, idle: async () => {} }

/** Milliseconds of searches, sorted, without a receipt and with one, by turns; and of the first, when nothing is in memory. */
const measureSearches = async ({ deps }: App, brain: BrainRow, mode: SearchMode): Promise<Times> => {
  const text = createTexts(7)
  const times: Times = { search: [], withReceipt: [], first: 0 }
  for (let turn = 0; turn < warmUps + queries * 2; turn++) {
    const isKept = turn % 2 === 1
    const q = text(3 + (turn % 5))
    const startedAt = performance.now()
    const receipts = isKept ? deps.receipts : noWriter
    const { mode: used } = await deps.brainReads.run({ read: 'search', brain }, (source) =>
      runSearch({ ...deps, source, receipts }, brain, { q, mode, limit: 10 }),
    )
    const milliseconds = performance.now() - startedAt
    if (used !== mode) throw new Error(`a search by ${mode} went by ${used}`)
    if (turn === 0) times.first = milliseconds
    if (turn >= warmUps) times[isKept ? 'withReceipt' : 'search'].push(milliseconds)
  }
  const sorted = (values: number[]) => values.sort((a, b) => a - b)
  return { ...times, search: sorted(times.search), withReceipt: sorted(times.withReceipt) }
}

const describe = ({ search, withReceipt, first }: Times): string => {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(search, share).toFixed(2))
  const added = percentile(withReceipt, 0.5) - percentile(search, 0.5)
  return `p50 ${p50} ms, p99 ${p99} ms, first ${first.toFixed(0)} ms; a receipt adds ${added.toFixed(2)} ms at the median`
}

const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('search_speed')
const middles: number[] = []
try {
  for (const size of sizes) {
    const brainId = await fill(database, size)
    const app = await openApp(database.url)
    const perSecond = size / (await timeIndexing(app.deps))
    await fillVectors(app, database, brainId, size)
    const brain = await selectLiveBrain(app.db, brainId)
    if (!brain) throw new Error('the Brain is gone')
    const lexical = await measureSearches(app, brain, 'lexical')
    say(
      `${size} passages: indexed ${perSecond.toFixed(0)}/s, ${(app.deps.lexicalIndex.size / 2 ** 20).toFixed(1)} MB in memory`,
    )
    say(`  lexical: ${describe(lexical)}`)
    say(`  hybrid:  ${describe(await measureSearches(app, brain, 'hybrid'))}`)
    await app.close()
    middles.push(percentile(lexical.search, 0.5))
  }
  const [min = 1] = middles
  if (middles.length > 1) say(`lexical p50 grew ${((middles.at(-1) ?? 0) / min).toFixed(2)} times`)
} finally {
  await postgres.stop()
}
