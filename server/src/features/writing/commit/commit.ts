import { createHash } from 'node:crypto'
import type { Operation } from '@noema/contracts/batch.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { ApiError } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import { type StoredAnswer, toClaim } from '../../platform/idempotency/idempotency.ts'
import { findRefusedCredentials } from '../credentials/credentials.ts'
import { applyOrStage, type Submitter, type Written } from './apply-or-stage.ts'
import type { Commits } from './commit-engine.ts'
import { resolveOperations } from './resolve-operations.ts'
import type { WritePrecondition } from './write-request.ts'

/** A write as an edge (HTTP, MCP) asks for it. */
export type Write = {
  operations: readonly Operation[]
  /** True if the caller sent a list of operations: then errors name the one that they are about. */
  isBatch?: boolean
  corrects?: string | undefined
  /** The reason, for reviewers and for readers of its history. */
  reason?: string | undefined
  /** True to wait for review even if the Brain applies writes. */
  review?: boolean | undefined
  idempotencyKey?: string | undefined
  /** The request, where that is not the operations themselves: a repeat is recognized by it. */
  asked?: unknown
  /** Checked in the commit's transaction. */
  precondition?: WritePrecondition | undefined
  /** Why the write is refused. A repeat of one that was made still gets its answer. */
  refusal?: ApiError | undefined
  /** True if it brings back content that the Brain had before: that is not examined for credentials. */
  restores?: boolean
}

/** A hash of a write and its caller. None where it makes a record under a new id: each such write makes another. */
const hashWrite = (caller: string, { operations, corrects, reason }: Write): string | undefined => {
  if (operations.some(({ op }) => op === 'record.create')) return undefined
  const asked = canonicalJson([caller, operations, corrects ?? null, reason ?? null])
  return createHash('sha256').update(asked).digest('hex')
}

/**
 * Submits operations to a Brain as one change, all or nothing. With an idempotency key the first call does the work and
 * every repeat gets the first answer. `answer` makes the answer from the result; it is stored with the change.
 */
export const submitChange = async (
  deps: { commitEngine: Commits; clock: Clock },
  submitter: Submitter,
  brainId: number,
  write: Write & { answer: (written: Written) => StoredAnswer },
): Promise<{ answer: StoredAnswer; replayed: boolean }> => {
  const { idempotencyKey, corrects, reason, isBatch = false, review = false, precondition, answer } = write
  const asked = write.asked ?? [isBatch, write.operations, corrects ?? null, ...(review ? ['review'] : [])]
  const operations = resolveOperations(write.operations, deps.clock.now())
  const refusal =
    write.refusal ??
    (deps.commitEngine.refusesCredentials && !write.restores
      ? await findRefusedCredentials(operations.map((value, at) => ({ at: isBatch ? ['operations', at] : [], value })))
      : undefined)
  let writeHash: string | undefined
  const toWriteHash = () => {
    writeHash ??= hashWrite(submitter.actor.id, write)
    return writeHash
  }
  return deps.commitEngine.submit(brainId, {
    operations,
    changeIds: corrects === undefined ? [] : [corrects],
    claim: toClaim(submitter.actor.id, idempotencyKey, asked),
    caps: submitter.caps,
    precondition,
    toWriteHash,
    isForReview: review,
    run: (batch) => {
      if (refusal) throw refusal
      const writeHash = review || batch.brain.mayStage ? toWriteHash() : undefined
      return answer(applyOrStage(batch, { operations, isBatch, submitter, corrects, reason, review, writeHash }))
    },
  })
}
