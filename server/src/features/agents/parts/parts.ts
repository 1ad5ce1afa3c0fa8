import type { RunPart } from '@noema/contracts/run-stream.ts'
import { runTopic, type Topics } from '../../../shared/topics.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { deleteParts, insertParts, lockRun, type StoredPart, type WrittenRun } from './queries.ts'

// The stream of a run, as it is written: parts that are numbered under the run's lease, without reuse, and withdrawn where
// the attempt that wrote them died. So what is stored is at any time what the run's messages say.

export { toEndingParts, toOpeningParts, toOutcomePart, toTaskPart, toToolCallPart } from './run-parts.ts'
export { createStepParts, type StepContent } from './step-parts.ts'
export type { WrittenRun }

/** A part that is not stored yet. Those of an operation that is still under way are withdrawn with its attempt. */
export type NewPart = { operationId?: string | undefined; part: RunPart }

const toStored = ({ operationId, part }: NewPart): StoredPart => ({
  operationId: operationId ?? null,
  part: JSON.stringify(part),
})

/**
 * Stores parts in the caller's transaction, as a settlement or an ending does; false where the run's lease does not stand.
 * Publish the run's topic after it.
 */
export const appendParts = async (tx: Tx, run: WrittenRun, parts: readonly NewPart[]): Promise<boolean> =>
  parts.length === 0 || (await insertParts(tx, run, parts.map(toStored)))

/**
 * Takes back what an attempt of an operation had streamed, and says so to those who read it live. The caller holds the lock of
 * the run's row.
 */
export const withdrawParts = async (tx: Tx, run: WrittenRun, operationId: string): Promise<void> => {
  const from = await deleteParts(tx, run, operationId)
  if (from === undefined) return
  await appendParts(tx, run, [{ part: { type: 'data-restart', data: { operationId, from }, transient: true } }])
}

const gatherMilliseconds = 50
/** Text that waits for the database at most, before whoever writes has to wait, too. */
const maxPendingLength = 64 * 1024

/** Adds a part; a piece of text that goes on where the last one ended joins it. */
const addPart = (pending: NewPart[], operationId: string, part: RunPart): void => {
  const last = pending.at(-1)
  if (
    (part.type === 'text-delta' || part.type === 'reasoning-delta') &&
    last?.part.type === part.type &&
    last.part.id === part.id &&
    last.operationId === operationId
  )
    pending[pending.length - 1] = { operationId, part: { ...part, delta: last.part.delta + part.delta } }
  else pending.push({ operationId, part })
}

const measure = (part: RunPart): number => ('delta' in part ? part.delta.length : 200)

export type PartWriter = {
  /**
   * Streams parts of an operation that is under way. They are stored within 50 ms, together; resolves at once unless much
   * waits to be stored. False where the run's lease does not stand any more: nothing is stored then.
   */
  write(operationId: string, parts: readonly RunPart[]): Promise<boolean>
  /** Takes back what an earlier attempt of an operation had streamed. False where the lease does not stand any more. */
  withdraw(operationId: string): Promise<boolean>
  /** What is not stored yet, for the transaction that settles the operation. */
  take(): Promise<NewPart[]>
}

/** Opens the writing of parts for who holds the lease of a run. */
export const createPartWriter = (
  { db, topics }: { db: Db; topics: Pick<Topics, 'publish'> },
  run: WrittenRun & { lease: string },
): PartWriter => {
  let pending: NewPart[] = []
  let length = 0
  let isHeld = true
  let failure: unknown
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  const take = (): NewPart[] => {
    clearTimeout(timer)
    timer = undefined
    const parts = pending
    pending = []
    length = 0
    return parts
  }
  const storeAll = async (): Promise<void> => {
    while (pending.length > 0 && isHeld) {
      isHeld = await insertParts(db, run, take().map(toStored))
      if (isHeld) topics.publish(runTopic(run.id))
    }
  }
  // What may have been stored is never stored again: whoever writes learns of the failure and begins the operation anew.
  const store = (): Promise<void> => {
    storing ??= storeAll()
      .catch((error: unknown) => {
        failure = error
        isHeld = false
      })
      .finally(() => {
        storing = undefined
      })
    return storing
  }
  const checkWritten = (): boolean => {
    if (failure !== undefined) throw failure
    return isHeld
  }
  return {
    write: async (operationId, parts) => {
      for (const part of parts) {
        addPart(pending, operationId, part)
        length += measure(part)
      }
      if (length > maxPendingLength) await store()
      else if (pending.length > 0) timer ??= setTimeout(store, gatherMilliseconds)
      return checkWritten()
    },
    withdraw: async (operationId) => {
      const isOurs = await db.transaction().execute(async (tx) => {
        const isLocked = await lockRun(tx, run)
        if (isLocked) await withdrawParts(tx, run, operationId)
        return isLocked
      })
      if (isOurs) topics.publish(runTopic(run.id))
      return isOurs
    },
    take: async () => {
      await storing
      checkWritten()
      return take()
    },
  }
}
