import { contentText, type FoundContent } from '../../knowledge/content-text/content-text.ts'
import { countTokens, type FindLanguage, stopTerms, tokenize, tokenizeCharacters } from '../terms/terms.ts'
import { pageEnd, type Span, splitText } from './split-text.ts'
import type { ItemRef } from './types.ts'

// Splits versions into passages and their terms. Pure, and slow: it runs on a separate thread (indexer-thread-entry.ts),
// and on the main thread only for the few versions that are not indexed yet.

/** A version and the Brain states in which it is valid. */
export type Version = ItemRef & { fromState: number; toState: number | null; item: FoundContent }

/** A passage of one version, ready to be searched. `terms` is its length in words that count. */
export type Passage = ItemRef & {
  ordinal: number
  starts: number
  ends: number
  /** The page that it is on, in a text with pages. */
  page: number | null
  heading: string
  text: string
  terms: number
  fromState: number
  toState: number | null
  /** Passages of one conversation or document, which are neighbours by place and then ordinal. */
  sequence: string | null
  place: number | null
}

/** A version from the database: its content is JSON text, which is parsed when it is split. */
export type PackedVersion = Omit<Version, 'item'> & { content: string; text: string | null }

export const unpackVersion = ({ content, text, ...version }: PackedVersion): Version => ({
  ...version,
  item: contentText[version.type].toFound(JSON.parse(content), text),
})

/** The number of times that a passage has each term. */
export type TermCounts = ReadonlyMap<string, number>

/** Terms that no text has, by which searches filter for a type or kind. */
export const typeTerm = (type: string): string => `#type ${type}`
export const kindTerm = (kind: string): string => `#kind ${kind}`

/** The same for texts in a language other than English, and in any of them. */
export const languageTerm = (code: string): string => `#language ${code}`
export const foreignTerm = '#foreign'

const startsWith = (text: string, heading: string): boolean =>
  text.slice(0, heading.length).toLowerCase() === heading.toLowerCase()

/** A passage below its heading, as it is embedded. */
export const embeddedText = ({ heading, text }: Pick<Passage, 'heading' | 'text'>): string =>
  heading === '' || startsWith(text, heading) ? text : `${heading}\n${text}`

const findSequence = ({ type, id, version, item }: Version, hasMany: boolean) => {
  const { sequence } = item.type === 'document' ? item.document : { sequence: null }
  if (sequence) return { sequence: `sequence ${sequence.id}`, place: sequence.position }
  return hasMany ? { sequence: `${type} ${id} ${version}`, place: 0 } : { sequence: null, place: null }
}

/** Spans, each with whether it is the only one. */
function* markOnly(spans: Iterable<Span>): Generator<{ span: Span; isOnly: boolean }> {
  let before: Span | undefined
  let count = 0
  for (const span of spans) {
    if (before) yield { span: before, isOnly: false }
    before = span
    count++
  }
  if (before) yield { span: before, isOnly: count === 1 }
}

/** Answers the page of each position of a text, in ascending order; null for a text without pages. */
const createPageCounter = (text: string): ((position: number) => number | null) => {
  let page = 1
  let end = text.indexOf(pageEnd)
  if (end === -1) return () => null
  return (position) => {
    while (end !== -1 && end < position) {
      page++
      end = text.indexOf(pageEnd, end + 1)
    }
    return page
  }
}

/** Splits a version into passages, each with its terms in the language of the whole text. */
export function* splitVersion(
  version: Version,
  findLanguage: FindLanguage,
): Generator<{ passage: Passage; counts: TermCounts }> {
  const { type, id, fromState, toState, item } = version
  const read = contentText[type]
  const whole = read.searchText(item)
  const heading = read.heading(item)
  const prefix = read.prefix(item)
  const kind = read.kind(item)
  const language = findLanguage(whole)
  const stops = language?.stopTerms ?? stopTerms
  let ordinal = 0
  const findPage = createPageCounter(whole)
  for (const { span, isOnly } of markOnly(splitText(whole))) {
    const { starts, ends } = span
    const text = whole.slice(starts, ends)
    const searched = prefix + text
    const counts = countTokens(tokenize(searched, language))
    let terms = 0
    for (const [term, times] of counts) if (!stops.has(term)) terms += times
    // These terms find the passage and do not count in its length.
    for (const [term, times] of countTokens(tokenizeCharacters(searched))) counts.set(term, times)
    counts.set(typeTerm(type), 1)
    if (kind !== undefined) counts.set(kindTerm(kind), 1)
    if (language) counts.set(foreignTerm, 1).set(languageTerm(language.code), 1)
    const place = { type, id, version: version.version, ordinal: ordinal++, starts, ends, page: findPage(starts) }
    const neighbours = findSequence(version, !isOnly)
    yield { passage: { ...place, heading, text, terms, fromState, toState, ...neighbours }, counts }
  }
}
