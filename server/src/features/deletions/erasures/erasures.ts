import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork, Turn } from '../../../shared/concurrency/leased-work.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import {
  insertErasure,
  type LeasedErasure,
  leaseErasures,
  type NewErasure,
  type Outcome,
  selectDueErasures,
  storeErasureOutcomes,
} from './queries.ts'

// The rest of ended organizations and accounts. The transaction that ends one adds an erasure, so that some node erases the rest
// even if this one dies. The row stays when all is erased: it says that there was something, and nothing else.

/** The arguments of a step: the signal to stop, and a way to extend its lease; false if the lease is lost. */
export type ErasureTurn = { stopping: AbortSignal; renew(): Promise<boolean> }

/** Erases some of what ended. True when nothing is left. */
export type Erase = (
  erasure: Pick<NewErasure, 'subject' | 'address' | 'endedAt'>,
  turn: ErasureTurn,
) => Promise<boolean>

/** Adds what is to be erased, in the transaction that ends it. */
export const addErasure = (
  tx: Queryable,
  given: Pick<NewErasure, 'kind' | 'subject' | 'address'> & { by: Actor },
  now: Date,
) => {
  const { by, ...erasure } = given
  return insertErasure(tx, { ...erasure, id: newId('ers', now), endedBy: by, endedAt: now })
}

const leaseSeconds = 60
/** The pause before the next check of work that others still erase. */
const waitSeconds = 1
const maxRetrySeconds = 900

/** Erasures as leased work. */
export const createErasureWork = (
  { db, clock }: { db: Db; clock: Clock },
  erase: Readonly<Record<NewErasure['kind'], Erase>>,
): LeasedWork<LeasedErasure, Outcome> => {
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)
  const waiting = { keepsLease: false, erasedAt: null }
  const run = async (row: LeasedErasure, { stopping, storeOutcome }: Turn<Outcome>): Promise<boolean> => {
    const { failures } = row
    const renew = () => storeOutcome({ dueAt: inSeconds(leaseSeconds), keepsLease: true, failures, erasedAt: null })
    try {
      const isDone = await erase[row.kind](row, { stopping, renew })
      await storeOutcome(
        isDone
          ? { ...waiting, dueAt: null, failures: 0, erasedAt: clock.now() }
          : { ...waiting, dueAt: inSeconds(waitSeconds), failures: 0 },
      )
      return false
    } catch (error) {
      const dueAt = inSeconds(Math.min(maxRetrySeconds, 5 * 2 ** Math.min(failures, 10)))
      // An outcome that cannot be stored either waits until the lease ends.
      await storeOutcome({ ...waiting, dueAt, failures: failures + 1 }).catch(() => false)
      throw error
    }
  }
  return {
    ...{ name: 'erase what has ended', maxTurns: 2, leaseSeconds, maxKeys: 1, isLocal: true, run },
    lease: (request) => leaseErasures(db, request),
    storeOutcomes: (settlements) => storeErasureOutcomes(db, settlements),
    dueKeys: ({ now }) => selectDueErasures(now),
  }
}
