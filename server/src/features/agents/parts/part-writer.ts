import type { RunPart } from '@noema/contracts/run-stream.ts'
import { runTopic, type Topics } from '../../../shared/topics.ts'
import type { Db } from '../../../storage/database.ts'
import { createPendingParts } from './pending-parts.ts'
import { lockRun } from './queries.ts'
import { appendParts, type NewPart, type WrittenRun, withdrawParts } from './stored-parts.ts'

const gatherMilliseconds = 50
/** Text that waits for the database at most, before whoever writes has to wait, too. */
const maxPendingLength = 64 * 1024

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
  const pending = createPendingParts()
  let isHeld = true
  let failure: { error: unknown } | undefined
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  const storeAll = async (): Promise<void> => {
    while (pending.length() > 0 && isHeld) {
      isHeld = await appendParts(db, run, pending.take())
      if (isHeld) topics.publish(runTopic(run.id))
    }
  }
  // What may have been stored is never stored again: whoever writes learns of the failure and begins the operation anew.
  const store = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    storing ??= storeAll()
      .catch((error: unknown) => {
        failure = { error }
      })
      .finally(() => {
        storing = undefined
      })
    return storing
  }
  const checkStored = (): void => {
    if (failure) throw failure.error
  }
  return {
    write: async (operationId, parts) => {
      checkStored()
      pending.add(operationId, parts)
      if (pending.length() > maxPendingLength) await store()
      else if (pending.length() > 0) timer ??= setTimeout(store, gatherMilliseconds)
      checkStored()
      return isHeld
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
      clearTimeout(timer)
      timer = undefined
      await storing
      checkStored()
      return pending.take()
    },
  }
}
