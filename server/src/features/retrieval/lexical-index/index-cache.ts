import { LRUCache } from 'lru-cache'
import { notFound, unavailable } from '../../../shared/errors.ts'
import type { ReadSource } from '../../../storage/database.ts'
import { FilterColumn, refreshFilterColumn } from './filter-columns.ts'
import type { FilterName } from './filter-queries.ts'
import type { InLanguages } from './in-languages.ts'
import { PassageColumns, refreshColumns } from './passage-columns.ts'
import { type Postings, unpackPostings } from './postings.ts'
import type { Segment } from './search-queries.ts'
import { type IndexState, selectIndexState, selectLists } from './search-queries.ts'
import { Unindexed, type UnindexedPassage } from './unindexed.ts'

/** The lists of terms over all segments, in the order of their passages. */
export type TermLists = ReadonlyMap<string, readonly Postings[]>

/** The index of a Brain at one moment, in memory. */
export type IndexMoment = IndexState & {
  columns: PassageColumns
  /** The passages that are not indexed yet, numbered after the last one that is. */
  unindexed: readonly UnindexedPassage[]
  /** The number of events that are not searchable yet. */
  missing: number
  lists: TermLists
  /** In Brains with texts in languages other than English: those languages, and the terms of the query's words in them. */
  inLanguages?: InLanguages | undefined
  /** The columns by which the search is filtered. */
  filters: ReadonlyMap<FilterName, FilterColumn>
}

/** The parts of an index that a search reads: the lists of terms, and columns to filter by. */
export type IndexNeeds = { terms: readonly string[]; filters: readonly FilterName[] }

const noPostings: Postings = { passages: new Uint32Array(0), times: new Uint8Array(0), maxTimes: 0 }

/** The lists of one term by segment; a segment without the term has an empty one. */
type SegmentLists = ReadonlyMap<number, Postings>

const measureLists = (lists: SegmentLists): number => {
  let size = 200 + lists.size * 40
  for (const { times } of lists.values()) size += times.length * 5
  return size
}

/** Lists from the database by segment and term; undefined where a segment was merged since its number was read. */
const selectFrom = async (
  prepared: ReadSource['prepared'],
  brainId: number,
  { segments, terms }: { segments: readonly number[]; terms: readonly string[] },
) => {
  const rows = await prepared(
    selectLists({ brainId, segments: JSON.stringify(segments), terms: JSON.stringify(terms) }),
  )
  const there = new Set(rows.map(({ segment }) => segment))
  if (segments.some((segment) => !there.has(segment))) return undefined
  return new Map(rows.map(({ segment, term, list }) => [`${segment} ${term}`, list]))
}

/** Lists by term and segment. Segments never change, so a list stays valid on any number of nodes and replicas. */
class ListCache {
  readonly #lists: LRUCache<string, SegmentLists>

  constructor(maxSize: number) {
    const sizeCalculation = (lists: SegmentLists) => Math.min(maxSize, measureLists(lists))
    this.#lists = new LRUCache({ maxSize, sizeCalculation })
  }

  get size(): number {
    return this.#lists.calculatedSize
  }

  /** The lists of terms in segments; undefined where a segment was merged since its number was read. */
  async read(
    { prepared }: ReadSource,
    brainId: number,
    segments: readonly Segment[],
    terms: readonly string[],
  ): Promise<TermLists | undefined> {
    const numbers = segments.map(({ segment }) => segment)
    const cached = new Map(terms.map((term) => [term, this.#lists.get(`${brainId} ${term}`)]))
    const lackingTerms = terms.filter((term) => {
      const lists = cached.get(term)
      return numbers.some((segment) => !lists?.has(segment))
    })
    if (lackingTerms.length > 0) {
      const lackingSegments = numbers.filter((segment) => lackingTerms.some((term) => !cached.get(term)?.has(segment)))
      const found = await selectFrom(prepared, brainId, { segments: lackingSegments, terms: lackingTerms })
      if (!found) return undefined
      // Only current segments are kept: others were merged.
      for (const term of lackingTerms) {
        const held = cached.get(term)
        const lists = new Map(
          numbers.map((segment) => {
            const packed = found.get(`${segment} ${term}`)
            return [segment, held?.get(segment) ?? (packed ? unpackPostings(packed) : noPostings)]
          }),
        )
        cached.set(term, lists)
        this.#lists.set(`${brainId} ${term}`, lists)
      }
    }
    return new Map(terms.map((term) => [term, numbers.map((segment) => cached.get(term)?.get(segment) ?? noPostings)]))
  }
}

/** A Brain's index without its lists. Searches of one Brain take turns to update it. */
type CachedBrain = {
  columns: PassageColumns
  unindexed: Unindexed
  filters: Map<FilterName, FilterColumn>
  turn: Promise<unknown>
}

type BrainState = IndexState & { names: readonly FilterName[] }

const isCurrent = (
  { columns, unindexed, filters }: CachedBrain,
  { head, position, lastPassage, names }: BrainState,
): boolean =>
  columns.count >= lastPassage &&
  columns.endsUntil >= position &&
  unindexed.begin === position &&
  unindexed.end >= head &&
  names.every((name) => (filters.get(name)?.upTo ?? 0) >= lastPassage)

const measureBrain = ({ columns, unindexed, filters }: CachedBrain): number =>
  [...filters.values()].reduce((size, column) => size + column.size, columns.size + unindexed.size)

class BrainCache {
  readonly #brains: LRUCache<number, { cached: CachedBrain }>

  constructor(maxSize: number) {
    this.#brains = new LRUCache({
      maxSize,
      // A Brain that is too large for the bound takes all of it: without the cache each search would read everything again.
      sizeCalculation: ({ cached }) => Math.min(maxSize, measureBrain(cached)),
    })
  }

  get size(): number {
    return this.#brains.calculatedSize
  }

  async read(
    source: ReadSource,
    brainId: number,
    state: BrainState,
  ): Promise<Pick<IndexMoment, 'columns' | 'unindexed' | 'missing' | 'filters'>> {
    const cached = this.#brains.get(brainId)?.cached ?? {
      columns: new PassageColumns(),
      unindexed: new Unindexed(),
      filters: new Map(),
      turn: Promise.resolve(),
    }
    if (!isCurrent(cached, state)) {
      // Searches that arrive meanwhile wait for their turn.
      this.#brains.set(brainId, { cached })
      const refreshed = cached.turn.then(() => this.#refresh(source, brainId, cached, state))
      cached.turn = refreshed.catch(() => undefined)
      await refreshed
    }
    const { columns, unindexed, filters } = cached
    const { passages, begin, end, tooLong } = unindexed
    const missing = Math.max(0, begin - state.position) + Math.max(0, state.head - end) + tooLong
    return { columns, unindexed: passages, missing, filters }
  }

  async #refresh(source: ReadSource, brainId: number, cached: CachedBrain, state: BrainState): Promise<void> {
    await refreshColumns(source.db, brainId, cached.columns, state)
    for (const name of state.names) await this.#refreshFilter(source, brainId, cached, { ...state, name })
    await cached.unindexed.refresh(source, brainId, state)
    // The cache measures an entry when it is set, and only if it is another object.
    this.#brains.set(brainId, { cached })
  }

  async #refreshFilter(
    { db }: ReadSource,
    brainId: number,
    { filters }: CachedBrain,
    { name, lastPassage }: IndexState & { name: FilterName },
  ): Promise<void> {
    const column = filters.get(name) ?? new FilterColumn()
    filters.set(name, column)
    await refreshFilterColumn(db, column, { brainId, name, lastPassage })
  }
}

const maxAttempts = 5

/** Reads indexes and keeps them in memory, within a bound, whichever source they were read from. A Brain that is not searched takes none. */
export class IndexCache {
  readonly #lists: ListCache
  readonly #brains: BrainCache

  constructor(maxBytes: number) {
    this.#lists = new ListCache(Math.ceil(maxBytes / 2))
    this.#brains = new BrainCache(Math.ceil(maxBytes / 2))
  }

  /** Bytes in memory. */
  get size(): number {
    return this.#lists.size + this.#brains.size
  }

  /** The index of a Brain as it is now, with the lists of some terms, and columns to filter by. */
  async read(source: ReadSource, brainId: number, { terms, filters: names }: IndexNeeds): Promise<IndexMoment> {
    for (let left = maxAttempts; left > 0; left--) {
      const [state] = await source.prepared(selectIndexState({ brainId }))
      if (!state) throw notFound('This Brain does not exist: it was deleted.')
      const lists = await this.#lists.read(source, brainId, state.segments, terms)
      if (lists) return { ...state, ...(await this.#brains.read(source, brainId, { ...state, names })), lists }
    }
    throw unavailable('The index of this Brain changes faster than it can be read. Try again.')
  }

  /** The lists of more terms at the same moment; undefined where its segments were merged since. */
  readLists(
    source: ReadSource,
    brainId: number,
    { segments }: IndexMoment,
    terms: readonly string[],
  ): Promise<TermLists | undefined> {
    return this.#lists.read(source, brainId, segments, terms)
  }
}
