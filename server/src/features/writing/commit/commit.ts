import type { Operation } from '@noema/contracts/batch.ts'
import type { Caps } from '../../../config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { ApiError } from '../../../shared/errors.ts'
import { fingerprintOf, type StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import { landOrStage, type Written } from './landing.ts'
import { settleOperations } from './operations.ts'
import type { WriteDoor } from './write-door.ts'

export { storeEvolution } from '../schema-changes/evolution-data.ts'
export type { Group } from './group.ts'
export { landOrStage, type Written } from './landing.ts'
export type { SettledOperation } from './operations.ts'
export { hasChanges, type LockedBrain, lockBrain } from './queries.ts'
export type { LateSubmission } from './run-group.ts'
export { refOf, type StoredChange, selectChanges } from './stored-change.ts'
export { openWriteDoor, type WriteDoor } from './write-door.ts'

/** A write as an edge (HTTP, MCP) asks for it. */
export type Write = {
  operations: readonly Operation[]
  /** Whether several operations were asked for together: then errors tell which one they are about. */
  isBatch?: boolean
  corrects?: string | undefined
  /** Why, for whoever reviews it or reads its history. */
  reason?: string | undefined
  idempotencyKey?: string | undefined
  /** What was asked for, where that is not the operations themselves: a repeat is told by it. */
  asked?: unknown
  /** Why the write cannot be made. A repeat of one that was made still gets its answer. */
  refusal?: ApiError | undefined
}

/** Who submits a write, and what their organization may spend. */
export type Submitter = { actor: Actor; caps: Caps }

/**
 * Submits operations to a Brain as one change, all or nothing. With an idempotency key the first call does the work and
 * every repeat gets the first answer. `answer` makes the answer of what landed; it is stored with the change.
 */
export const submitChange = (
  deps: { writeDoor: WriteDoor; clock: Clock },
  submitter: Submitter,
  brainId: number,
  write: Write & { answer: (written: Written) => StoredAnswer },
): Promise<{ answer: StoredAnswer; replayed: boolean }> => {
  const { idempotencyKey: key, corrects, reason, isBatch = false, refusal, answer } = write
  const asked = write.asked ?? [isBatch, write.operations, corrects ?? null]
  const claim = key === undefined ? undefined : { sender: submitter.actor.id, key, fingerprint: fingerprintOf(asked) }
  const operations = settleOperations(write.operations, deps.clock.now())
  return deps.writeDoor.submit(brainId, {
    operations,
    changeIds: corrects === undefined ? [] : [corrects],
    claim,
    leastCap: submitter.caps?.dailyWrites,
    run: (group) => {
      if (refusal) throw refusal
      return answer(landOrStage(group, { operations, isBatch, submitter, corrects, reason }))
    },
  })
}
