import { contentText, type FoundContent } from '../../brain/content-text/content-text.ts'
import { PackedNumbers, packPostings } from './postings.ts'
import { splitText } from './split-text.ts'
import { countTokens, isStopTerm, tokenize, tokenizeCharacters } from './tokenize.ts'
import type { ItemRef } from './types.ts'

// From versions to passages and postings. Pure, and heavy: it runs on a thread of its own (indexer-thread-entry.ts), and on
// the main one only for the few versions that are not indexed yet.

/** A version and the Brain states in which it is valid. */
export type Version = ItemRef & { fromState: number; toState: number | null; item: FoundContent }

/** A passage of one version, ready to be searched. `terms` is its length in words that count. */
export type Passage = ItemRef & {
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

/** A passage with what it stands under: what an embedding is made of. */
export const embeddedText = ({ heading, text }: Pick<Passage, 'heading' | 'text'>): string =>
  heading === '' || startsWith(text, heading) ? text : `${heading}\n${text}`

const findSequence = ({ type, id, version, item }: Version, passages: number) => {
  const { sequence } = item.type === 'document' ? item.document : { sequence: null }
  if (sequence) return { sequence: `sequence ${sequence.id}`, place: sequence.position }
  return passages > 1 ? { sequence: `${type} ${id} ${version}`, place: 0 } : { sequence: null, place: null }
}

/** Splits a version into passages, each with its terms. */
export function* splitVersion(version: Version): Generator<{ passage: Passage; counts: TermCounts }> {
  const { type, id, fromState, toState, item } = version
  const read = contentText[type]
  const whole = read.searchText(item)
  const heading = read.heading(item)
  const beside = read.beside(item)
  const kind = read.kind(item)
  const spans = splitText(whole)
  const neighbours = findSequence(version, spans.length)
  for (const [ordinal, { starts, ends }] of spans.entries()) {
    const text = whole.slice(starts, ends)
    const searched = beside + text
    const counts = countTokens(tokenize(searched))
    let terms = 0
    for (const [term, times] of counts) if (!isStopTerm(term)) terms += times
    // They lead to the passage and do not make it longer.
    for (const [term, times] of countTokens(tokenizeCharacters(searched))) counts.set(term, times)
    counts.set(typeTerm(type), 1)
    if (kind !== undefined) counts.set(kindTerm(kind), 1)
    const place = { type, id, version: version.version, ordinal, starts, ends }
    yield { passage: { ...place, heading, text, terms, fromState, toState, ...neighbours }, counts }
  }
}

/** Passages in the order of their numbers, and their segment: each term with the bytes of its list in `lists`. */
export type BuiltSegment = {
  passages: Passage[]
  terms: string[]
  /** Where each term's list ends; it begins where the one before ends. */
  ends: number[]
  lists: Uint8Array
}

/** Builds the segment of versions, numbering their passages after `lastPassage`. */
export const buildSegment = (versions: readonly Version[], lastPassage: number): BuiltSegment => {
  const passages: Passage[] = []
  const postings = new Map<string, number[]>()
  for (const version of versions)
    for (const { passage, counts } of splitVersion(version)) {
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
