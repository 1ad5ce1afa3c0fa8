import type { RunPart } from '@noema/contracts/run-stream.ts'
import { runTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import type { Db } from '../../../storage/database.ts'
import type { WrittenRun } from './parts-queries.ts'
import { lockRun } from './parts-queries.ts'
import { appendParts, type NewPart, withdrawParts } from './stored-parts.ts'

const gatherMilliseconds = 50
/** Characters that may wait to be stored, before the writer has to wait, too. */
const maxPendingLength = 64 * 1024

export type PartWriter = {
  /**
   * Streams parts of an open operation. They are stored within 50 ms, together; resolves at once unless much waits to be stored.
   * False if the run has lost its lease: then nothing is stored.
   */
  write(operationId: string, parts: readonly RunPart[]): Promise<boolean>
  /** Withdraws the parts of an earlier attempt of an operation. False if the lease is lost. */
  withdraw(operationId: string): Promise<boolean>
  /** The parts that are not stored yet, for the transaction that stores the operation's outcome. */
  take(): Promise<NewPart[]>
}

/** Joins each piece of text to the one before it, if it continues that one. */
export const joinTexts = (parts: readonly NewPart[]): NewPart[] => {
  const joined: NewPart[] = []
  for (const { operationId, part } of parts) {
    const last = joined.at(-1)
    if (
      (part.type === 'text-delta' || part.type === 'reasoning-delta') &&
      last?.part.type === part.type &&
      last.part.id === part.id &&
      last.operationId === operationId
    )
      joined[joined.length - 1] = { operationId, part: { ...part, delta: last.part.delta + part.delta } }
    else joined.push({ operationId, part })
  }
  return joined
}

type Deps = { db: Db; topics: Pick<Topics, 'publish'> }
type HeldRun = WrittenRun & { lease: string }

/** Parts that wait to be stored together. */
const createPending = () => {
  let pending: NewPart[] = []
  let length = 0
  return {
    /** Adds parts, and answers how many characters wait now, roughly. */
    add: (operationId: string, parts: readonly RunPart[]): number => {
      for (const part of parts) {
        pending.push({ operationId, part })
        length += 'delta' in part ? part.delta.length : 200
      }
      return length
    },
    isEmpty: () => pending.length === 0,
    take: (): NewPart[] => {
      const taken = joinTexts(pending)
      pending = []
      length = 0
      return taken
    },
  }
}

/** Parts on their way into the database: gathered for a moment, and stored while the lease is valid. */
const createStoring = ({ db, topics }: Deps, run: HeldRun) => {
  const { add, take, isEmpty } = createPending()
  let isHeld = true
  let failure: { error: unknown } | undefined
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  const storeAll = async (): Promise<void> => {
    while (!isEmpty() && isHeld) {
      isHeld = await appendParts(db, run, take())
      if (isHeld) topics.publish(runTopic(run.id))
    }
  }
  const cancelTimer = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  // Parts that may have been stored are never stored again: the writer learns of the failure and restarts the operation.
  const store = (): Promise<void> => {
    cancelTimer()
    storing ??= storeAll()
      .catch((error: unknown) => {
        failure = { error }
      })
      .finally(() => {
        storing = undefined
      })
    return storing
  }
  return {
    add,
    take,
    store,
    storeSoon: (): void => {
      timer ??= setTimeout(store, gatherMilliseconds)
    },
    /** Stores nothing more by itself. */
    stop: async (): Promise<void> => {
      cancelTimer()
      await storing
    },
    /** True if all was stored so far; throws if that is uncertain. */
    checkStored: (): boolean => {
      if (failure) throw failure.error
      return isHeld
    },
    forgetFailure: (): void => {
      failure = undefined
    },
  }
}

/** Opens the writing of parts for who holds the lease of a run. */
export const createPartWriter = (deps: Deps, run: HeldRun): PartWriter => {
  const storing = createStoring(deps, run)
  const withdraw = (operationId: string): Promise<boolean> =>
    deps.db.transaction().execute(async (tx) => {
      const isLocked = await lockRun(tx, run)
      if (isLocked) await withdrawParts(tx, run, operationId)
      return isLocked
    })
  return {
    write: async (operationId, parts) => {
      storing.checkStored()
      const length = storing.add(operationId, parts)
      if (length > maxPendingLength) await storing.store()
      else if (length > 0) storing.storeSoon()
      return storing.checkStored()
    },
    withdraw: async (operationId) => {
      await storing.stop()
      storing.take()
      const isOurs = await withdraw(operationId)
      storing.forgetFailure()
      if (isOurs) deps.topics.publish(runTopic(run.id))
      return isOurs
    },
    take: async () => {
      await storing.stop()
      storing.checkStored()
      return storing.take()
    },
  }
}
