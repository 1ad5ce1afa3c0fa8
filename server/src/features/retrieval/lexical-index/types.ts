import type { Provenance } from '@noema/contracts/common.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { FoundContent } from '../../knowledge/content-text/content-text.ts'

// Requests to the lexical index and its answers: plain data, for many passages at once.

/** A version of an item. */
export type ItemRef = { type: ContentType; id: string; version: number }

/** Values of metadata by key. They are compared as text. */
export type MetadataFilter = Readonly<Record<string, string | number | boolean>>

/** The part of a Brain that a corpus has. */
export type Section = {
  types?: readonly ContentType[] | undefined
  kinds?: readonly string[] | undefined
  sources?: readonly string[] | undefined
  metadata?: MetadataFilter | undefined
}

/** The filters of a search, and the Brain state that it reads. */
export type Narrowing = {
  asOf?: number | undefined
  /** Only what is in this part of the Brain, too. */
  section?: Section | undefined
  types?: readonly ContentType[] | undefined
  kinds?: readonly string[] | undefined
  /** Only versions from this source. */
  source?: string | undefined
  /** Only what happened at or after this time: ISO 8601. */
  since?: string | undefined
  /** Only what happened before this time. */
  until?: string | undefined
  /** Only documents whose metadata has these values. */
  metadata?: MetadataFilter | undefined
  /** Of statements, only those that hold at this time: ISO 8601. */
  validAt?: string | undefined
}

/** A passage and its score. */
export type Scored = { passage: number; score: number }

/**
 * The passages that a search may answer, as far as memory knows: indexed passages of versions that are valid in a state, with a 1
 * in the filter if there is one. Arrays are by passage number.
 */
export type AcceptedPassages = {
  lastPassage: number
  state: number
  fromStates: Uint32Array
  toStates: Uint32Array
  filter: Uint8Array | undefined
}

/** The number of passages before one, and after it, that are its neighbours. */
export const neighboursEachWay = 3

/** The slots around a passage: the nearest before it come first, then the nearest after it. */
export const neighbourSlots = neighboursEachWay * 2

/** The passages that a search chooses from. */
export type Candidates = {
  /** Those that were proposed, and then those that are only neighbours. */
  passages: readonly number[]
  /** The number of those proposed. */
  proposed: number
  /**
   * By candidate and slot the index of the candidate in that slot: -1 for an empty slot, and one beyond the last for a passage
   * that is not a candidate.
   */
  around: Int32Array
  /** By candidate the first passage of its version: the same for all passages of a version. */
  versions: readonly number[]
  /** By candidate its score by the words of the query; 0 where it has none of them. */
  scores: Float32Array
}

/** No candidates: for hits that are judged without their neighbours. */
export const withoutNeighbours: Candidates = {
  passages: [],
  proposed: 0,
  around: new Int32Array(0),
  versions: [],
  scores: new Float32Array(0),
}

/** A passage whose terms and vector are added to a query. */
export type FeedbackPassage = { passage: number; weight: number }

/**
 * Passages whose terms and vectors are added to a query for a second scoring: the share of the new query that they make, and the
 * weight of each; the weights sum to 1.
 */
export type Feedback = { share: number; passages: readonly FeedbackPassage[] }

/** A passage of a version that is live in the requested state, with the version's title. */
export type LivePassage = ItemRef & {
  passage: number
  starts: number
  ends: number
  page: number | null
  text: string
  item: FoundContent
  title: string
  kind: string | undefined
  provenance: Provenance
  /** Text by which the version is found in addition to its own; it ends with a line break. */
  prefix: string
}

/** An excerpt of a passage that shows why it was found; positions are in UTF-16 code units. */
export type Snippet = {
  text: string
  /** Its beginning in the passage. */
  start: number
  highlights: { start: number; end: number }[]
  /** The words of the query in the excerpt or the prefix, as they are written there. */
  words: string[]
}
