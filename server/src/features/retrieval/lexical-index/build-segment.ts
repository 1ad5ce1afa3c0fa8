import { type ColumnArrays, type ColumnTypes, toColumnArrays } from '../../../storage/sent-values.ts'
import { detectLanguage } from '../terms/languages.ts'
import { PackedNumbers, packPostings } from './postings.ts'
import { type PackedVersion, type Passage, splitVersion, unpackVersion, type Version } from './split-version.ts'

// Builds a segment from versions. It works in small steps, so that the thread can work for other Brains in between, and returns parts
// that the main thread sends to the database unchanged.

/** A version that could not be split, and the reason. */
export type FailedVersion = Pick<Version, 'type' | 'id' | 'version' | 'fromState'> & { failure: string }

/** Some of a segment's terms: the end of each list, which begins at the end of the one before. */
export type TermsPart = { terms: string; ends: number[]; lists: Uint8Array }

/** The columns of passages that are inserted. */
export const passageColumns = {
  passage: 'bigint',
  type: 'text',
  id: 'text',
  version: 'integer',
  ordinal: 'integer',
  starts: 'integer',
  ends: 'integer',
  page: 'integer',
  heading: 'text',
  text: 'text',
  terms: 'integer',
  fromState: 'bigint',
  toState: 'bigint',
  sequence: 'text',
  place: 'bigint',
} satisfies ColumnTypes & Record<'passage' | keyof Passage, string>

/** A segment: the number of its passages, the rows to insert in parts of some each, and its terms. */
export type BuiltSegment = {
  passages: number
  rows: ColumnArrays[]
  terms: TermsPart[]
  failed: FailedVersion[]
}

const rowsAtOnce = 500
const termsAtOnce = 5_000

/** Passages with their numbers, and the postings of their terms as pairs of passage and times. */
type Gathered = { passages: (Passage & { passage: number })[]; postings: Map<string, number[]> }

/** Splits a version, a passage at each step. */
function* addVersion({ passages, postings }: Gathered, version: Version, lastPassage: number): Generator<undefined> {
  for (const { passage, counts } of splitVersion(version, detectLanguage)) {
    const number = lastPassage + passages.length + 1
    passages.push({ ...passage, passage: number })
    for (const [term, times] of counts) {
      const pairs = postings.get(term)
      if (pairs) pairs.push(number, times)
      else postings.set(term, [number, times])
    }
    yield
  }
}

/** Removes the passages of a version that failed halfway. */
const removeAfter = ({ passages, postings }: Gathered, count: number, lastPassage: number): void => {
  passages.length = count
  for (const [term, pairs] of postings) {
    while (pairs.length > 0 && (pairs.at(-2) ?? 0) > lastPassage + count) pairs.length -= 2
    if (pairs.length === 0) postings.delete(term)
  }
}

function* packRows(passages: Gathered['passages']): Generator<undefined, ColumnArrays[]> {
  const rows: ColumnArrays[] = []
  for (let from = 0; from < passages.length; from += rowsAtOnce) {
    rows.push(toColumnArrays(passageColumns, passages.slice(from, from + rowsAtOnce)))
    yield
  }
  return rows
}

function* packTerms(postings: Gathered['postings']): Generator<undefined, TermsPart[]> {
  const parts: TermsPart[] = []
  let names: string[] = []
  let ends: number[] = []
  let packed = new PackedNumbers()
  const close = () => {
    parts.push({ terms: JSON.stringify(names), ends, lists: packed.bytes.slice() })
    names = []
    ends = []
    packed = new PackedNumbers()
  }
  for (const [term, pairs] of postings) {
    names.push(term)
    packPostings(packed, pairs)
    ends.push(packed.length)
    if (names.length < termsAtOnce) continue
    close()
    yield
  }
  if (names.length > 0) close()
  return parts
}

/** Builds the segment of versions, numbering their passages after `lastPassage`. One that cannot be split is left out. */
export function* buildSegment(
  versions: readonly PackedVersion[],
  lastPassage: number,
): Generator<undefined, BuiltSegment> {
  const gathered: Gathered = { passages: [], postings: new Map() }
  const failed: FailedVersion[] = []
  for (const packed of versions) {
    const before = gathered.passages.length
    try {
      yield* addVersion(gathered, unpackVersion(packed), lastPassage)
    } catch (error) {
      removeAfter(gathered, before, lastPassage)
      const { type, id, version, fromState } = packed
      failed.push({ type, id, version, fromState, failure: String(error) })
    }
  }
  const rows = yield* packRows(gathered.passages)
  const terms = yield* packTerms(gathered.postings)
  return { passages: gathered.passages.length, rows, terms, failed }
}
