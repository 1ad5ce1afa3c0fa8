import { basename } from 'node:path'
import type { searchCorpus } from '@noema/contracts/corpora.ts'
import type { Result } from '@noema/contracts/endpoint.ts'
import type { SearchMode } from '@noema/contracts/search.ts'
import { type CollectionDocument, type Part, readCollection } from './parts/collections.ts'
import { fillBrain, searchOver, untilReady } from './parts/fill-brain.ts'
import { type Noema, startNoema } from './parts/noema.ts'
import { type Answered, columns, toRow } from './parts/relevance.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'

// The quality of a search over a corpus: a collection in one Brain, next to the same collection split into four Brains that are
// searched as a corpus, and next to four searches whose results are merged by their scores.

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const limit = 100
const brains = 4

/** Splits a collection into Brains. Turns of one conversation stay together, as they would. */
const split = ({ name, documents }: Part): Pick<Part, 'name' | 'documents'>[] => {
  const groups = [...Map.groupBy(documents, ({ id, sequence }) => sequence?.id ?? id).values()]
  return Array.from({ length: brains }, (_, at): { name: string; documents: CollectionDocument[] } => ({
    name: `${name}-${at}`,
    documents: groups.filter((_group, index) => index % brains === at).flat(),
  }))
}

type Ask = (text: string, mode: SearchMode) => Promise<string[]>

const askWhole =
  (noema: Noema, { name }: Part): Ask =>
  async (text, mode) =>
    (await searchOver(noema, { name, mode, text, limit })).results.map(({ id }) => id)

const askCorpus =
  (noema: Noema, { name }: Part): Ask =>
  async (q, mode) => {
    const body = { q, mode, limit }
    const found = await noema.call<Result<typeof searchCorpus>>('POST', `/v1/corpora/${name}/search`, body)
    return found.results.map(({ id }) => id)
  }

const askEach =
  (noema: Noema, part: Part): Ask =>
  async (text, mode) => {
    const found = await Promise.all(split(part).map(({ name }) => searchOver(noema, { name, mode, text, limit })))
    const all = found.flatMap(({ results }) => results).toSorted((a, b) => b.score - a.score)
    return all.slice(0, limit).map(({ id }) => id)
  }

const askAll = async (parts: readonly Part[], mode: SearchMode, toAsk: (part: Part) => Ask): Promise<Answered[]> => {
  const answered: Answered[] = []
  for (const part of parts)
    for (const question of part.questions) {
      const startedAt = performance.now()
      const ids = await toAsk(part)(question.text, mode)
      answered.push({ question, ids, milliseconds: performance.now() - startedAt })
    }
  return answered
}

const fill = async (noema: Noema, part: Part): Promise<void> => {
  const pieces = split(part)
  for (const brain of [part, ...pieces]) await fillBrain(noema, brain)
  for (const brain of [part, ...pieces]) await untilReady(noema, brain)
  await noema.call('PUT', `/v1/corpora/${part.name}`, { parts: pieces.map(({ name }) => ({ brain: name })) })
}

const measure = async (noema: Noema, file: string): Promise<void> => {
  const parts = await readCollection(file)
  for (const part of parts) await fill(noema, part)
  say(`\n${basename(file)}`)
  say(columns.slice(0, -1).join('  '))
  for (const mode of ['lexical', 'semantic', 'hybrid'] as const) {
    const rows = [
      toRow(`${mode}, one Brain`, await askAll(parts, mode, (part) => askWhole(noema, part))),
      toRow(`${mode}, corpus of ${brains}`, await askAll(parts, mode, (part) => askCorpus(noema, part))),
      toRow(`${mode}, merged by score`, await askAll(parts, mode, (part) => askEach(noema, part))),
    ]
    for (const row of rows) say(row.slice(0, -1).join('  '))
  }
}

const files = process.argv.slice(2)
if (files.length === 0) {
  say('node bench/corpora.ts <collection.json> …')
  process.exit(1)
}
const postgres = await startScratchPostgres()
const noema = await startNoema(await postgres.createDatabase('corpora'))
try {
  for (const file of files) await measure(noema, file)
} finally {
  await noema.stop()
  await postgres.stop()
}
