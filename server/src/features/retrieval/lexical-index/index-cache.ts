import { LRUCache } from 'lru-cache'
import { notFound, unavailable } from '../../../shared/errors.ts'
import type { ReadSource } from '../../../storage/database.ts'
import { PassageColumns, refreshColumns } from './passage-columns.ts'
import { type Postings, unpackPostings } from './postings.ts'
import type { Segment } from './search-queries.ts'
import { type IndexState, selectIndexState, selectLists } from './search-queries.ts'
import { Unindexed, type UnindexedPassage } from './unindexed.ts'

/** The lists of terms over all segments, in the order of their passages. */
export type TermLists = ReadonlyMap<string, readonly Postings[]>

/** The index of a Brain as one moment showed it, in memory. */
export type IndexMoment = IndexState & {
  columns: PassageColumns
  /** What is not indexed yet; its passages are numbered after the last one that is. */
  unindexed: readonly UnindexedPassage[]
  /** How many events are not searchable yet. */
  missing: number
  lists: TermLists
}

const noPostings: Postings = { passages: new Uint32Array(0), times: new Uint8Array(0), maxTimes: 0 }

/** The lists of one term by segment; a segment without the term has an empty one. */
type SegmentLists = ReadonlyMap<number, Postings>

const measureLists = (lists: SegmentLists): number => {
  let size = 200 + lists.size * 40
  for (const { times } of lists.values()) size += times.length * 5
  return size
}

/** Lists from the database by segment and term; undefined where a segment was merged away since its number was read. */
const selectFrom = async (
  prepared: ReadSource['prepared'],
  brainId: number,
  { segments, terms }: { segments: readonly number[]; terms: readonly string[] },
) => {
  const rows = await prepared(selectLists(brainId, segments, terms))
  const there = new Set(rows.map(({ segment }) => segment))
  if (segments.some((segment) => !there.has(segment))) return undefined
  return new Map(rows.map(({ segment, term, list }) => [`${segment} ${term}`, list]))
}

/** Lists by term and segment. Segments never change, so what was read once holds on any number of nodes and replicas. */
class ListCache {
  readonly #lists: LRUCache<string, SegmentLists>

  constructor(maxSize: number) {
    const sizeCalculation = (lists: SegmentLists) => Math.min(maxSize, measureLists(lists))
    this.#lists = new LRUCache({ maxSize, sizeCalculation })
  }

  get size(): number {
    return this.#lists.calculatedSize
  }

  /** The lists of terms in segments; undefined where a segment was merged away since its number was read. */
  async read(
    { prepared }: ReadSource,
    brainId: number,
    segments: readonly Segment[],
    terms: readonly string[],
  ): Promise<TermLists | undefined> {
    const numbers = segments.map(({ segment }) => segment)
    const known = new Map(terms.map((term) => [term, this.#lists.get(`${brainId} ${term}`)]))
    const lackingTerms = terms.filter((term) => {
      const lists = known.get(term)
      return numbers.some((segment) => !lists?.has(segment))
    })
    if (lackingTerms.length > 0) {
      const lackingSegments = numbers.filter((segment) => lackingTerms.some((term) => !known.get(term)?.has(segment)))
      const found = await selectFrom(prepared, brainId, { segments: lackingSegments, terms: lackingTerms })
      if (!found) return undefined
      // Only the segments of now are kept: others were merged away.
      for (const term of lackingTerms) {
        const held = known.get(term)
        const lists = new Map(
          numbers.map((segment) => {
            const packed = found.get(`${segment} ${term}`)
            return [segment, held?.get(segment) ?? (packed ? unpackPostings(packed) : noPostings)]
          }),
        )
        known.set(term, lists)
        this.#lists.set(`${brainId} ${term}`, lists)
      }
    }
    return new Map(terms.map((term) => [term, numbers.map((segment) => known.get(term)?.get(segment) ?? noPostings)]))
  }
}

/** What is known of a Brain beside its lists. Searches of one Brain take turns to bring it up to the index. */
type KnownBrain = { columns: PassageColumns; unindexed: Unindexed; turn: Promise<unknown> }

const isCurrent = ({ columns, unindexed }: KnownBrain, { head, position, lastPassage }: IndexState): boolean =>
  columns.count >= lastPassage && columns.noted >= position && unindexed.begin === position && unindexed.end >= head

class BrainCache {
  readonly #brains: LRUCache<number, { known: KnownBrain }>

  constructor(maxSize: number) {
    this.#brains = new LRUCache({
      maxSize,
      // One that is too large for the bound has all of it: without any, each search would read everything anew.
      sizeCalculation: ({ known: { columns, unindexed } }) => Math.min(maxSize, columns.size + unindexed.size),
    })
  }

  get size(): number {
    return this.#brains.calculatedSize
  }

  async read(
    source: ReadSource,
    brainId: number,
    state: IndexState,
  ): Promise<Pick<IndexMoment, 'columns' | 'unindexed' | 'missing'>> {
    const known = this.#brains.get(brainId)?.known ?? {
      columns: new PassageColumns(),
      unindexed: new Unindexed(),
      turn: Promise.resolve(),
    }
    if (!isCurrent(known, state)) {
      // Whoever comes meanwhile takes a turn with this one.
      this.#brains.set(brainId, { known })
      const refreshed = known.turn.then(() => this.#refresh(source, brainId, known, state))
      known.turn = refreshed.catch(() => undefined)
      await refreshed
    }
    const { columns, unindexed } = known
    const { passages, begin, end, tooLong } = unindexed
    const missing = Math.max(0, begin - state.position) + Math.max(0, state.head - end) + tooLong
    return { columns, unindexed: passages, missing }
  }

  async #refresh(source: ReadSource, brainId: number, known: KnownBrain, state: IndexState): Promise<void> {
    await refreshColumns(source.db, brainId, known.columns, state)
    await known.unindexed.refresh(source, brainId, state)
    // What is kept is measured where it is set, and only as another object.
    this.#brains.set(brainId, { known })
  }
}

const maxAttempts = 5

/**
 * Reads indexes and keeps what it read in memory, within a bound, whatever it was read from. A Brain that nobody searches takes
 * none.
 */
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

  /** The index of a Brain as it is now, with the lists of some terms. */
  async read(source: ReadSource, brainId: number, terms: readonly string[]): Promise<IndexMoment> {
    for (let left = maxAttempts; left > 0; left--) {
      const [state] = await source.prepared(selectIndexState(brainId))
      if (!state) throw notFound('This Brain does not exist: it was deleted.')
      const lists = await this.#lists.read(source, brainId, state.segments, terms)
      if (lists) return { ...state, ...(await this.#brains.read(source, brainId, state)), lists }
    }
    throw unavailable('The index of this Brain changes faster than it can be read. Try again.')
  }

  /** The lists of more terms at the same moment; undefined where its segments were merged away since. */
  readLists(
    source: ReadSource,
    brainId: number,
    { segments }: IndexMoment,
    terms: readonly string[],
  ): Promise<TermLists | undefined> {
    return this.#lists.read(source, brainId, segments, terms)
  }
}
