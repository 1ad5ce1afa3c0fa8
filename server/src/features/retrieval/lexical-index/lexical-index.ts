import type { Queryable } from '../../../storage/database.ts'
import { embeddedText } from './build-segment.ts'
import { selectLivePassages } from './indexing-queries.ts'
import { selectTexts } from './search-queries.ts'

// Passages are stretches of versions, as long as an answer wants to be, and an index of their words. A worker makes them
// from the stream after the commit; what is younger than the index is searched as it stands (the tail).

export { countTerms, foundBy } from './build-segment.ts'
export { createIndexReader, type IndexReader } from './index-cache.ts'
export { createPassageIndexer, type PassageIndexer, passagesTopics } from './indexer.ts'
export { kindOf, titleOf } from './knowledge-item.ts'
export { type LivePassage, type Narrowing, openPassageSearch, type PassageSearch } from './lexical-search.ts'
export { isStopTerm, placedTerms, singleTerms } from './tokenize.ts'
export type { Scored } from './top-list.ts'

/** The texts of passages by their numbers, each under its document's title: what an embedding is made of. */
export const passageTexts = async (
  db: Queryable,
  brainId: number,
  passages: readonly number[],
): Promise<Map<number, string>> => {
  const { rows } = await selectTexts(brainId, passages).execute(db)
  return new Map(rows.map(({ passage, ...row }) => [passage, embeddedText(row)]))
}

/**
 * Numbers of a Brain's passages after one, ascending: those not known to have ended. Numbers count up as things are
 * indexed, show in that order and are never used twice, so the last one says where to go on.
 */
export const livePassagesAfter = (db: Queryable, brainId: number, after: number, limit: number): Promise<number[]> =>
  selectLivePassages(db, brainId, after, limit)
