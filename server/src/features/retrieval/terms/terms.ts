import { stemmer } from 'stemmer'

// How a text becomes index terms: words folded to one spelling and stemmed as English, pairs of neighbours where a script
// writes no spaces, emoji as they are. Texts and queries come through here alike, or they would not meet.

/** A term where it stands in its text, in UTF-16 code units. */
export type Token = { term: string; starts: number; ends: number }

/** Scripts written without spaces between words, or with endings that spaces do not set off. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー々\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

const letters = `(?![${unspaced}])[\\p{L}\\p{N}\\p{M}]`

/** What goes on from one character of an emoji to the next. */
const emojiJoints = '[\\u200d\\ufe0f\\u20e3\\p{RI}\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]'

/** Most emoji are one character, which is told at once; looking through all the sequences that there are takes a while. */
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

/** Characters of a term, at most; the ids and hashes that people look for are shorter. */
const maxTermLength = 64

/** Characters of a word by which it is found, at most: a few times as many as a term has, for the marks that it leaves out. */
const maxWordLength = 256

/** Marks that a spelling may leave out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. */
const optionalMarks = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/** Colours of skin, and the wish to be shown in colour. */
const emojiVariants = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu

const isPlain = /^[a-z0-9]+$/
const isEnglish = /^[a-z]{3,40}$/

/** Letters that a keyboard without them is made to do for, and that Unicode does not take apart. */
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

const makeTerm = (whole: string): string => {
  // To bring the marks of a letter into their order takes longer the more there are. The beginning of a long word tells it.
  const word = whole.length > maxWordLength ? whole.slice(0, maxWordLength).toWellFormed() : whole
  const lower = word.toLowerCase()
  const folded = isPlain.test(lower) ? lower : fold(lower)
  if (isEnglish.test(folded)) return stemmer(folded)
  return folded.length > maxTermLength ? folded.slice(0, maxTermLength).toWellFormed() : folded
}

// Half of a text is a few hundred words, again and again.
const maxRemembered = 50_000
/** Longer words are slices, which would keep the whole text that they stand in. */
const maxRememberedLength = 12
let remembered = new Map<string, string>()

const toTerm = (word: string): string => {
  if (word.length > maxRememberedLength) return makeTerm(word)
  const known = remembered.get(word)
  if (known !== undefined) return known
  const term = makeTerm(word)
  if (remembered.size >= maxRemembered) remembered = new Map()
  remembered.set(word, term)
  return term
}

/** Pairs of neighbouring characters; a character that stands alone is a term by itself. */
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

/** The terms of a text in the order in which they stand. */
export function* tokenize(text: string): Generator<Token> {
  for (const { 0: piece, index, groups } of text.matchAll(pieces)) {
    if (groups?.run !== undefined) yield* splitRun(piece, index)
    else {
      const term = groups?.word === undefined ? piece.replace(emojiVariants, '') : toTerm(piece)
      if (term !== '') yield { term, starts: index, ends: index + piece.length }
    }
  }
}

/** The characters of a text that may be words by themselves: what a query of one such character finds inside a run. */
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

/** English words that say how a sentence is built and not what it is about: they find nothing unless they stand alone. */
const stopTerms = new Set(functionWords.split(/\s+/).map(makeTerm))

export const isStopTerm = (term: string): boolean => stopTerms.has(term)

/** How often each term stands among tokens. */
export const countTokens = (tokens: Iterable<{ term: string }>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { term } of tokens) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** Terms of a query that are looked up: more say nothing more. */
const maxQueryTerms = 64

/** The terms of a query with how often each stands in it. Stop terms count only where nothing else is. */
export const countQueryTerms = (query: string): Map<string, number> => {
  const counts = countTokens(tokenize(query))
  const telling = [...counts].filter(([term]) => !stopTerms.has(term))
  return new Map((telling.length > 0 ? telling : [...counts]).slice(0, maxQueryTerms))
}

/** How often each term stands in each of these texts, without stop terms. */
export const countTellingTerms = (texts: readonly string[]): Map<string, number>[] =>
  texts.map((text) => {
    const counts = countTokens(tokenize(text))
    for (const term of counts.keys()) if (stopTerms.has(term)) counts.delete(term)
    return counts
  })

/** Where some terms stand in each of these texts: those of words first, then those of single characters. */
export const findTerms = (texts: readonly string[], terms: ReadonlySet<string>): Token[][] =>
  texts.map((text) => [...tokenize(text), ...tokenizeCharacters(text)].filter(({ term }) => terms.has(term)))
