import type { Caps } from '../../../config/tiers.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import type { IdempotencyClaim, StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import type { CommitBatch } from './commit-batch.ts'
import type { LockedBrain } from './commit-queries.ts'

/**
 * Called in the transaction of a commit, under the Brain's lock, before anything of one request lands; throws what the request
 * is refused with. It may lock a row that nobody locks who then waits for a Brain.
 */
export type WriteGuard = (tx: Tx) => Promise<void>

/** What a request does in memory when its turn has come: it answers, or throws what it is refused with. */
export type Run = (batch: CommitBatch) => StoredAnswer

/**
 * Something that is to be done to a Brain: a write, or a decision on a change. What it names is read before it runs, under
 * the Brain's lock.
 */
export type WriteRequest = {
  operations: readonly ResolvedOperation[]
  /** Changes that it asks for; what their operations need is read too, as they may be applied. */
  changeIds: readonly string[]
  claim: IdempotencyClaim | undefined
  /** What is asked and by whom, as a hash, where the same may wait for review already. */
  toWriteHash?: () => string | undefined
  /** Whether it waits for review, whatever the Brain's mode. */
  isForReview?: boolean
  /** What may be written a day, where that is limited. */
  caps: Caps
  /** The span that it is part of, packed, where it is traced. */
  trace?: Buffer
  /** Asked in the transaction whether the request may still land. A batch has one guarded request at most. */
  guard?: WriteGuard | undefined
  /** Whether it has a batch of its own: it changes the schema, by which all that one batch writes is judged. */
  isAlone?: boolean
} & (
  | { run: Run }
  | {
      /** Reads what else it is run by, once the content is there. */ load: (
        db: Queryable,
        batch: CommitBatch,
      ) => Promise<Run>
    }
)

/**
 * A request that must look at tables of its own feature to know what it is. `prepare` reads them under the Brain's lock
 * and writes nothing; what it saw holds because such a request has a batch of its own.
 */
export type DeferredWriteRequest = {
  claim: IdempotencyClaim | undefined
  caps: Caps
  trace?: Buffer
  prepare: (tx: Tx, brain: LockedBrain, now: Date) => Promise<{ operations: readonly ResolvedOperation[]; run: Run }>
}

/** How a request ended: its answer, or the error that it alone is refused with. */
export type WriteResult = { answer: StoredAnswer; replayed: boolean } | { error: unknown }
