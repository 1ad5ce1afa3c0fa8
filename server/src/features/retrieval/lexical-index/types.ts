import type { Provenance } from '@noema/contracts/common.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { FoundContent } from '../../knowledge/content-text/content-text.ts'

// What the lexical index is asked and what it answers: plain data, for many passages at once.

/** Which version of which item. */
export type ItemRef = { type: ContentType; id: string; version: number }

/** What a search is narrowed to, and the Brain state that it is asked of. */
export type Narrowing = {
  asOf?: number | undefined
  types?: readonly ContentType[] | undefined
  kinds?: readonly string[] | undefined
  /** Of statements, only those that hold at this time: ISO 8601. */
  validAt?: string | undefined
}

/** A passage and its score. */
export type Scored = { passage: number; score: number }

/**
 * Which passages may be answered, as far as memory knows: those that are indexed, of versions that are valid in a state,
 * with a 1 in the filter where there is one. Arrays are by passage number.
 */
export type AcceptedPassages = {
  lastPassage: number
  state: number
  fromStates: Uint32Array
  toStates: Uint32Array
  filter: Uint8Array | undefined
}

/** How many passages before one, and how many after it, are its neighbours. */
export const neighboursEachWay = 3

/** Places around a passage: the nearest before it come first, then the nearest after it. */
export const neighbourSlots = neighboursEachWay * 2

/** Passages that may be answered. */
export type Candidates = {
  /** Those that were proposed, and then those that only stand around them. */
  passages: readonly number[]
  /** How many were proposed. */
  proposed: number
  /**
   * By candidate and slot the index of the candidate that stands there: -1 where nothing does, and one beyond the last
   * where it is no candidate.
   */
  around: Int32Array
  /** By candidate the first passage of its version: the same for all passages of a version. */
  versions: readonly number[]
  /** By candidate its score by the words of the query; 0 where it has none of them. */
  scores: Float32Array
}

/**
 * Passages whose terms and vectors are added to a query for a second look: what part of the new query they make, and how
 * much each counts; all together count 1.
 */
export type Feedback = { share: number; passages: readonly { passage: number; weight: number }[] }

/** A passage of a version that is live in the state that was asked of, with what the version is called. */
export type LivePassage = ItemRef & {
  passage: number
  starts: number
  ends: number
  text: string
  item: FoundContent
  title: string
  kind: string | undefined
  provenance: Provenance
  /** What the version is found by beside its text. */
  beside: string
}

/** An excerpt of a passage that shows why it was found; places are in UTF-16 code units. */
export type Snippet = {
  text: string
  /** Where it begins in the passage. */
  start: number
  highlights: { start: number; end: number }[]
  /** The words of the query that stand in it or in what else it was found by, as they are written there. */
  words: string[]
}
