import { LRUCache } from 'lru-cache'
import { notFound, unavailable } from '../../../shared/errors.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { Segment } from './indexing-queries.ts'
import { PassageTable, refreshTable } from './passage-columns.ts'
import { type Postings, unpackPostings } from './postings.ts'
import { type IndexState, indexState, listsOf } from './search-queries.ts'
import { Tail, type YoungPassage } from './unindexed.ts'

/** The index of a Brain as one moment showed it, in memory. */
export type IndexMoment = IndexState & {
  table: PassageTable
  /** What is younger than the index; its passages are numbered after the last one that is indexed. */
  young: readonly YoungPassage[]
  /** How many events are not searchable yet. */
  missing: number
  /** The lists of each term over all segments, in the order of their passages. */
  lists: ReadonlyMap<string, readonly Postings[]>
}

/** Reads indexes and keeps what it read in memory, within a bound. A Brain that nobody searches takes none. */
export type IndexReader = {
  read(brainId: number, terms: readonly string[]): Promise<IndexMoment>
  /** The same moment with the lists of more terms; undefined where its segments were merged away since. */
  widen(brainId: number, moment: IndexMoment, terms: readonly string[]): Promise<IndexMoment | undefined>
  /** Bytes in memory. */
  size(): number
}

type Deps = { db: Db; prepared: RunPrepared }

const noPostings: Postings = { passages: new Uint32Array(0), times: new Uint8Array(0), mostTimes: 0 }

/** The lists of one term by segment; a segment without the term has an empty one. */
type TermLists = ReadonlyMap<number, Postings>

const sizeOfLists = (lists: TermLists): number => {
  let size = 200 + lists.size * 40
  for (const { times } of lists.values()) size += times.length * 5
  return size
}

/** Lists by term and segment. Segments never change, so what was read once holds on any number of nodes. */
const createLists = ({ prepared }: Deps, maxSize: number) => {
  const sizeCalculation = (lists: TermLists) => Math.min(maxSize, sizeOfLists(lists))
  const cache = new LRUCache<string, TermLists>({ maxSize, sizeCalculation })
  /** Lists from the database by segment and term; undefined where a segment was merged away since its number was read. */
  const readLists = async (brainId: number, segments: readonly number[], terms: readonly string[]) => {
    const rows = terms.length === 0 ? [] : await prepared(listsOf(brainId, segments, terms))
    const there = new Set(rows.map(({ segment }) => segment))
    if (terms.length > 0 && segments.some((segment) => !there.has(segment))) return undefined
    return new Map(rows.map(({ segment, term, list }) => [`${segment} ${term}`, list]))
  }
  const read = async (brainId: number, segments: readonly Segment[], terms: readonly string[]) => {
    const numbers = segments.map(({ segment }) => segment)
    const known = new Map(terms.map((term) => [term, cache.get(`${brainId} ${term}`)]))
    const lacks = (segment: number, term: string) => !known.get(term)?.has(segment)
    const lackingTerms = terms.filter((term) => numbers.some((segment) => lacks(segment, term)))
    const lackingSegments = numbers.filter((segment) => lackingTerms.some((term) => lacks(segment, term)))
    const found = await readLists(brainId, lackingSegments, lackingTerms)
    if (!found) return undefined
    const listOf = (segment: number, term: string): Postings => {
      const held = known.get(term)?.get(segment)
      const packed = held ? undefined : found.get(`${segment} ${term}`)
      return held ?? (packed ? unpackPostings(packed) : noPostings)
    }
    // Only the segments of now are kept: others were merged away.
    for (const term of lackingTerms) {
      const lists = new Map(numbers.map((segment) => [segment, listOf(segment, term)]))
      known.set(term, lists)
      cache.set(`${brainId} ${term}`, lists)
    }
    return new Map(terms.map((term) => [term, numbers.map((segment) => known.get(term)?.get(segment) ?? noPostings)]))
  }
  return { read, size: () => cache.calculatedSize }
}

type Known = { table: PassageTable; tail: Tail; turn: Promise<unknown> }

/** What is known of each Brain beside its lists. Searches of one Brain take turns to bring it up to the index. */
const createTables = (deps: Deps, maxSize: number) => {
  // One that is too large for the bound has all of it: without any, each search would read everything anew.
  const sizeOf = ({ table, tail }: Known) => Math.min(maxSize, table.size + tail.size)
  const cache = new LRUCache<number, Known>({ maxSize, sizeCalculation: sizeOf })
  const refresh = async (brainId: number, known: Known, state: IndexState) => {
    const { table, tail } = known
    await refreshTable(deps.db, brainId, table, state)
    await tail.refresh(deps, brainId, state)
    cache.set(brainId, known)
    return { table, young: tail.passages, missing: tail.missing(state) }
  }
  return {
    size: () => cache.calculatedSize,
    read: (brainId: number, state: IndexState) => {
      const known = cache.get(brainId) ?? { table: new PassageTable(), tail: new Tail(), turn: Promise.resolve() }
      const reading = known.turn.then(() => refresh(brainId, known, state))
      known.turn = reading.catch(() => undefined)
      cache.set(brainId, known)
      return reading
    },
  }
}

const attempts = 5

/** Opens a reader that keeps at most so many bytes. */
export const createIndexReader = (deps: Deps, mostBytes: number): IndexReader => {
  const lists = createLists(deps, Math.ceil(mostBytes / 2))
  const tables = createTables(deps, Math.ceil(mostBytes / 2))
  return {
    size: () => lists.size() + tables.size(),
    read: async (brainId, terms) => {
      for (let left = attempts; left > 0; left--) {
        const [state] = await deps.prepared(indexState(brainId))
        if (!state) throw notFound('This Brain does not exist: it was deleted.')
        const found = await lists.read(brainId, state.segments, terms)
        if (!found) continue
        return { ...state, ...(await tables.read(brainId, state)), lists: found }
      }
      throw unavailable('The index of this Brain changes faster than it can be read. Try again.')
    },
    widen: async (brainId, moment, terms) => {
      const found = await lists.read(brainId, moment.segments, terms)
      return found && { ...moment, lists: new Map([...moment.lists, ...found]) }
    },
  }
}
