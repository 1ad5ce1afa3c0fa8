import type { SearchMode } from '@noema/contracts/search.ts'
import type { Measures } from '../../../shared/measures.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { LexicalIndex } from '../lexical-index/lexical-index.ts'
import type { LexicalSearch, Statistics } from '../lexical-index/lexical-search.ts'
import type { Narrowing } from '../lexical-index/types.ts'
import type { Reranker } from '../reranking/reranking.ts'
import type { VectorSearch } from '../vectors/vector-search.ts'
import type { EmbeddedQueries, NoMeaning, Vectors } from '../vectors/vectors.ts'

// A Brain that is opened for a search, and what the searches of several Brains share.

export type SearchDeps = {
  /** The database that the search reads from. */
  source: ReadSource
  lexicalIndex: LexicalIndex
  vectors: Vectors | undefined
  /** Puts results in order where a request asks for it; undefined where the operator configured none. */
  reranker: Reranker | undefined
  measures: Measures
}

/** Why a Brain is searched by words alone. `changing`: its vectors are of another model than those of the other Brains. */
export type WithoutMeaning = NoMeaning | 'off' | 'changing'

/** A Brain whose search is open, while the model may still be embedding the query. */
export type OpenedBrain = {
  brain: BrainRow
  lexical: LexicalSearch
  meaning: Promise<VectorSearch | WithoutMeaning | undefined>
}

/** A Brain of a search. `offset`: what is added to the numbers of its passages, so that they differ from those of other Brains. */
export type SearchedBrain = {
  brain: BrainRow
  lexical: LexicalSearch
  offset: number
  semantic: VectorSearch | undefined
  /** Why there is no search by meaning where the request is for one. */
  noMeaning: WithoutMeaning | undefined
}

/** Opens a Brain for a search. The model embeds the query meanwhile, once for all Brains that share `embedded`. */
export const openBrain = async (
  { source, lexicalIndex, vectors }: Pick<SearchDeps, 'source' | 'lexicalIndex' | 'vectors'>,
  brain: BrainRow,
  { q, mode, ...narrowing }: Narrowing & { q: string; mode: SearchMode },
  embedded?: EmbeddedQueries,
): Promise<OpenedBrain> => {
  const openMeaning = async () =>
    mode === 'lexical' ? undefined : (vectors?.openSearch(source, brain.brainId, q, embedded) ?? ('off' as const))
  const meaning = openMeaning()
  // A failure counts when the meaning is needed, which is never if the Brain cannot be opened.
  meaning.catch(() => undefined)
  return { brain, lexical: await lexicalIndex.open(source, brain, { q, ...narrowing }), meaning }
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
  if (opened.length < 2) return
  const shared = sumStatistics(opened.map(({ lexical }) => lexical.statistics))
  for (const { lexical } of opened) lexical.useStatistics(shared)
}

/** The space in which most of the searches by meaning compare. */
const findCommonSpace = (found: readonly (VectorSearch | WithoutMeaning | undefined)[]): string | undefined => {
  const spaces = found.flatMap((one) => (typeof one === 'object' ? one.space : []))
  const count = (space: string) => spaces.filter((other) => other === space).length
  return spaces.toSorted((a, b) => count(b) - count(a))[0]
}

/** Waits for the query to be embedded. Brains in another space than most are searched by words alone. */
export const awaitMeaning = async (opened: readonly OpenedBrain[]): Promise<SearchedBrain[]> => {
  const found = await Promise.all(opened.map(({ meaning }) => meaning))
  const space = findCommonSpace(found)
  let offset = 0
  return opened.map(({ brain, lexical }, index) => {
    const one = found[index]
    const semantic = typeof one === 'object' && one.space === space ? one : undefined
    const noMeaning = typeof one === 'object' ? (semantic ? undefined : ('changing' as const)) : one
    const searched = { brain, lexical, offset, semantic, noMeaning }
    offset += lexical.lastPassage + 1
    return searched
  })
}
