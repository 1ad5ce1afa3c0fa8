import { validation } from '../../shared/errors.ts'
import type { RunPrepared } from '../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import { type Collection, type LexicalScores, type QueryTerm, scoreTerms } from './bm25.ts'
import { kindTerm, typeTerm } from './build-index.ts'
import type { IndexMoment, IndexReader } from './index-reader.ts'
import type { Postings } from './postings.ts'
import { contentOf } from './queries.ts'
import { selectLive, type WantedPassage } from './reading-queries.ts'
import type { Address, Content, ThingType } from './things.ts'

/** What a search is narrowed to, and the Brain state that it is asked of. */
export type Narrowing = {
  asOf?: number | undefined
  types?: readonly ThingType[] | undefined
  kinds?: readonly string[] | undefined
}

/** A passage that was found, of a version that is live in the state that was asked of. */
export type LivePassage = Address & { passage: number; starts: number; ends: number; text: string; content: Content }

/** A Brain's index at one moment, narrowed: what it knows of passages by their numbers. */
export type PassageSearch = {
  /** The state that is searched. */
  stateVersion: number
  /** How many events are not searchable yet. */
  missing: number
  /** The highest number of a passage that is indexed; those after it are younger. */
  lastPassage: number
  /** Whether a passage may be answered, as far as is known without looking. */
  accepts(passage: number): boolean
  /** Scores passages by weighed terms. All terms must have been named when the search was opened. */
  score(terms: ReadonlyMap<string, number>, most: number): LexicalScores
  /** The passage with which the version of this one begins. */
  first(passage: number): number
  /** The passages next to this one in its conversation or document. */
  neighbours(passage: number): number[]
  /** Those of the passages that are live, in the order in which they are asked for. */
  read(passages: readonly number[]): Promise<LivePassage[]>
}

type Deps = { prepared: RunPrepared; indexes: IndexReader }

const youngLists = (moment: IndexMoment, term: string): Postings[] => {
  const { young, lastPassage } = moment
  const passages: number[] = []
  const times: number[] = []
  for (const [index, { counts }] of young.entries()) {
    const count = counts.get(term)
    if (count === undefined) continue
    passages.push(lastPassage + 1 + index)
    times.push(Math.min(count, 255))
  }
  if (passages.length === 0) return []
  return [{ passages: Uint32Array.from(passages), times: Uint8Array.from(times), mostTimes: Math.max(...times) }]
}

const listsOf = (moment: IndexMoment, term: string): Postings[] => [
  ...(moment.lists.get(term) ?? []).filter(({ passages }) => passages.length > 0),
  ...youngLists(moment, term),
]

/** The passages that hold one of these terms; undefined where there are none to ask for. */
const holdersOf = (moment: IndexMoment, terms: readonly string[] | undefined): Uint8Array | undefined => {
  if (!terms) return undefined
  const holds = new Uint8Array(moment.lastPassage + moment.young.length + 1)
  for (const term of terms)
    for (const { passages } of listsOf(moment, term)) for (const passage of passages) holds[passage] = 1
  return holds
}

const collectionOf = (moment: IndexMoment, state: number, filters: readonly Uint8Array[]): Collection => {
  const { table, young, lastPassage } = moment
  const youngTerms = young.reduce((sum, { passage }) => sum + passage.terms, 0)
  const last = lastPassage + young.length
  return {
    last,
    averageTerms: Math.max(1, (table.totalTerms + youngTerms) / Math.max(1, table.count + young.length)),
    terms: (passage) =>
      passage <= lastPassage ? table.terms(passage) : (young[passage - lastPassage - 1]?.passage.terms ?? 0),
    accepts: (passage) =>
      (passage > lastPassage || table.isValidAt(passage, state)) && filters.every((filter) => filter[passage] === 1),
  }
}

const wantedOf = ({ young, lastPassage }: IndexMoment, passage: number): WantedPassage => {
  const found = young[passage - lastPassage - 1]?.passage
  if (!found) return { passage }
  const { type, id, version, starts, ends, text } = found
  return { passage, type, id, version, starts, ends, text }
}

/** Opens a Brain's index for a search by some terms. */
export const openPassageSearch = async (
  deps: Deps,
  brain: BrainRow,
  terms: readonly string[],
  { asOf, types, kinds }: Narrowing,
): Promise<PassageSearch> => {
  const filterTerms = [types?.map(typeTerm), kinds?.map(kindTerm)]
  const moment = await deps.indexes.read(brain.brainId, [...terms, ...filterTerms.flatMap((names) => names ?? [])])
  const { table, young, lastPassage, stateVersion } = moment
  if (asOf !== undefined && asOf > stateVersion)
    throw validation(`asOf=${asOf} is ahead of this Brain, which is at stateVersion ${stateVersion}.`)
  const state = asOf ?? stateVersion
  const filters = filterTerms.flatMap((names) => holdersOf(moment, names) ?? [])
  const collection = collectionOf(moment, state, filters)
  const youngAt = (passage: number) => young[passage - lastPassage - 1]
  return {
    stateVersion: state,
    missing: moment.missing,
    lastPassage,
    accepts: collection.accepts,
    score: (weights, most) => {
      const query = [...weights].map(([term, weight]): QueryTerm => ({ term, weight, lists: listsOf(moment, term) }))
      return scoreTerms(collection, query, most)
    },
    first: (passage) => passage - (youngAt(passage)?.passage.ordinal ?? passage - table.first(passage)),
    neighbours: (passage) => (passage <= lastPassage ? table.neighbours(passage, state) : []),
    read: async (passages) => {
      if (passages.length === 0) return []
      const wanted = passages.map((passage) => wantedOf(moment, passage))
      const rows = await deps.prepared(selectLive(brain.brainId, wanted, { state, isCurrent: asOf === undefined }))
      const byPassage = new Map(rows.map((row) => [row.passage, row]))
      return passages.flatMap((passage) => {
        const row = byPassage.get(passage)
        return row ? { ...row, content: contentOf(row.type, row.content, '') } : []
      })
    },
  }
}
