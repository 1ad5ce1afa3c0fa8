import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { SearchMode } from '@noema/contracts/search.ts'
import { alignColumns } from './parts/align.ts'
import { type Part, readCollection } from './parts/collections.ts'
import { fillBrain, searchOver, untilReady } from './parts/fill-brain.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { type Answered, columns, toRow } from './parts/relevance.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { openFts5, openMiniSearch, type WordSearch } from './peers/word-search.ts'

// The quality of search, on collections of texts and questions with known answers, next to libraries that search by words.
// The collections are the caller's files: see parts/collections.ts for their format.

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const limit = 100

const askNoema = async (noema: Noema, parts: readonly Part[], mode: SearchMode): Promise<Answered[]> => {
  const answered: Answered[] = []
  for (const { name, questions } of parts)
    for (const question of questions) {
      const startedAt = performance.now()
      const { results } = await searchOver(noema, { name, mode, text: question.text, limit })
      const milliseconds = performance.now() - startedAt
      answered.push({ question, ids: results.map(({ id }) => id), milliseconds })
    }
  return answered
}

const askLibrary = (parts: readonly Part[], open: (documents: Part['documents']) => WordSearch): Answered[] =>
  parts.flatMap(({ documents, questions }) => {
    const find = open(documents)
    return questions.map((question) => {
      const startedAt = performance.now()
      const ids = find(question.text, limit)
      return { question, ids, milliseconds: performance.now() - startedAt }
    })
  })

const printTable = (rows: readonly string[][]): void => say(alignColumns([columns, ...rows]))

const measure = async (noema: Noema, file: string): Promise<void> => {
  const parts = await readCollection(file)
  for (const part of parts) await fillBrain(noema, part)
  const startedAt = performance.now()
  for (const part of parts) await untilReady(noema, part)
  const seconds = (performance.now() - startedAt) / 1000
  const count = parts.reduce((sum, { documents }) => sum + documents.length, 0)
  say(`\n${basename(file)}: ${count} documents, all indexed and embedded ${seconds.toFixed(0)} s after the last write`)
  const modes: SearchMode[] = ['lexical', 'semantic', 'hybrid']
  const rows: string[][] = []
  for (const mode of modes) rows.push(toRow(`Noema ${mode}`, await askNoema(noema, parts, mode)))
  rows.push(toRow('SQLite FTS5, porter', askLibrary(parts, openFts5)))
  rows.push(toRow('MiniSearch', askLibrary(parts, openMiniSearch)))
  printTable(rows)
}

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { 'embedding-model': { type: 'string' } },
})
const { 'embedding-model': model } = values
if (files.length === 0) {
  say('node bench/retrieval.ts [--embedding-model <folder or package>] <collection.json> …')
  process.exit(1)
}
const postgres = await startScratchPostgres()
const noema = await startNoema(
  await postgres.createDatabase('retrieval'),
  undefined,
  model === undefined ? {} : { NOEMA_EMBEDDING_MODEL: model },
)
try {
  for (const file of files) await measure(noema, file)
} finally {
  await noema.stop()
  await postgres.stop()
}
