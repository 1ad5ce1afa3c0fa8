import { LRUCache } from 'lru-cache'
import { stemmer } from 'stemmer'

// Makes index terms of a text: words folded to one spelling and stemmed, as English unless it is in another language, pairs of neighbours where a script writes no
// spaces, emoji as they are. Texts and queries both come through here, so that they have the same terms.

/** A term and its position in the text, in UTF-16 code units. */
export type Token = { term: string; starts: number; ends: number }

/** Scripts written without spaces between words, or with endings that spaces do not set off. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

const letters = `(?![${unspaced}])[\\p{L}\\p{N}\\p{M}]`

/** The characters that join one character of an emoji to the next. */
const emojiJoints = '[\\u200d\\ufe0f\\u20e3\\p{RI}\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]'

/** Most emoji are one character, which matches at once; trying all the sequences takes a while. */
const emoji = [
  `[[\\p{Emoji_Presentation}\\p{Extended_Pictographic}]--\\p{RI}](?!${emojiJoints})`,
  '(?=[\\p{Emoji}\\p{Extended_Pictographic}])(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic})',
].join('|')

/**
 * Runs of unspaced script; words with English endings behind an apostrophe and numbers with inner points, or commas where
 * thousands have them; emoji.
 */
const pieces = new RegExp(
  [
    `(?<run>[${unspaced}]+)`,
    `(?<word>(?:${letters})+(?:(?<=\\p{N})(?:\\.(?=\\p{N})|,(?=\\p{N}{3}(?!\\p{N})))(?:${letters})+)*(?:['’](?:s|t|re|ve|ll|d|m)(?!${letters}))?)`,
    `(?<emoji>${emoji})`,
  ].join('|'),
  'gvi',
)

/** The maximum of characters of a term; ids and hashes that people search for are shorter. */
const maxTermLength = 64

/** The maximum of characters of a word that count: a few times those of a term, which leaves out marks. */
const maxWordLength = 256

/** Marks that writers may leave out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/** Skin tones, and the selector for color. */
const emojiVariants = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu

const isPlain = /^[a-z0-9]+$/
const isEnglish = /^[a-z]{3,40}$/

/** Letters that people replace when their keyboard lacks them, and that Unicode does not decompose. */
const spelledOut: Record<string, string> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ς: 'σ',
}

const fold = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(optionalMarks, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ßłøđðþæœıς]/g, (letter) => spelledOut[letter] ?? letter)
    .replace(/['’]t$/, 't')
    .replace(/['’][a-z]+$/, '')
    .replaceAll(',', '')

/** Reduces a folded word to its stem; a word that it does not know stays as it is. */
type Stem = (word: string) => string

const makeTerm = (whole: string, stem: Stem): string => {
  // Sorting the marks of a letter takes longer the more there are. The beginning of a long word identifies it.
  const word = whole.length > maxWordLength ? whole.slice(0, maxWordLength).toWellFormed() : whole
  const lower = word.toLowerCase()
  const stemmed = stem(isPlain.test(lower) ? lower : fold(lower))
  return stemmed.length > maxTermLength ? stemmed.slice(0, maxTermLength).toWellFormed() : stemmed
}

/** Longer words are slices, which would keep their whole text in memory. */
const maxCachedLength = 12

/** Makes the terms of words by a stemmer. Half of a text is a few hundred words, again and again: so many are remembered. */
export const createToTerm = (stem: Stem, max: number): ((word: string) => string) => {
  // Its memory is allocated at once, and most languages are never used.
  let terms: LRUCache<string, string> | undefined
  return (word) => {
    if (word.length > maxCachedLength) return makeTerm(word, stem)
    terms ??= new LRUCache({ max })
    const cached = terms.get(word)
    if (cached !== undefined) return cached
    const term = makeTerm(word, stem)
    terms.set(word, term)
    return term
  }
}

const toTerm = createToTerm((word) => (isEnglish.test(word) ? stemmer(word) : word), 50_000)

/** A language other than English: how it makes terms of words, and those that carry grammar rather than content. */
export type Language = { code: string; toTerm(word: string): string; stopTerms: ReadonlySet<string> }

/** A word of Latin letters alone, folded; undefined for numbers, ids, codes in capitals, and other scripts. */
export const toSpelling = (written: string): string | undefined => {
  const folded = fold(written)
  return isEnglish.test(folded) && (written.length < 2 || written !== written.toUpperCase()) ? folded : undefined
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz']

/** The minimum of letters of a term that a misspelled word may mean. */
const minNearLength = 4

/**
 * The terms of all words that differ from a word by one letter behind the first: left out, added, another one, or swapped with the
 * next. Few people mistype the first letter.
 */
export const findNearTerms = (word: string): Set<string> => {
  const near = new Set<string>()
  const add = (one: string) => {
    const term = stemmer(one)
    if (term.length >= minNearLength) near.add(term)
  }
  for (let at = 1; at <= word.length; at++) {
    const [before, rest] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) {
      add(before + letter + rest)
      if (rest !== '') add(before + letter + rest.slice(1))
    }
    if (rest !== '') add(before + rest.slice(1))
    if (rest.length > 1) add(before + rest.slice(1, 2) + rest.slice(0, 1) + rest.slice(2))
  }
  near.delete(stemmer(word))
  return near
}

/** Pairs of neighbouring characters; a single character is a term by itself. */
function* splitRun(run: string, starts: number): Generator<Token> {
  const characters = [...run]
  let at = starts
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1]
    const ends = at + character.length
    if (next !== undefined) yield { term: (character + next).normalize('NFKC'), starts: at, ends: ends + next.length }
    else if (characters.length === 1) yield { term: character.normalize('NFKC'), starts: at, ends }
    at = ends
  }
}

/** The terms of a text in their order: in English, unless it is in another language. */
export function* tokenize(text: string, language?: Language): Generator<Token> {
  const make = language?.toTerm ?? toTerm
  for (const { 0: piece, index, groups } of text.matchAll(pieces)) {
    if (groups?.run !== undefined) yield* splitRun(piece, index)
    else {
      const term = groups?.word === undefined ? piece.replace(emojiVariants, '') : make(piece)
      if (term !== '') yield { term, starts: index, ends: index + piece.length }
    }
  }
}

/** The characters of a text that may be words by themselves: a query of one such character finds it inside a run. */
export function* tokenizeCharacters(text: string): Generator<Token> {
  for (const { 0: character, index } of text.matchAll(/[\p{Script=Han}\p{Script=Hangul}]/gu))
    yield { term: character.normalize('NFKC'), starts: index, ends: index + character.length }
}

const functionWords = `a about above after again all also am an and any are as at be because been before being below between
  both but by can could did do does doing down during each few for from further get got had has have having he her here hers
  herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only
  or other our ours ourselves out over own same she should so some such than that the their theirs them themselves then
  there these they this those through to too under until up very was we were what when where which while who whom why will
  with would you your yours yourself yourselves dont im ive`

/** English words that carry grammar rather than content. */
export const stopWords: ReadonlySet<string> = new Set(functionWords.split(/\s+/))

/** Their terms, which find nothing unless a query has no others. */
export const stopTerms: ReadonlySet<string> = new Set([...stopWords].map(toTerm))

/** The number of times that each term is among tokens. */
export const countTokens = (tokens: Iterable<{ term: string }>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { term } of tokens) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** The maximum of terms of a query that are looked up: more would add nothing. */
const maxQueryTerms = 64

/** The terms of a query and how often it has each. Stop terms count only in a query without others. */
export const countQueryTerms = (query: string): Map<string, number> => {
  const counts = countTokens(tokenize(query))
  const content = [...counts].filter(([term]) => !stopTerms.has(term))
  return new Map((content.length > 0 ? content : [...counts]).slice(0, maxQueryTerms))
}

/** Finds the language of a text; undefined for English, and where it is not clear. */
export type FindLanguage = (text: string) => Language | undefined

/** The number of times that each of these texts has each term, without stop terms. */
export const countContentTerms = (texts: readonly string[], findLanguage?: FindLanguage): Map<string, number>[] =>
  texts.map((text) => {
    const language = findLanguage?.(text)
    const counts = countTokens(tokenize(text, language))
    const stops = language?.stopTerms ?? stopTerms
    for (const term of counts.keys()) if (stops.has(term)) counts.delete(term)
    return counts
  })

/** The positions of some terms in each of these texts: those of words in English first, then in other languages, then of characters. */
export const findTerms = (
  texts: readonly string[],
  terms: ReadonlySet<string>,
  languages: readonly Language[] = [],
): Token[][] =>
  texts.map((text) => {
    const found = [...tokenize(text), ...tokenizeCharacters(text)].filter(({ term }) => terms.has(term))
    if (languages.length === 0) return found
    const starts = new Set(found.map((token) => token.starts))
    for (const language of languages)
      for (const token of tokenize(text, language)) {
        if (!terms.has(token.term) || starts.has(token.starts)) continue
        starts.add(token.starts)
        found.push(token)
      }
    return found.sort((a, b) => a.starts - b.starts)
  })
