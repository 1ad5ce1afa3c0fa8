import type { Caps } from '../../../config/tiers.ts'
import type { ApiError } from '../../../shared/errors.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import type { IdempotencyClaim, StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import type { CommitBatch } from './commit-batch.ts'
import type { LockedBrain } from './commit-queries.ts'

/**
 * Called in the transaction of a commit, under the Brain's lock, before the request is applied; throws the refusal of the
 * request. It may only lock rows that are never locked by a transaction that waits for a Brain.
 */
export type WritePrecondition = (tx: Tx) => Promise<void>

/** The work of a request, in memory: it returns the answer, or throws the refusal. */
export type Run = (batch: CommitBatch) => StoredAnswer

/** The means by which a request reads its other input. */
export type Reading = {
  /** True if no other request is in the batch. */
  isOnly: boolean
  /** The content that the batch may still read. */
  budget: LoadBudget
  /** The refusal of a request that exceeds the budget. Throws other errors, and where it should be repeated in another way. */
  toRefusal: (error: unknown) => ApiError
}

/**
 * A request to change a Brain: a write, or a decision on a change. The content that it names is read before it runs, and is still
 * current when it is committed.
 */
export type WriteRequest = {
  operations: readonly ResolvedOperation[]
  /** Changes that it names; the content that their operations need is read too, as they may be applied. */
  changeIds: readonly string[]
  claim: IdempotencyClaim | undefined
  /** A hash of the request and its caller, where an equal one may wait for review already. */
  toWriteHash?: () => string | undefined
  /** True to wait for review in any mode of the Brain. */
  isForReview?: boolean
  /** The daily limit of the organization, if it has one. */
  caps: Caps
  /** The span that it is part of, packed, where it is traced. */
  trace?: Buffer
  /** True if its caller can repeat it on the worker for large requests. */
  mayMove?: boolean
  /** Checked in the transaction. A batch has at most one request with a precondition. */
  precondition?: WritePrecondition | undefined
} & (
  | { run: Run }
  | {
      /**
       * Reads its other input, once the content is read. Throws `NeedsOwnBatch` where no other request may be in the batch.
       */
      load: (db: Queryable, batch: CommitBatch, reading: Reading) => Promise<Run>
    }
)

/**
 * A request whose operations depend on tables of its own feature. `prepare` reads them under the Brain's lock and writes nothing;
 * they stay as they are because such a request has a batch of its own.
 */
export type DeferredWriteRequest = {
  claim: IdempotencyClaim | undefined
  /** Changes that it names, as in a request that is not deferred. */
  changeIds?: readonly string[]
  caps: Caps
  trace?: Buffer
  mayMove?: boolean
  prepare: (
    tx: Tx,
    brain: LockedBrain,
    reading: { now: Date; mayMove: boolean },
  ) => Promise<{
    operations: readonly ResolvedOperation[]
    run: Run
    toWriteHash?: () => string | undefined
    isForReview?: boolean
  }>
}

/** The outcome of a request: its answer, or the error that refuses it alone. */
export type WriteResult = { answer: StoredAnswer; replayed: boolean } | { error: unknown }
