import { countQueryTerms } from '../../../features/retrieval/terms/terms.ts'
import type { Quote, Sentence } from './choose-quotes.ts'
import { findDays, findNumbers, findTimes, type Literal } from './literals.ts'

// Finds the value of one field in the evidence: a field of a record, a statement or a line of that name, or a number, day or word
// of a list in a sentence about it. It never guesses.

/** A value with what says it. */
export type Evident<Value = unknown> = { value: Value; quote: Quote }

/** The value to find in a text: its type, or the words that it may be. */
export type Requested =
  | { kind: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'date-time' }
  | { kind: 'enum'; values: readonly unknown[] }

/** The name of a field as words: `dueDate`, `due_date` and `due-date` are all "due date". */
export const toWords = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[\s_.-]+/g, ' ')
    .trim()
    .toLowerCase()

const maxLabelLength = 60

/** The value in a line such as "due date: 2027-03-05": fields of records and forms in documents have this form. */
const readLine = (text: string, label: string): string | undefined => {
  const colon = text.search(/[:：]/)
  if (colon < 1 || colon > maxLabelLength || toWords(text.slice(0, colon).replaceAll(/[*#>]/g, ' ')) !== label)
    return undefined
  return text
    .slice(colon + 1)
    .replaceAll('**', '')
    .trim()
}

/** The object of a statement with this predicate: "Ada works at Acme" of "works at". */
const readStatement = ({ text, from }: Quote, label: string): string | undefined => {
  if (from.type !== 'statement') return undefined
  const words = text.replaceAll(/[_-]/g, ' ').toLowerCase()
  const at = words.indexOf(` ${label} `)
  const said = at < 1 ? '' : text.slice(at + label.length + 2).trim()
  return said === '' ? undefined : said
}

/** The whole of a text as a value of the type, or undefined. */
const parseWhole = (said: string, requested: Requested): unknown => {
  switch (requested.kind) {
    case 'string':
      return said === '' ? undefined : said
    case 'boolean':
      return said === 'true' ? true : said === 'false' ? false : undefined
    case 'enum':
      return requested.values.find((value) => String(value).toLowerCase() === said.toLowerCase())
    default: {
      const literals = findLiterals(said, requested)
      return literals.length === 1 ? literals[0]?.value : undefined
    }
  }
}

const isWordSign = /[\p{L}\p{N}]/u

/** The position of words in a text, as whole words; -1 if they are not there. */
const findWhole = (text: string, word: string): number => {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before = '', after = ''] = [text.charAt(at - 1), text.charAt(at + word.length)]
    if (!isWordSign.test(before) && !isWordSign.test(after)) return at
  }
  return -1
}

const findWords = (text: string, values: readonly unknown[]): Literal<unknown>[] => {
  const lower = text.toLowerCase()
  return values.flatMap((value) => {
    const at = typeof value === 'string' && value !== '' ? findWhole(lower, value.toLowerCase()) : -1
    return at === -1 ? [] : [{ value, at }]
  })
}

/** The values of a type in a text. A sentence says neither true nor false, and no part of it is a whole text. */
export const findLiterals = (text: string, requested: Requested): Literal<unknown>[] => {
  switch (requested.kind) {
    case 'number':
      return findNumbers(text)
    case 'integer':
      return findNumbers(text).filter(({ value }) => Number.isInteger(value))
    case 'date':
      return findDays(text)
    case 'date-time':
      return findTimes(text)
    case 'enum':
      return findWords(text, requested.values)
    case 'string':
    case 'boolean':
      return []
  }
}

/** The values of lines and statements with the field's name, those of the best sentences first. */
function* listNamed(sentences: readonly Sentence[], label: string): Generator<Evident<string>> {
  for (const quote of sentences) {
    const value = readLine(quote.text, label) ?? readStatement(quote, label)
    if (value !== undefined && value !== '') yield { value, quote }
  }
}

/** The first text that a line or a statement of the field's name has. */
export const findNamedText = (sentences: readonly Sentence[], label: string): Evident<string> | undefined =>
  listNamed(sentences, label).next().value ?? undefined

const findNamed = (sentences: readonly Sentence[], label: string, requested: Requested): Evident | undefined => {
  for (const { value: said, quote } of listNamed(sentences, label)) {
    const value = parseWhole(said, requested)
    if (value !== undefined) return { value, quote }
  }
  return undefined
}

/** The place of the first of these words in a text. */
const findPlace = (text: string, label: string): number => {
  const lower = text.toLowerCase()
  const places = label
    .split(' ')
    .map((word) => lower.indexOf(word.slice(0, 5)))
    .filter((at) => at !== -1)
  return places.length > 0 ? Math.min(...places) : 0
}

/** The value nearest to the name of its field; undefined if two different ones are equally near. */
const chooseNearest = (literals: readonly Literal<unknown>[], place: number): unknown => {
  const distances = literals.map(({ value, at }) => ({ value, distance: Math.abs(at - place) }))
  const min = Math.min(...distances.map(({ distance }) => distance))
  const nearest = new Set(distances.filter(({ distance }) => distance === min).map(({ value }) => value))
  return nearest.size === 1 ? [...nearest][0] : undefined
}

/** The sentences about a field: they contain all significant words of its name. */
export const listAbout = (sentences: readonly Sentence[], label: string): Sentence[] => {
  const words = [...countQueryTerms(label).keys()]
  return words.length === 0 ? [] : sentences.filter(({ terms }) => words.every((word) => terms.has(word)))
}

const findInSentences = (sentences: readonly Sentence[], label: string, requested: Requested): Evident | undefined => {
  for (const sentence of listAbout(sentences, label)) {
    const value = chooseNearest(findLiterals(sentence.text, requested), findPlace(sentence.text, label))
    if (value !== undefined) return { value, quote: sentence }
  }
  return undefined
}

/** Finds what the texts say of a field. */
export const findValue = (sentences: readonly Sentence[], label: string, requested: Requested): Evident | undefined =>
  findNamed(sentences, label, requested) ?? findInSentences(sentences, label, requested)
