import { type App, createApp } from '../server/src/app.ts'
import { readConfig } from '../server/src/config.ts'
import type { BrainRow } from '../server/src/features/brains/brains.ts'
import { selectLiveBrain } from '../server/src/features/brains/restore.ts'
import { createPassageIndexer } from '../server/src/features/passages/passages.ts'
import { findRelevant } from '../server/src/features/search/find-relevant.ts'
import { createLog } from '../server/src/shared/log.ts'
import { startNoema } from './parts/noema.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'
import { percentile } from './parts/statistics.ts'
import { createTexts } from './parts/words.ts'

// How long a search by words takes inside the server, in a Brain of 1,000 passages and in one of 100,000, and how many
// passages are indexed in a second.

const given = process.argv.slice(2).map(Number)
const sizes = given.length > 0 ? given : [1_000, 100_000]
const settings = { NOEMA_EMBEDDINGS: 'off' }
const wordsInText = 30
const turnsInTalk = 50
const documentsAtOnce = 1_000
const warmUps = 200
const queries = 1_000

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Makes a Brain of so many short texts, in talks, and answers its number. */
const fill = async (database: ScratchDatabase, size: number): Promise<number> => {
  const noema = await startNoema(database, undefined, { ...settings, NOEMA_ROLES: 'http' })
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

/** How many passages are indexed in a second. */
const measureIndexing = async ({ deps }: App, size: number): Promise<number> => {
  const indexer = createPassageIndexer(deps)
  const startedAt = performance.now()
  await indexer.catchUp()
  const seconds = (performance.now() - startedAt) / 1000
  await indexer.close()
  return size / seconds
}

/** Milliseconds of searches, sorted; of the first, for which nothing is in memory; and what they take of memory. */
const measureSearches = async ({ deps }: App, brain: BrainRow) => {
  const text = createTexts(7)
  const times: number[] = []
  let first = 0
  for (let turn = 0; turn < warmUps + queries; turn++) {
    const q = text(3 + (turn % 5))
    const startedAt = performance.now()
    await findRelevant(deps, brain, { q, mode: 'lexical', limit: 10 })
    const milliseconds = performance.now() - startedAt
    if (turn === 0) first = milliseconds
    if (turn >= warmUps) times.push(milliseconds)
  }
  return { times: times.sort((a, b) => a - b), first, megabytes: deps.indexes.size() / 2 ** 20 }
}

const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('search_speed')
const middles: number[] = []
try {
  for (const size of sizes) {
    const brainId = await fill(database, size)
    const app = await createApp({
      config: readConfig(settings, '/'),
      address: database.url,
      secret: 'benchmarks-only-benchmarks-only-benchmarks',
      clock: { now: () => new Date() },
      log: createLog('warn'),
    })
    const perSecond = await measureIndexing(app, size)
    const brain = await selectLiveBrain(app.db, brainId)
    if (!brain) throw new Error('the Brain is gone')
    const { times, first, megabytes } = await measureSearches(app, brain)
    await app.close()
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
    middles.push(p50)
    say(
      `${size} passages: indexed ${perSecond.toFixed(0)}/s; search p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, first ${first.toFixed(0)} ms; ${megabytes.toFixed(1)} MB`,
    )
  }
  const [least = 1] = middles
  if (middles.length > 1) say(`p50 grew ${((middles.at(-1) ?? 0) / least).toFixed(2)} times`)
} finally {
  await postgres.stop()
}
