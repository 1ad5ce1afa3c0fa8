import type { Queryable, ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { toAheadError } from '../../kernel/state-reads/state-reads.ts'
import { selectUnsearchable } from '../../kernel/unsearchable/unsearchable-queries.ts'
import { countQueryTerms } from '../terms/terms.ts'
import { applyFilters, toFilters } from './filters.ts'
import { openInLanguages } from './in-languages.ts'
import { IndexCache, type IndexMoment } from './index-cache.ts'
import { selectLivePassages } from './indexing-queries.ts'
import { LexicalSearch } from './lexical-search.ts'
import { readTexts } from './search-queries.ts'
import { embeddedText, foreignTerm } from './split-version.ts'
import type { Narrowing } from './types.ts'
import type { AddedPassages } from './unindexed.ts'

// Passages are parts of versions, about as long as an answer, and the index has their words. A worker makes them from the stream
// after the commit; search reads the newest events without an index.

/** Items that cannot be found are counted up to this many. */
const maxUnsearchable = 1_000

/** Content that a search finds next to that of the index, and the source that has its rows. It is not kept. */
export type Added = AddedPassages & { source: ReadSource }

/** An index together with content that makes the next state. */
const addTo = (moment: IndexMoment, { passages, missing }: Added): IndexMoment => ({
  ...moment,
  stateVersion: moment.stateVersion + 1,
  unindexed: [...moment.unindexed, ...passages],
  missing: moment.missing + missing,
})

/** The lexical indexes of Brains on one node, which caches at most so many bytes. */
export class LexicalIndex {
  readonly #indexes: IndexCache

  constructor(maxBytes: number) {
    this.#indexes = new IndexCache(maxBytes)
  }

  /** Bytes in memory. */
  get size(): number {
    return this.#indexes.size
  }

  /** Opens a Brain's index for a search by the words of a query, which reads from one source throughout; rows of content from that of `added`. */
  async open(
    source: ReadSource,
    { brainId }: BrainRow,
    { q, ...narrowing }: Narrowing & { q: string },
    added?: Added,
  ): Promise<LexicalSearch> {
    const { asOf, validAt } = narrowing
    const counted = countQueryTerms(q)
    const filters = toFilters(narrowing)
    const indexed = await this.#indexes.read(source, brainId, {
      terms: [...counted.keys(), foreignTerm, ...filters.flatMap((one) => ('terms' in one ? one.terms : []))],
      filters: filters.flatMap((one) => ('name' in one ? one.name : [])),
    })
    const read = added ? addTo(indexed, added) : indexed
    const isForeign =
      read.lists.get(foreignTerm)?.some(({ passages }) => passages.length > 0) ||
      read.unindexed.some(({ counts }) => counts.has(foreignTerm))
    const inEnglish = { moment: read, terms: counted }
    const { moment, terms } = isForeign
      ? await openInLanguages(q, inEnglish, (more) => this.#indexes.readLists(source, brainId, read, more))
      : inEnglish
    const { stateVersion } = moment
    if (asOf !== undefined && asOf > stateVersion) throw toAheadError(asOf, stateVersion)
    const filter = filters.length > 0 ? applyFilters(moment, filters) : undefined
    const isCurrent = asOf === undefined
    const at = asOf ?? stateVersion
    const unsearchable = moment.hasUnsearchable
      ? await source.prepared(selectUnsearchable(brainId, at, maxUnsearchable))
      : []
    return new LexicalSearch(
      { source: added?.source ?? source, indexes: this.#indexes },
      { brainId, q, moment, terms, state: at, isCurrent, validAt, filter, unsearchable },
    )
  }
}

/** The texts of passages by their numbers, each below its document's title, as they are embedded. */
export const passageTexts = async (
  db: Queryable,
  brainId: number,
  passages: readonly number[],
): Promise<Map<number, string>> => {
  const rows = await readTexts(db, brainId, passages)
  return new Map(rows.map(({ passage, ...row }) => [passage, embeddedText(row)]))
}

/**
 * Numbers of a Brain's passages after one, ascending, without those that are known to have ended. Numbers count up as items are
 * indexed, become visible in that order and are never used twice, so the last one is where to continue.
 */
export const livePassagesAfter = (db: Queryable, brainId: number, after: number, limit: number): Promise<number[]> =>
  selectLivePassages(db, brainId, after, limit)
