import type { Clock } from '../../shared/clock.ts'
import { unavailable } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { type Db, isDatabaseUnavailable } from '../../storage/database.ts'
import type { Wakes } from '../events/wakes.ts'
import { createSchemaCache } from '../schema/schema.ts'
import { commitGroup, type Settlement, type Submission } from './commit-group.ts'

// The only door that content enters a Brain by. While one transaction of a Brain commits, the writes that arrive gather
// and land together in the next: one sync to disk for all of them. Each is judged by itself, so one that is refused
// never fails its neighbours.

/** Most submissions and operations of one group: enough to make a commit worth its sync, few enough to stay quick. */
const groupLimit = { submissions: 256, operations: 2_000 }

/** Most submissions that may wait for one Brain; more than this is more than a minute's work. */
const waitingLimit = 20_000

type Waiting = { submission: Submission; resolve: (settlement: Settlement) => void; reject: (error: unknown) => void }
type Settled = Extract<Settlement, { answer: unknown }>

export type WriteDoor = {
  /** Waits for the submission's turn and its commit. Throws what it is refused with; then nothing of it was written. */
  submit(brainId: number, submission: Submission): Promise<Settled>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

const nextGroup = (queue: Waiting[]): Waiting[] => {
  let operations = 0
  let count = 0
  for (const { submission } of queue) {
    operations += submission.operations.length
    // A change of the schema goes alone, so that all that a group writes is judged by one schema.
    if (count > 0 && (submission.evolves || count >= groupLimit.submissions || operations > groupLimit.operations))
      break
    count++
    if (submission.evolves) break
  }
  return queue.splice(0, count)
}

/** Opens the write door over a database. One queue for each Brain that is being written to; other nodes have their own. */
export const openWriteDoor = (deps: { db: Db; clock: Clock; log: Log; wakes: Wakes }): WriteDoor => {
  const queues = new Map<number, Waiting[]>()
  const working = new Set<Promise<void>>()
  const schemas = createSchemaCache()

  const commit = async (brainId: number, group: readonly Waiting[]): Promise<void> => {
    try {
      const submissions = group.map(({ submission }) => submission)
      const { settlements, emitted } = await commitGroup({ ...deps, schemas }, brainId, submissions)
      for (const [index, settlement] of settlements.entries()) group[index]?.resolve(settlement)
      if (emitted) deps.wakes.wake(brainId)
    } catch (error) {
      await recover(brainId, group, error)
    }
  }

  // The transaction failed as a whole. Where that is the database being away, all are told so; otherwise one of them may
  // be what it failed by, so each goes again by itself.
  const recover = async (brainId: number, group: readonly Waiting[], error: unknown): Promise<void> => {
    if (group.length === 1 || isDatabaseUnavailable(error)) for (const { reject } of group) reject(error)
    else for (const waiting of group) await commit(brainId, [waiting])
  }

  const work = async (brainId: number, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) await commit(brainId, nextGroup(queue))
    queues.delete(brainId)
  }

  const enqueue = (brainId: number, waiting: Waiting): void => {
    const queue = queues.get(brainId)
    if (queue) {
      if (queue.length >= waitingLimit)
        waiting.reject(unavailable('This Brain has too many writes waiting. Try again shortly.'))
      else queue.push(waiting)
      return
    }
    const fresh = [waiting]
    queues.set(brainId, fresh)
    const done = work(brainId, fresh).finally(() => working.delete(done))
    working.add(done)
  }

  return {
    submit: async (brainId, submission) => {
      const settlement = await new Promise<Settlement>((resolve, reject) =>
        enqueue(brainId, { submission, resolve, reject }),
      )
      if ('error' in settlement) throw settlement.error
      return settlement
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
