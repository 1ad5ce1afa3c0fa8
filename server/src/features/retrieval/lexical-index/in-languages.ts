import type { FindLanguage, Language } from '../terms/terms.ts'
import { tokenize } from '../terms/terms.ts'
import type { IndexMoment, TermLists } from './index-cache.ts'
import { mergePostings, type Postings } from './postings.ts'
import { languageTerm } from './split-version.ts'

// A text has terms in its own language, and a query may be in any. In a Brain with texts in languages other than English, each word of a
// query finds what its term in English finds, and its terms in those languages.

/** The languages of a Brain's texts, the other terms of each term of a query, and how to tell the language of a text. */
export type InLanguages = {
  there: readonly Language[]
  variants: ReadonlyMap<string, readonly string[]>
  detect: FindLanguage
}

/** True if passages of the Brain have a term. */
const has = ({ unindexed }: IndexMoment, lists: TermLists, term: string): boolean =>
  (lists.get(term) ?? []).some(({ passages }) => passages.length > 0) ||
  unindexed.some(({ counts }) => counts.has(term))

const findVariants = (q: string, terms: ReadonlyMap<string, number>, there: readonly Language[]) => {
  const variants = new Map<string, string[]>()
  for (const { term, starts, ends } of tokenize(q)) {
    if (!terms.has(term) || variants.has(term)) continue
    const word = q.slice(starts, ends)
    const others = new Set(there.flatMap((language) => Array.from(tokenize(word, language), (token) => token.term)))
    others.delete(term)
    variants.set(term, [...others])
  }
  return variants
}

/** Terms without those that carry grammar in a language, unless there are no others. */
const withoutStops = (
  q: string,
  terms: ReadonlyMap<string, number>,
  language: Language | undefined,
): ReadonlyMap<string, number> => {
  if (!language) return terms
  const words = new Set<string>()
  for (const { term, starts, ends } of tokenize(q))
    if (!language.stopTerms.has(language.toTerm(q.slice(starts, ends)))) words.add(term)
  const content = [...terms].filter(([term]) => words.has(term))
  return content.length > 0 ? new Map(content) : terms
}

type Opened = { moment: IndexMoment; terms: ReadonlyMap<string, number> }

/** Opens a query in the languages of a Brain as well. `readLists`: undefined where segments were merged meanwhile. */
export const openInLanguages = async (
  q: string,
  { moment, terms }: Opened,
  readLists: (terms: readonly string[]) => Promise<TermLists | undefined>,
): Promise<Opened> => {
  const { detectLanguage, detectQueryLanguage, languages } = await import('../terms/languages.ts')
  const marks = await readLists(languages.map(({ code }) => languageTerm(code)))
  const there = marks ? languages.filter(({ code }) => has(moment, marks, languageTerm(code))) : []
  const asked = withoutStops(q, terms, detectQueryLanguage(q, there))
  const variants = findVariants(q, asked, there)
  const found = await readLists([...variants.values()].flat())
  // In the moment of a merge, the query is one in English.
  if (!found || there.length === 0) return { moment, terms }
  const lists = new Map([...found, ...moment.lists])
  return { moment: { ...moment, lists, inLanguages: { there, variants, detect: detectLanguage } }, terms: asked }
}

/** The lists of a term together with those of its variants, by segment. */
export const mergeVariants = (own: readonly Postings[], variants: readonly string[], lists: TermLists): Postings[] =>
  own.map((list, segment) =>
    mergePostings([...new Set([list, ...variants.map((variant) => lists.get(variant)?.[segment] ?? list)])]),
  )
