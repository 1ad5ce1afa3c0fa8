import { countHolders, findIndex } from './bm25.ts'
import type { TermLists } from './index-cache.ts'
import { findLists, type LexicalSearch } from './lexical-search.ts'
import type { Postings } from './postings.ts'
import { selectPassagesOf, selectTerms, selectTermsBetween, type TermRow } from './search-queries.ts'
import { kindTerm } from './split-version.ts'

// Passages of an open search by other things than the score of its query.

const has = ({ passages }: Postings, passage: number): boolean =>
  passages[findIndex(passages, passage, 0, passages.length)] === passage

/** The terms of some that each passage has, in the order of the passages. */
export const findHeld = (
  { moment }: LexicalSearch,
  passages: readonly number[],
  terms: Iterable<string>,
  lists: TermLists,
): Set<string>[] => {
  const held = passages.map(() => new Set<string>())
  for (const term of terms)
    for (const list of findLists(moment, lists, term))
      for (const [index, passage] of passages.entries()) if (has(list, passage)) held[index]?.add(term)
  return held
}

/** True if a search may answer a passage, as far as the index knows. */
const isAccepted = ({ accepted }: LexicalSearch, passage: number): boolean => {
  const { lastPassage, state, fromStates, toStates, filter } = accepted
  if (filter?.[passage] === 0) return false
  return passage > lastPassage || ((fromStates[passage] ?? 0) <= state && (toStates[passage] ?? 0) > state)
}

/**
 * The passages of some kinds that have terms of the query, those with the rarest terms first. Terms that so many passages have
 * name nothing.
 */
export const findOfKinds = async (
  lexical: LexicalSearch,
  kinds: readonly string[],
  { max, maxHolders }: { max: number; maxHolders: number },
): Promise<number[]> => {
  const terms = kinds.map(kindTerm)
  const lists = await lexical.readLists(terms)
  if (!lists) return []
  const ofKinds = terms.flatMap((term) => findLists(lexical.moment, lists, term))
  const found = new Map<number, number>()
  for (const { lists: own } of lexical.query) {
    const holders = countHolders(own)
    if (holders > maxHolders) continue
    for (const { passages } of own)
      for (const passage of passages)
        if (isAccepted(lexical, passage) && ofKinds.some((list) => has(list, passage)))
          found.set(passage, (found.get(passage) ?? 0) + 1 / holders)
  }
  const best = [...found].sort(([a, x], [b, y]) => y - x || a - b)
  return best.slice(0, max).map(([passage]) => passage)
}

/** The first passages of records by their ids, as far as the search may answer them. */
export const findRecords = async (lexical: LexicalSearch, ids: readonly string[]): Promise<number[]> => {
  if (ids.length === 0) return []
  const { unindexed, lastPassage } = lexical.moment
  const named = new Set(ids)
  const newest = unindexed.flatMap(({ passage: { type, ordinal, id } }, index) =>
    type === 'record' && ordinal === 0 && named.has(id) ? lastPassage + 1 + index : [],
  )
  const { brainId, stateVersion: state } = lexical
  const rows = await lexical.source.prepared(selectPassagesOf({ brainId, ids: JSON.stringify(ids), state }))
  const indexed = rows.map(({ passage }) => passage).filter((passage) => passage <= lastPassage)
  return [...indexed, ...newest].filter((passage) => isAccepted(lexical, passage))
}

/** The share of the weight of a query's terms that some of them are; rare ones weigh more. */
export const measureShare = ({ query, passages }: LexicalSearch, terms: ReadonlySet<string>): number => {
  let [part, whole] = [0, 0]
  for (const { term, lists, holders } of query) {
    const held = holders ?? countHolders(lists)
    const weight = Math.log(1 + (Math.max(passages, held) + 1) / (held + 1))
    whole += weight
    if (terms.has(term)) part += weight
  }
  return whole === 0 ? 0 : part / whole
}

/** The terms that are looked at behind the beginning of a word, in each segment. */
const maxCompletions = 50

/** Behind every term that begins with a word of letters. */
const toEnd = (beginning: string): string => `${beginning}{`

/** Those of some terms, or of the words with a beginning, that passages have. More bytes are more passages. */
export const findHolders = async (
  { moment, source, brainId }: LexicalSearch,
  requested: { near: readonly string[] } | { beginning: string },
): Promise<TermRow[]> => {
  const segments = JSON.stringify(moment.segments.map(({ segment }) => segment))
  const near = 'near' in requested ? new Set(requested.near) : undefined
  const beginning = 'beginning' in requested ? requested.beginning : ''
  const rows = await source.prepared(
    near
      ? selectTerms({ brainId, segments, terms: JSON.stringify([...near]) })
      : selectTermsBetween({ brainId, segments, after: beginning, before: toEnd(beginning), limit: maxCompletions }),
  )
  const newest = new Map<string, number>()
  for (const { counts } of moment.unindexed)
    for (const term of counts.keys())
      if (near ? near.has(term) : term.startsWith(beginning) && term < toEnd(beginning))
        newest.set(term, (newest.get(term) ?? 0) + 1)
  return [...rows, ...Array.from(newest, ([term, bytes]) => ({ term, bytes }))]
}
