import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { SearchMode } from '@noema/contracts/search.ts'
import { type Part, readCollection } from './parts/collections.ts'
import { fillBrain, searchOver, untilReady } from './parts/fill-brain.ts'
import { replaceEmbedding, toPlainTable } from './parts/markdown.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { type Answered, compareNdcg, meanFirst, meanNdcg } from './parts/relevance.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'

// The quality of search while a Brain is being embedded: by words, by meaning, and by both, when so many percent of the passages
// have a vector. Documents are written in the order of their titles, as a folder is synchronized, so those that have a vector are
// no fair sample. All are embedded once; each share then hides the vectors of the later passages.

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const usage = `node bench/embedding.ts [--questions 200] [--docs] <collection.json> …

  --questions 200   the maximum of questions of a collection, chosen evenly
  --docs            also write the tables into docs/benchmarks.md`

const shares = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
const modes: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid']
const heads = ['embedded', ...modes, 'gain of hybrid']

type Collection = { name: string; parts: Part[] }

/** Every so many-th of the questions that have an answer, so that there are at most `max` in all. */
const chooseQuestions = (parts: readonly Part[], max: number): Part[] => {
  const answerable = parts.map((part) => ({
    ...part,
    questions: part.questions.filter(({ relevant }) => relevant.size > 0),
  }))
  const count = answerable.reduce((sum, { questions }) => sum + questions.length, 0)
  const step = Math.max(1, Math.ceil(count / max))
  return answerable.map((part) => ({ ...part, questions: part.questions.filter((_question, at) => at % step === 0) }))
}

const byTitle = (one: { title?: string }, other: { title?: string }): number =>
  (one.title ?? '') < (other.title ?? '') ? -1 : (one.title ?? '') > (other.title ?? '') ? 1 : 0

const openCollection = async (file: string, questions: number): Promise<Collection> => {
  const name = basename(file, '.json')
  const parts = chooseQuestions(await readCollection(file), questions)
  return {
    name,
    parts: parts.map((part) => ({
      ...part,
      name: `${name}-${part.name}`,
      documents: part.documents.toSorted(byTitle),
    })),
  }
}

/** Lets so many percent of the passages of each Brain have their vectors. */
const showVectors = async ({ pool }: ScratchDatabase, percent: number): Promise<void> => {
  await pool.query('truncate passage_vectors')
  await pool.query(
    `insert into passage_vectors select vector.* from all_vectors as vector join passage_progress as head using (brain_id)
     where vector.passage <= head.last_passage * $1::bigint / 100`,
    [percent],
  )
  await pool.query(
    `update vector_progress as progress set passage = head.last_passage * $1::bigint / 100
     from passage_progress as head where head.brain_id = progress.brain_id`,
    [percent],
  )
}

const ask = async (noema: Noema, parts: readonly Part[], mode: SearchMode): Promise<Answered[]> => {
  const answered: Answered[] = []
  for (const { name, questions } of parts)
    for (const question of questions) {
      const { results } = await searchOver(noema, { name, mode, text: question.text, limit: 10 })
      answered.push({ question, ids: results.map(({ id }) => id), milliseconds: 0 })
    }
  return answered
}

const embedAll = async (database: ScratchDatabase, collections: readonly Collection[]): Promise<void> => {
  const noema = await startNoema(database)
  const parts = collections.flatMap((one) => one.parts)
  for (const part of parts) await fillBrain(noema, part)
  for (const part of parts) await untilReady(noema, part)
  await noema.stop()
  await database.pool.query('create table all_vectors as table passage_vectors')
}

const sign = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`

/** The gain of hybrid search over the better of its halves, with its interval. */
const toGain = ([lexical, semantic, hybrid]: readonly Answered[][]): string => {
  if (!lexical || !semantic || !hybrid) return ''
  const { mean, low, high } = compareNdcg(hybrid, meanNdcg(semantic) > meanNdcg(lexical) ? semantic : lexical)
  return `${sign(mean)} (${sign(low)} to ${sign(high)})`
}

/** The figures of each collection at a share, by mode: nDCG@10, and how often the first result is right. */
const measure = async (database: ScratchDatabase, collections: readonly Collection[], percent: number) => {
  await showVectors(database, percent)
  // Such a node embeds no passages.
  const noema = await startNoema(database, undefined, { NOEMA_ROLES: 'http' })
  const figures = new Map<string, string[]>()
  for (const { name, parts } of collections) {
    const byMode: Answered[][] = []
    for (const mode of modes) byMode.push(await ask(noema, parts, mode))
    const cells = byMode.map(
      (answered) => `${meanNdcg(answered).toFixed(3)} (${(100 * meanFirst(answered)).toFixed(0)} %)`,
    )
    cells.push(toGain(byMode))
    figures.set(name, [`${percent} %`, ...cells])
    say(`${name.padEnd(12)}${[`${percent} %`, ...cells].map((cell) => cell.padEnd(16)).join('')}`)
  }
  await noema.stop()
  return figures
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { questions: { type: 'string', default: '200' }, docs: { type: 'boolean' } },
})
if (positionals.length === 0) {
  say(usage)
  process.exit(1)
}
const collections: Collection[] = []
for (const file of positionals) collections.push(await openCollection(file, Number(values.questions)))
const postgres = await startScratchPostgres()
const measured: Map<string, string[]>[] = []
try {
  const database = await postgres.createDatabase('embedding')
  await embedAll(database, collections)
  say(`${'collection'.padEnd(12)}${heads.map((head) => head.padEnd(16)).join('')}`)
  for (const percent of shares) measured.push(await measure(database, collections, percent))
} finally {
  await postgres.stop()
}
if (values.docs) {
  const page = new URL('../docs/benchmarks.md', import.meta.url)
  const tables = collections.map(({ name, parts }) => {
    const documents = parts.reduce((sum, part) => sum + part.documents.length, 0)
    const questions = parts.reduce((sum, part) => sum + part.questions.length, 0)
    const rows = measured.map((figures) => figures.get(name) ?? [])
    return `${name}, ${documents} documents, ${questions} questions:\n\n${toPlainTable([heads, ...rows])}`
  })
  writeFileSync(page, replaceEmbedding(readFileSync(page, 'utf8'), tables, new Date()))
}
