import { validation } from '../../../shared/errors.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { bestByTerms, type Collection, isAccepted, type QueryTerm, scorePassages } from './bm25.ts'
import { kindTerm, type Passage, typeTerm } from './build-segment.ts'
import type { IndexMoment, IndexReader } from './index-cache.ts'
import { contentOf } from './indexing-queries.ts'
import type { Address, Content, ThingType } from './knowledge-item.ts'
import { neighboursEachWay } from './passage-columns.ts'
import type { Postings } from './postings.ts'
import { selectLive, selectTexts, type WantedPassage } from './search-queries.ts'
import type { Scored } from './top-list.ts'

/** What a search is narrowed to, and the Brain state that it is asked of. */
export type Narrowing = {
  asOf?: number | undefined
  types?: readonly ThingType[] | undefined
  kinds?: readonly string[] | undefined
  /** Of statements, only those that hold at this time: ISO 8601. */
  validAt?: string | undefined
}

/** A passage that was found, of a version that is live in the state that was asked of. */
export type LivePassage = Address & { passage: number; starts: number; ends: number; text: string; content: Content }

/** What is written in a passage, and the title above it. */
type PassageText = { passage: number } & Pick<Passage, 'heading' | 'text'>

/** A Brain's index at one moment, narrowed: what it knows of passages by their numbers. */
export type PassageSearch = {
  /** The state that is searched. */
  stateVersion: number
  /** How many events are not searchable yet. */
  missing: number
  /** How many passages are younger than the index: they have no number that lasts. */
  young: number
  /** Whether a passage has the number under which others know it: those that are younger than the index have none. */
  isIndexed(passage: number): boolean
  /** Whether a passage may be answered, as far as is known without looking. */
  accepts(passage: number): boolean
  /** The passages that are best by weighed terms, the best first. All terms must have been named when the search was opened. */
  best(terms: ReadonlyMap<string, number>, most: number): Scored[]
  /** Scores some passages by weighed terms, which must have been named, too, in the order of the passages. */
  scoresOf(terms: ReadonlyMap<string, number>, passages: readonly number[]): Float32Array
  /** How many passages there are, and how many hold a term that was named. */
  passages: number
  holders(term: string): number
  /** The same search with more terms named; undefined where the index has moved on since. */
  widen(terms: readonly string[]): Promise<PassageSearch | undefined>
  /** The passage with which the version of this one begins. */
  first(passage: number): number
  /** The passages around this one in its conversation or document: the nearest three before, then after; 0 for none. */
  neighbours(passage: number): readonly number[]
  /** The texts of passages as they are indexed, live or not: never to be answered. */
  texts(passages: readonly number[]): Promise<PassageText[]>
  /** Those of the passages that are live, and hold at the time that was asked for, in their order. */
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

/** The passages that hold one of the terms of every filter; undefined where nothing is narrowed. */
const filterOf = (moment: IndexMoment, filters: readonly (readonly string[] | undefined)[]): Uint8Array | undefined => {
  const [first, ...others] = filters.flatMap((terms) => holdersOf(moment, terms) ?? [])
  return first?.map((holds, passage) => (others.every((other) => other[passage] === 1) ? holds : 0))
}

const collectionOf = (moment: IndexMoment, state: number, filter: Uint8Array | undefined): Collection => {
  const { table, young, lastPassage } = moment
  const youngTerms = Uint16Array.from(young, ({ passage }) => Math.min(passage.terms, 0xffff))
  const totalTerms = table.totalTerms + youngTerms.reduce((sum, terms) => sum + terms, 0)
  return {
    last: lastPassage + young.length,
    averageTerms: Math.max(1, totalTerms / Math.max(1, table.count + young.length)),
    state,
    filter,
    shelves: [
      table.shelf,
      {
        base: lastPassage + 1,
        terms: youngTerms,
        fromStates: Uint32Array.from(young, ({ passage }) => passage.fromState),
        toStates: Uint32Array.from(young, ({ passage }) => passage.toState ?? 0xffffffff),
      },
    ],
  }
}

const youngPassage = ({ young, lastPassage }: IndexMoment, passage: number): Passage | undefined =>
  passage > lastPassage ? young[passage - lastPassage - 1]?.passage : undefined

const wantedOf = (moment: IndexMoment, passage: number): WantedPassage => {
  const found = youngPassage(moment, passage)
  if (!found) return { passage }
  const { type, id, version, starts, ends, text, fromState } = found
  return { passage, type, id, version, starts, ends, text, fromState }
}

const noNeighbours: readonly number[] = new Array(neighboursEachWay * 2).fill(0)

type Opened = {
  moment: IndexMoment
  collection: Collection
  state: number
  isCurrent: boolean
  validAt?: string | undefined
}

const searchOf = (deps: Deps, brainId: number, opened: Opened): PassageSearch => {
  const { moment, collection, state, isCurrent, validAt } = opened
  const { table, young, lastPassage } = moment
  const queryOf = (terms: ReadonlyMap<string, number>) =>
    [...terms].map(([term, weight]): QueryTerm => ({ term, weight, lists: listsOf(moment, term) }))
  return {
    stateVersion: state,
    missing: moment.missing,
    young: young.length,
    isIndexed: (passage) => passage <= lastPassage,
    accepts: (passage) => isAccepted(collection, passage),
    best: (terms, most) => bestByTerms(collection, queryOf(terms), most),
    scoresOf: (terms, passages) => scorePassages(collection, queryOf(terms), passages),
    passages: collection.last,
    holders: (term) => listsOf(moment, term).reduce((sum, { passages }) => sum + passages.length, 0),
    widen: async (terms) => {
      const wider = await deps.indexes.widen(brainId, moment, terms)
      return wider && searchOf(deps, brainId, { ...opened, moment: wider })
    },
    first: (passage) =>
      passage <= lastPassage ? table.first(passage) : passage - (youngPassage(moment, passage)?.ordinal ?? 0),
    neighbours: (passage) => (passage <= lastPassage ? table.neighbours(passage, state) : noNeighbours),
    texts: async (passages) => {
      const indexed = passages.filter((passage) => passage <= lastPassage)
      const rows = indexed.length === 0 ? [] : await deps.prepared(selectTexts(brainId, indexed))
      const known = passages.flatMap((passage) => {
        const found = youngPassage(moment, passage)
        return found ? [{ passage, heading: found.heading, text: found.text }] : []
      })
      return [...rows, ...known]
    },
    read: async (passages) => {
      if (passages.length === 0) return []
      const wanted = passages.map((passage) => wantedOf(moment, passage))
      const rows = await deps.prepared(selectLive(brainId, wanted, { state, isCurrent, validAt }))
      const byPassage = new Map(rows.map((row) => [row.passage, row]))
      return passages.flatMap((passage) => {
        const row = byPassage.get(passage)
        return row ? { ...row, content: contentOf(row.type, row.content, '') } : []
      })
    },
  }
}

/** Opens a Brain's index for a search by some terms. */
export const openPassageSearch = async (
  deps: Deps,
  { brainId }: BrainRow,
  terms: readonly string[],
  { asOf, types, kinds, validAt }: Narrowing,
): Promise<PassageSearch> => {
  const filterTerms = [types?.map(typeTerm), kinds?.map(kindTerm)]
  const moment = await deps.indexes.read(brainId, [...terms, ...filterTerms.flatMap((names) => names ?? [])])
  const { stateVersion } = moment
  if (asOf !== undefined && asOf > stateVersion)
    throw validation(`asOf=${asOf} is ahead of this Brain, which is at stateVersion ${stateVersion}.`)
  const state = asOf ?? stateVersion
  const collection = collectionOf(moment, state, filterOf(moment, filterTerms))
  return searchOf(deps, brainId, { moment, collection, state, isCurrent: asOf === undefined, validAt })
}
