import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { SearchMode } from '@noema/contracts/search.ts'
import type { App } from '../server/src/app.ts'
import { type BrainRow, selectLiveBrain } from '../server/src/features/kernel/brains/brain-queries.ts'
import { findRelevant } from '../server/src/features/retrieval/search/search.ts'
import { type Part, readCollection } from './parts/collections.ts'
import { fillBrain, untilReady } from './parts/fill-brain.ts'
import {
  curveColumns,
  fitColumns,
  groupColumns,
  type Judged,
  toCurveRows,
  toFitRow,
  toGroupRows,
  toTable,
} from './parts/judged.ts'
import { startNoema } from './parts/noema.ts'
import { openApp } from './parts/open-app.ts'
import { type ScratchDatabase, startScratchPostgres } from './parts/scratch-postgres.ts'

// Whether search knows what it does not know: questions of collections are asked of Brains with the texts that answer them,
// and of Brains with the texts of another collection, which do not. The collections are files of a folder of the caller's
// own, two at least: see parts/collections.ts for their shapes.

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const limit = 10
/** Questions that are asked of one Brain in one way, at most: every second, third or so on of more. */
const maxQuestions = 250
const sampleSizes = [20, 100, 1_000]
const thresholds = Array.from({ length: 81 }, (_, at) => at / 40)
const shownThresholds = [0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2]

type Collection = { name: string; parts: Part[] }
/** A Brain with the questions that it answers, those of another part of its collection, and those of other collections. */
type Asked = {
  collection: string
  size: string
  part: Part
  siblings: Part['questions']
  others: Part['questions']
}

/** A few of a list, spread evenly. */
const spread = <Item>(items: readonly Item[], max: number): Item[] =>
  items.filter(
    (_item, index) => Math.floor((index * max) / items.length) !== Math.floor(((index - 1) * max) / items.length),
  )

const withAnswers = (questions: Part['questions']) => questions.filter(({ relevant }) => relevant.size > 0)

/** A part of so few documents: half of them answer questions, the others are any. */
const takeSample = ({ name, documents, questions }: Part, size: number): Part => {
  const answering = spread(withAnswers(questions), size / 2).flatMap(({ relevant }) => [...relevant].slice(0, 1))
  const chosen = new Set([...answering, ...spread(documents, size).map(({ id }) => id)].slice(0, size))
  return {
    name: `${name}-${size}`,
    documents: documents.filter(({ id }) => chosen.has(id)),
    questions: questions.filter(({ relevant }) => [...relevant].some((id) => chosen.has(id))),
  }
}

const readCollections = async (folder: string): Promise<Collection[]> => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    files.map(async (file) => ({ name: basename(file, '.json'), parts: await readCollection(join(folder, file)) })),
  )
}

/** All Brains: the parts of all collections whole, and a sample of each size of the largest part of each. */
const listAsked = (collections: readonly Collection[]): Asked[] =>
  collections.flatMap(({ name, parts }) => {
    const others = collections.filter((other) => other.name !== name).flatMap((other) => other.parts)
    const about = { collection: name, others: withAnswers(others.flatMap(({ questions }) => questions)) }
    const [largest] = parts.toSorted((one, other) => other.documents.length - one.documents.length)
    const samples = sampleSizes.filter((size) => size < (largest?.documents.length ?? 0))
    return [
      ...parts.map((part, at) => {
        const sibling = parts.length > 1 ? parts[(at + 1) % parts.length] : undefined
        return { ...about, size: 'whole', part, siblings: withAnswers(sibling?.questions ?? []) }
      }),
      ...samples.flatMap((size) =>
        largest ? { ...about, size: String(size), part: takeSample(largest, size), siblings: [] } : [],
      ),
    ]
  })

/** The two longest words of a question: what somebody types who is in a hurry. */
const shorten = (text: string): string => {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const longest = words.toSorted((one, other) => other.length - one.length).slice(0, 2)
  return words.filter((word) => longest.includes(word)).join(' ')
}

type Way = { name: string; mode: SearchMode; toText: (text: string) => string }

const ways: Way[] = [
  { name: 'hybrid', mode: 'hybrid', toText: (text) => text },
  { name: 'two words', mode: 'hybrid', toText: shorten },
  { name: 'semantic', mode: 'semantic', toText: (text) => text },
  { name: 'lexical', mode: 'lexical', toText: (text) => text },
]

/** Asks a Brain all questions in one way. */
const ask = async ({ deps }: App, brain: BrainRow, asked: Asked, { name, mode, toText }: Way): Promise<Judged[]> => {
  const { collection, size, part, siblings, others } = asked
  const questions = [
    ...spread(withAnswers(part.questions), maxQuestions).map(({ text }) => ({
      text,
      of: 'answerable',
      isAnswerable: true,
    })),
    ...spread(others, maxQuestions).map(({ text }) => ({ text, of: 'of other collections', isAnswerable: false })),
    ...spread(siblings, maxQuestions).map(({ text }) => ({ text, of: 'of another Brain', isAnswerable: undefined })),
  ]
  const judged: Judged[] = []
  for (const [index, { text, of, isAnswerable }] of questions.entries()) {
    const { hits, evidence } = await deps.brainReads.run({ read: 'search', brain }, (source) =>
      findRelevant({ ...deps, source }, brain, { q: toText(text), mode, limit }),
    )
    judged.push({
      group: `${name}, ${size === 'whole' ? 'all' : size} texts of ${collection}, ${of}`,
      collection,
      isAnswerable,
      half: index % 2 === 0 ? 0 : 1,
      evidence,
      support: Math.max(-1, ...hits.map(({ support }) => support)),
    })
  }
  return judged
}

const printFits = (judged: readonly Judged[]): void => {
  const [first, second] = [0, 1].map((half) => judged.filter((one) => one.half === half))
  const names = [...new Set(judged.map(({ collection }) => collection))]
  const rows = [
    toFitRow('first half, second half', first ?? [], second ?? [], thresholds),
    toFitRow('second half, first half', second ?? [], first ?? [], thresholds),
    ...names.map((name) =>
      toFitRow(
        `Brains of ${name}, the others`,
        judged.filter(({ collection }) => collection === name),
        judged.filter(({ collection }) => collection !== name),
        thresholds,
      ),
    ),
  ]
  say(`\n${toTable([fitColumns, ...rows])}`)
}

const measure = async (database: ScratchDatabase, asked: readonly Asked[]): Promise<void> => {
  const app = await openApp(database.url)
  for (const way of ways) {
    const whole: Judged[] = []
    const samples: Judged[] = []
    for (const one of asked) {
      const { rows } = await database.pool.query<{ id: number }>(
        'select brain_id as id from brains where handle = $1',
        [one.part.name],
      )
      const brain = await selectLiveBrain(app.db, rows[0]?.id ?? 0)
      if (!brain) throw new Error(`there is no Brain ${one.part.name}`)
      ;(one.size === 'whole' ? whole : samples).push(...(await ask(app, brain, one, way)))
    }
    say(`\n## ${way.name}\n\n${toTable([groupColumns, ...toGroupRows([...whole, ...samples])])}`)
    say(`\n${toTable([curveColumns, ...toCurveRows(whole, shownThresholds)])}`)
    printFits(whole)
  }
  await app.close()
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  say('node bench/evidence.ts <folder of collections>')
  process.exit(1)
}
const asked = listAsked(await readCollections(folder))
const postgres = await startScratchPostgres()
try {
  const database = await postgres.createDatabase('evidence')
  const noema = await startNoema(database)
  for (const { part } of asked) await fillBrain(noema, part)
  for (const { part } of asked) await untilReady(noema, part)
  await noema.stop()
  await measure(database, asked)
} finally {
  await postgres.stop()
}
