import type { Measures } from '../../../shared/measures.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import type { Added, LexicalIndex } from '../lexical-index/lexical-index.ts'
import type { LexicalSearch, Statistics } from '../lexical-index/lexical-search.ts'
import type { PreviewServed } from '../receipts/leave-receipt.ts'
import type { Reranker } from '../reranking/reranking.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import type { AddedVectors, NoMeaning, Vectors } from '../vectors/vectors.ts'

// A Brain that is opened for a search, and what the searches of several Brains share.

export type SearchDeps = {
  /** The database that the search reads from. */
  source: ReadSource
  lexicalIndex: LexicalIndex
  vectors: Vectors | undefined
  /** Puts results in order where a request asks for it; undefined where the operator configured none. */
  reranker: Reranker | undefined
  schemas: SchemaCache
  measures: Measures
  /** A change that the only Brain of the search has, as its answers show it. */
  preview?: PreviewedChange | undefined
}

/** A pending change whose content is searched as if it were published. */
export type PreviewedChange = {
  added: Added
  /** The vectors of its passages, as far as they were embedded. */
  vectors: AddedVectors | undefined
  /** Its description in answers, and in their receipts. */
  described: { change: string; blockedBy?: string }
  served: PreviewServed
}

/** Why a Brain is searched by words alone. `changing`: its vectors are of another model than those of the other Brains. */
export type WithoutMeaning = NoMeaning | 'off' | 'changing'

/** A Brain whose search is open, while the model may still be embedding the query. */
export type OpenedBrain = {
  brain: BrainRow
  lexical: LexicalSearch
  meaning: Promise<VectorSearch | WithoutMeaning | undefined>
  aliases: Aliases | undefined
}

/** The fields of a Brain's kinds that hold other names of records; undefined where its schema declares none. */
export type Aliases = ReadonlyMap<string, readonly string[]>

/** A Brain of a search. `offset`: what is added to the numbers of its passages, so that they differ from those of other Brains. */
export type SearchedBrain = {
  brain: BrainRow
  lexical: LexicalSearch
  offset: number
  semantic: VectorSearch | undefined
  aliases: Aliases | undefined
  /** Why there is no search by meaning where the request is for one. */
  noMeaning: WithoutMeaning | undefined
}

/** A search by meaning that knows the passages of a previewed change, too. */
export const withAdded = async (
  meaning: OpenedBrain['meaning'],
  lexical: LexicalSearch,
  { added, vectors }: PreviewedChange,
): OpenedBrain['meaning'] => {
  const found = await meaning
  if (typeof found === 'object' && vectors && vectors.space === found.space)
    found.addVectors(lexical.lastPassage - added.passages.length, vectors.index)
  return found
}

/** The statistics of several Brains as if they were one. */
const sumStatistics = (all: readonly Statistics[]): Statistics => {
  const holders = new Map<string, number>()
  const sum = { passages: 0, counted: 0, terms: 0 }
  for (const one of all) {
    sum.passages += one.passages
    sum.counted += one.counted
    sum.terms += one.terms
    for (const [term, count] of one.holders) holders.set(term, (holders.get(term) ?? 0) + count)
  }
  return { ...sum, holders }
}

/** Lets the searches of several Brains by words score by the statistics of all, so that their scores are comparable. */
export const shareStatistics = (opened: readonly OpenedBrain[]): void => {
  const shared = sumStatistics(opened.map(({ lexical }) => lexical.statistics))
  for (const { lexical } of opened) lexical.useStatistics(shared)
}
