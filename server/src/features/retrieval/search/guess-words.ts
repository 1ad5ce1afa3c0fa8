import type { LexicalSearch } from '../lexical-index/lexical-search.ts'
import { findHolders } from '../lexical-index/lookups.ts'
import { findNearTerms, tokenize, toSpelling } from '../terms/terms.ts'
import type { OpenedBrain } from './open-brain.ts'

// A word of the query that no text has may be the beginning of one that texts have, or misspelled by one letter. It is looked up in the
// dictionary of terms, which the index has anyway. Numbers, ids and words that exist are never guessed at.

/** Words of a query that are guessed. Each costs up to a thousand lookups by key. */
const maxWords = 2
/** Letters of a word that may be the beginning of another, and of one that may be misspelled. */
const minBeginning = 4
const minMisspelled = 6
const maxLength = 15
/** Other words that a misspelled one may mean. */
const maxNear = 2
/** The share that a guess counts as evidence: the beginning of a word says more than another word. */
const share = { beginning: 0.8, misspelled: 0.5 } as const

type Unknown = { term: string; word: string }

/** Words of the query that no searched Brain has. */
const findUnknown = (opened: readonly OpenedBrain[]): Unknown[] => {
  const { q = '', query = [] } = opened[0]?.lexical ?? {}
  const isUnknown = (term: string) =>
    opened.every(({ lexical }) => lexical.query.every((one) => one.term !== term || one.lists.length === 0))
  const terms = new Set(query.map(({ term }) => term).filter(isUnknown))
  const words = new Map<string, string>()
  for (const { term, starts, ends } of terms.size === 0 ? [] : tokenize(q)) {
    const word = terms.has(term) ? toSpelling(q.slice(starts, ends)) : undefined
    if (word !== undefined && word.length >= minBeginning && word.length <= maxLength) words.set(term, word)
    if (words.size === maxWords) break
  }
  return Array.from(words, ([term, word]) => ({ term, word }))
}

/** Finds what most texts have, over all Brains. */
const findMost = async (
  searches: readonly LexicalSearch[],
  requested: { near: readonly string[] } | { beginning: string },
): Promise<string | undefined> => {
  const sums = new Map<string, number>()
  for (const lexical of searches)
    for (const { term, bytes } of await findHolders(lexical, requested)) sums.set(term, (sums.get(term) ?? 0) + bytes)
  // A word that may be many others is none of them: it is just not there.
  if ('near' in requested && sums.size > maxNear) return undefined
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0]
}

/** The term that an unknown word probably means. */
const guess = async (searches: readonly LexicalSearch[], { word }: Unknown) => {
  const longer = await findMost(searches, { beginning: word })
  if (longer !== undefined) return { found: longer, share: share.beginning }
  const near = word.length < minMisspelled ? undefined : await findMost(searches, { near: [...findNearTerms(word)] })
  return near === undefined ? undefined : { found: near, share: share.misspelled }
}

/** Lets a search look for what its unknown words probably mean, the same in all Brains. */
export const guessWords = async (opened: readonly OpenedBrain[]): Promise<void> => {
  const searches = opened.map(({ lexical }) => lexical)
  for (const unknown of findUnknown(opened)) {
    const guessed = await guess(searches, unknown)
    if (!guessed) continue
    const lists = await Promise.all(searches.map((lexical) => lexical.readLists([guessed.found])))
    // If segments were merged meanwhile, the word stays as it is written.
    if (lists.some((one) => one === undefined)) continue
    for (const [index, lexical] of searches.entries())
      lexical.replaceTerms(new Map([[unknown.term, guessed.found]]), {
        lists: lists[index] ?? new Map(),
        share: guessed.share,
      })
  }
}
