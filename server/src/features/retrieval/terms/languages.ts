import { stemmer as stemDanish } from '@orama/stemmers/danish'
import { stemmer as stemDutch } from '@orama/stemmers/dutch'
import { stemmer as stemFinnish } from '@orama/stemmers/finnish'
import { stemmer as stemFrench } from '@orama/stemmers/french'
import { stemmer as stemGerman } from '@orama/stemmers/german'
import { stemmer as stemItalian } from '@orama/stemmers/italian'
import { stemmer as stemNorwegian } from '@orama/stemmers/norwegian'
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { stemmer as stemSpanish } from '@orama/stemmers/spanish'
import { stemmer as stemSwedish } from '@orama/stemmers/swedish'
import { stopwords as danish } from '@orama/stopwords/danish'
import { stopwords as dutch } from '@orama/stopwords/dutch'
import { stopwords as finnish } from '@orama/stopwords/finnish'
import { stopwords as french } from '@orama/stopwords/french'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as italian } from '@orama/stopwords/italian'
import { stopwords as norwegian } from '@orama/stopwords/norwegian'
import { stopwords as portuguese } from '@orama/stopwords/portuguese'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import { stopwords as swedish } from '@orama/stopwords/swedish'
import { francAll } from 'franc-min'
import { createToTerm, type FindLanguage, type Language, stopWords } from './terms.ts'

// Languages other than English, and how to tell that a text is in one. Loaded when the first text is split or the first Brain with
// such texts is searched: stemmers and trigrams take some 15 MB.

type Known = Language & { words: ReadonlySet<string> }

const isStemmable = /^\p{L}{3,40}$/u

/** Words of each language that are remembered with their terms. */
const maxRemembered = 10_000

const define = (code: string, stem: (word: string) => string, words: readonly string[]): Known => {
  const toTerm = createToTerm((word) => (isStemmable.test(word) ? stem(word) : word), maxRemembered)
  let stopTerms: ReadonlySet<string> | undefined
  return {
    code,
    toTerm,
    words: new Set(words),
    /** Made when the first text of the language is read: most languages never are. */
    get stopTerms() {
      stopTerms ??= new Set(words.map(toTerm))
      return stopTerms
    },
  }
}

/** Folding takes the mark off й, which endings need. */
const stemFoldedRussian = (word: string): string => stemRussian(word.replace(/([ыиое])и$/, '$1й')).replaceAll('й', 'и')

/** By the codes of ISO 639-3, which detection uses. */
const known: ReadonlyMap<string, Known> = new Map([
  ['dan', define('da', stemDanish, danish)],
  ['deu', define('de', stemGerman, german)],
  ['fin', define('fi', stemFinnish, finnish)],
  ['fra', define('fr', stemFrench, french)],
  ['ita', define('it', stemItalian, italian)],
  ['nld', define('nl', stemDutch, dutch)],
  ['nob', define('no', stemNorwegian, norwegian)],
  ['por', define('pt', stemPortuguese, portuguese)],
  ['rus', define('ru', stemFoldedRussian, russian)],
  ['spa', define('es', stemSpanish, spanish)],
  ['swe', define('sv', stemSwedish, swedish)],
])

export const languages: readonly Language[] = [...known.values()]

/** The beginning of a text that shows its language. */
const sampleLength = 1_000

/** Letters next to digits are no words: an id would have many short ones. */
const word = /[\p{L}\p{N}_]+/gu

/** The codes of the languages in which a word carries grammar. */
const codesOf = new Map<string, string[]>()
const addWords = (code: string, words: Iterable<string>): void => {
  for (const one of words) codesOf.set(one, [...(codesOf.get(one) ?? []), code])
}
addWords('eng', stopWords)
for (const [code, { words }] of known) addWords(code, words)

/** The number of words that carry grammar in each language of a text that has any. */
const countWords = (sample: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [one] of sample.normalize('NFC').toLowerCase().matchAll(word))
    for (const code of codesOf.get(one) ?? []) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}

/**
 * Finds the language of a text among some, if it has so many letters. It is the one with most words that carry grammar, and more than
 * English has; as short texts mislead, the letters that follow each other (trigrams) must be nearer to it than to English, and decide
 * between languages with as many such words.
 */
const findAmong = (text: string, among: ReadonlyMap<string, Known>, minLength: number): Language | undefined => {
  const sample = text.slice(0, sampleLength)
  const counts = countWords(sample)
  const count = (code: string) => counts.get(code) ?? 0
  const most = Math.max(...[...among.keys()].map(count))
  if (most <= count('eng')) return undefined
  const candidates = [...among.keys()].filter((code) => count(code) === most)
  const [[best = ''] = []] = francAll(sample, { only: ['eng', ...candidates], minLength })
  return among.get(best)
}

const minLetters = 20
const minQueryLetters = 10

/** The language of a text that is indexed. */
export const detectLanguage: FindLanguage = (text) => findAmong(text, known, minLetters)

/** The language of a query in a Brain that has texts in these languages. */
export const detectQueryLanguage = (q: string, there: readonly Language[]): Language | undefined =>
  findAmong(q, new Map([...known].filter(([, language]) => there.includes(language))), minQueryLetters)
