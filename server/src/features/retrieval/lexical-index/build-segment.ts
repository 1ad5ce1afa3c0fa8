import { contentText } from '../../brain/content/content-text.ts'
import type { Address, Content, Version } from './knowledge-item.ts'
import { PackedNumbers, packPostings } from './postings.ts'
import { cutText } from './split-text.ts'
import { isStopTerm, placedTerms, singleTerms } from './tokenize.ts'

// From versions to passages and postings. Pure, and heavy: it runs on a thread of its own (indexer-thread-entry.ts), and on the
// main one only for the few versions that are younger than the index.

/** A stretch of one version, ready to be searched. `terms` is its length in words that count. */
export type Passage = Address & {
  ordinal: number
  starts: number
  ends: number
  heading: string
  text: string
  terms: number
  fromState: number
  toState: number | null
  /** Passages of one conversation or document, which are neighbours by place and then ordinal. */
  sequence: string | null
  place: number | null
}

/** How often each term stands in a passage. */
export type TermCounts = ReadonlyMap<string, number>

/** Terms that no text has, by which searches are narrowed to a type or kind. */
export const typeTerm = (type: string): string => `#type ${type}`
export const kindTerm = (kind: string): string => `#kind ${kind}`

const startsWith = (text: string, heading: string): boolean =>
  text.slice(0, heading.length).toLowerCase() === heading.toLowerCase()

/** A stretch with what it stands under: what an embedding is made of. */
export const embeddedText = ({ heading, text }: Pick<Passage, 'heading' | 'text'>): string =>
  heading === '' || startsWith(text, heading) ? text : `${heading}\n${text}`

const sequenceOf = ({ type, id, version, content }: Version, count: number) => {
  const { sequence } = content.type === 'document' ? content.document : { sequence: null }
  if (sequence) return { sequence: `sequence ${sequence.id}`, place: sequence.position }
  return count > 1 ? { sequence: `${type} ${id} ${version}`, place: 0 } : { sequence: null, place: null }
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** What a version is found by beside its text: its title, even where the text begins with it, and the day it tells of. */
export const foundBy = (content: Content): string => {
  if (content.type !== 'document') return ''
  const { title, occurredAt } = content.document
  return `${title ?? ''}\n${occurredAt ? day.format(new Date(occurredAt)) : ''}\n`
}

const count = (terms: Iterable<{ term: string }>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { term } of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** How often each term stands in a text. */
export const countTerms = (text: string): Map<string, number> => count(placedTerms(text))

/** Cuts a version into passages, each with its terms. */
export function* passagesOf(version: Version): Generator<{ passage: Passage; counts: TermCounts }> {
  const { type, id, fromState, toState, content } = version
  const read = contentText[content.type]
  const whole = read.searchText(content)
  const heading = read.heading(content)
  const kind = read.kind(content)
  const stretches = cutText(whole)
  const neighbours = sequenceOf(version, stretches.length)
  for (const [ordinal, { starts, ends }] of stretches.entries()) {
    const text = whole.slice(starts, ends)
    const searched = foundBy(content) + text
    const counts = countTerms(searched)
    let terms = 0
    for (const [term, times] of counts) if (!isStopTerm(term)) terms += times
    // They lead to the passage and do not make it longer.
    for (const [term, times] of count(singleTerms(searched))) counts.set(term, times)
    counts.set(typeTerm(type), 1)
    if (kind !== undefined) counts.set(kindTerm(kind), 1)
    const place = { type, id, version: version.version, ordinal, starts, ends }
    yield { passage: { ...place, heading, text, terms, fromState, toState, ...neighbours }, counts }
  }
}

/** Passages in the order of their numbers, and their segment: each term with the bytes of its list in `lists`. */
export type BuiltIndex = {
  passages: Passage[]
  terms: string[]
  /** Where each term's list ends; it begins where the one before ends. */
  ends: number[]
  lists: Uint8Array
}

/** Indexes versions, numbering their passages after `lastPassage`. */
export const buildIndex = (versions: readonly Version[], lastPassage: number): BuiltIndex => {
  const passages: Passage[] = []
  const postings = new Map<string, number[]>()
  for (const version of versions)
    for (const { passage, counts } of passagesOf(version)) {
      passages.push(passage)
      const number = lastPassage + passages.length
      for (const [term, times] of counts) {
        const pairs = postings.get(term)
        if (pairs) pairs.push(number, times)
        else postings.set(term, [number, times])
      }
    }
  const packed = new PackedNumbers()
  const ends = [...postings.values()].map((pairs) => {
    packPostings(packed, pairs)
    return packed.length
  })
  return { passages, terms: [...postings.keys()], ends, lists: packed.bytes }
}
