import type { Operation } from '@noema/contracts/batch.ts'
import type { Caps } from '../../config.ts'
import type { Clock } from '../../shared/clock.ts'
import { fingerprintOf, type StoredAnswer } from '../idempotency/idempotency.ts'
import type { Landed } from './commit-group.ts'
import { settleOperations } from './operations.ts'
import type { WriteDoor } from './write-door.ts'

export type { Landed } from './commit-group.ts'
export { openWriteDoor, type WriteDoor } from './write-door.ts'

/** A write as an edge (HTTP, MCP) asks for it. */
export type Write = {
  operations: readonly Operation[]
  /** Whether several operations were asked for together: then errors tell which one they are about. */
  isBatch?: boolean
  corrects?: string | undefined
  idempotencyKey?: string | undefined
}

/** Who writes: the key, and what its organization may spend. */
export type Writer = { keyId: string; caps: Caps }

/**
 * Submits operations to a Brain as one change, all or nothing. With an idempotency key the first call does the work and
 * every repeat gets the first answer. `answer` makes the answer of what landed; it is stored with the change.
 */
export const submitChange = (
  deps: { writeDoor: WriteDoor; clock: Clock },
  writer: Writer,
  brainId: number,
  write: Write & { answer: (landed: Landed) => StoredAnswer },
): Promise<{ answer: StoredAnswer; replayed: boolean }> => {
  const { idempotencyKey, corrects, isBatch = false } = write
  const claim =
    idempotencyKey === undefined
      ? undefined
      : { keyId: writer.keyId, key: idempotencyKey, fingerprint: fingerprintOf([isBatch, write.operations, corrects ?? null]) }
  return deps.writeDoor.submit(brainId, {
    operations: settleOperations(write.operations, deps.clock.now()),
    isBatch,
    keyId: writer.keyId,
    corrects,
    claim,
    caps: writer.caps,
    answer: write.answer,
  })
}
