import { stopTerms, tokenize } from '../terms/terms.ts'

// The names in a text: words that begin with a capital letter, one after the other. Pure.

/** A name as it is written, and its terms, each once. */
export type Name = { text: string; terms: readonly string[] }

const rest = "[\\p{L}\\p{M}\\p{N}'’-]*"
/** A capitalized word, or an initial. */
const word = `(?:\\p{Lu}\\.|\\p{Lu}${rest})`
/** Words that are lower case inside names. */
const joints = 'of|the|and|de|von|van|la|le|du|for|in|del|di|da|al'

/** Capitalized words, with up to two joining words between them, and numbers right behind one. */
const pattern = new RegExp(`${word}(?:(?:\\s{1,3}(?:${joints})){0,2}\\s{1,3}${word}|\\s{1,3}\\p{N}${rest})*`, 'gu')

/** The maximum of terms of a name; a longer one is a headline. */
const maxTerms = 6

/** The names in a text, each once, in their order, up to a maximum. */
export const findNames = (text: string, max: number): Name[] => {
  const names = new Map<string, Name>()
  for (const [found] of text.matchAll(pattern)) {
    const terms = [...new Set(Array.from(tokenize(found), ({ term }) => term))].filter((term) => !stopTerms.has(term))
    const key = terms.join(' ')
    if (terms.length === 0 || terms.length > maxTerms || names.has(key)) continue
    names.set(key, { text: found.replace(/\s+/g, ' '), terms })
    if (names.size === max) break
  }
  return [...names.values()]
}
