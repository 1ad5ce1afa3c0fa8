import type { Json } from '../../../shared/text/json.ts'
import { judge, judgeHits } from '../evidence/evidence.ts'
import { findOfKinds, measureShare } from '../lexical-index/lookups.ts'
import { type LivePassage, withoutNeighbours } from '../lexical-index/types.ts'
import { tokenize } from '../terms/terms.ts'
import type { Aliases, SearchedBrain } from './open-brain.ts'
import { type Hit, toKey } from './results.ts'

// A field that the schema marks as an alias holds other names of its record. A query that has such a name, whole, means the record.
// The values are read from the records themselves, so a declaration works at once, for all records and states, with any index.

/** The records of a Brain that are checked, and the number of passages from which a word names nothing. */
const limits = { max: 40, maxHolders: 1_000 } as const

const toTerms = (text: string): string[] => Array.from(tokenize(text), ({ term }) => term)

/** The values of a field, as far as they are names. */
const listNames = (value: Json | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')

/** Checks whether terms are within others, one after the other. */
const isWithin = (terms: readonly string[], within: readonly string[]): boolean =>
  terms.length > 0 && within.some((_term, at) => terms.every((term, index) => within[at + index] === term))

/** The longest alias of a record that a query has, and the number of its terms. */
const findAlias = (
  { item }: LivePassage,
  aliases: Aliases,
  asked: readonly string[],
): { alias: string; terms: readonly string[] } | undefined => {
  if (item.type !== 'record') return undefined
  const { kind, fields } = item.record
  return (aliases.get(kind) ?? [])
    .flatMap((name) => listNames(Object.hasOwn(fields, name) ? fields[name] : undefined))
    .map((alias) => ({ alias, terms: toTerms(alias) }))
    .filter(({ terms }) => isWithin(terms, asked))
    .sort((a, b) => b.terms.length - a.terms.length)[0]
}

/** The hits of a Brain that the query names by an alias, with the share of its words that the alias is. */
const findNamed = async (
  { lexical, semantic, aliases }: SearchedBrain,
  owner: number,
  asked: readonly string[],
): Promise<(Hit & { share: number })[]> => {
  if (!aliases?.size) return []
  const passages = await findOfKinds(lexical, [...aliases.keys()], limits)
  const named = (await lexical.readLive(passages)).flatMap((row) => {
    const found = findAlias(row, aliases, asked)
    return found ? [{ ...row, ...found, owner, score: 0, isLifted: false }] : []
  })
  const judged = await judgeHits({ lexical, semantic, candidates: withoutNeighbours, question: undefined }, named)
  return judged.map(({ terms, ...hit }) => {
    const share = measureShare(lexical, new Set(terms))
    // A name that the query has is as close as can be, as far as the query is that name.
    const support = Math.max(hit.support, hit.coverage + share)
    return { ...hit, share, support, evidence: judge(support) }
  })
}

/** The hits together with the records that the query names by an alias. Each gains the best score by the share of the query that its alias is. */
export const addNamed = async (
  searched: readonly SearchedBrain[],
  hits: readonly Hit[],
  { q, question = q, limit }: { q: string; question?: string | undefined; limit: number },
): Promise<Hit[]> => {
  const asked = toTerms(question)
  const found = (await Promise.all(searched.map((one, owner) => findNamed(one, owner, asked)))).flat()
  // A long record has several passages with its names.
  const named = [...new Map(found.map((hit) => [toKey(hit), hit] as const)).values()]
  if (named.length === 0) return [...hits]
  const best = Math.max(1, ...hits.map(({ score }) => score))
  const own = new Map(hits.map((hit) => [toKey(hit), hit.score]))
  const isNamed = new Set(named.map(toKey))
  // Of equal ones, the named come first: the order is kept.
  const all = [
    ...named.map(({ share, ...hit }) => ({ ...hit, score: Math.max(0, own.get(toKey(hit)) ?? 0) + share * best })),
    ...hits.filter((hit) => !isNamed.has(toKey(hit))),
  ]
  return all.sort((a, b) => b.score - a.score).slice(0, limit)
}
