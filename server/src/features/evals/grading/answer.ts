import type { Evidence } from '@noema/contracts/search.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'

// An answer as graders see it, whichever way it came about.

/** An item that was read, by the handle of its Brain. */
export type ReadItem = { brain: string; type: ContentType; id: string; version: number; isCurrent: boolean }

/** A citation of an answer. `brain` is undefined if the answer has only one. */
export type Cited = { brain: string | undefined; type: ContentType; id: string; version: number }

export type Answer = {
  /** The text; of a run with an outputSchema, its JSON. */
  text: string
  /** The items of its receipts, in the order in which they were read. */
  items: readonly ReadItem[]
  /** Of a read: how much speaks for its items. */
  evidence?: Evidence
  /** Of a run. */
  citations: readonly Cited[]
  tools: readonly string[]
  costNanodollars: number
  milliseconds: number
}
