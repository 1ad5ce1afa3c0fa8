import type { Clock } from '../../../shared/clock.ts'
import { unavailable } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Topics } from '../../../shared/topics.ts'
import { type Db, isDatabaseUnavailable, type RunPrepared } from '../../../storage/database.ts'
import type { SchemaCache } from '../../brain/schema/schema.ts'
import type { DeferredWriteRequest, WriteRequest, WriteResult } from './execute-batch.ts'
import { commitBatch } from './group-commit.ts'
import type { LockedBrain } from './queries.ts'

// The only door that content enters a Brain by. While one transaction of a Brain commits, the writes that arrive gather
// and land together in the next: one sync to disk for all of them. Each is judged by itself, so one that is refused
// never fails its neighbours.

/**
 * Most requests, operations and characters of document text of one batch: enough to make a commit worth its sync, few
 * enough to stay quick and small in memory.
 */
const groupLimit = { requests: 256, operations: 2_000, characters: 16 * 1024 * 1024 }

/** Most requests that may wait for one Brain; more than this is more than a minute's work. */
const waitingLimit = 20_000

type Waiting = {
  request: WriteRequest | DeferredWriteRequest
  resolve: (result: WriteResult) => void
  reject: (error: unknown) => void
}
type Settled = Extract<WriteResult, { answer: unknown }>

export type CommitEngine = {
  /** Waits for the request's turn and its commit. Throws what it is refused with; then nothing of it was written. */
  submit(brainId: number, request: WriteRequest | DeferredWriteRequest): Promise<Settled>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

const charactersOf = ({ operations }: WriteRequest): number =>
  operations.reduce((sum, operation) => sum + (operation.op === 'document.put' ? operation.text.length : 0), 0)

/**
 * Whether a request must have a batch of its own: one that publishes a change of the schema, so that all that a batch
 * writes is judged by one schema, or a late one, whose neighbours must not write what it reads.
 */
const goesAlone = (request: WriteRequest | DeferredWriteRequest): boolean =>
  !('run' in request) || request.evolves === true

/** Takes the next batch off the queue: always one request, and more while they stay within the limits. */
const nextGroup = (queue: Waiting[]): Waiting[] => {
  let operations = 0
  let characters = 0
  let count = 0
  for (const { request } of queue) {
    operations += 'run' in request ? request.operations.length : 0
    characters += 'run' in request ? charactersOf(request) : 0
    const isFull =
      goesAlone(request) ||
      count >= groupLimit.requests ||
      operations > groupLimit.operations ||
      characters > groupLimit.characters
    if (count > 0 && isFull) break
    count++
    if (goesAlone(request)) break
  }
  return queue.splice(0, count)
}

/** A Brain's writes that wait, and where this node left the Brain last. */
type Queue = { waiting: Waiting[]; isWorking: boolean; head: LockedBrain | undefined }

/** Most Brains whose place is remembered. */
const rememberedBrains = 10_000

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Opens the write door over a database. One queue for each Brain that is being written to; other nodes have their own. */
export const openCommitEngine = (deps: {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  topics: Topics
  schemas: SchemaCache
}): CommitEngine => {
  const queues = new Map<number, Queue>()
  const working = new Set<Promise<void>>()

  const commit = async (brainId: number, queue: Queue, batch: readonly Waiting[]): Promise<void> => {
    try {
      const requests = batch.map(({ request }) => request)
      const known = { brainId, head: queue.head }
      const { results, topics, head } = await commitBatch(deps, known, requests)
      queue.head = head
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
      for (const topic of topics) deps.topics.publish(topic)
    } catch (error) {
      queue.head = undefined
      await recover(brainId, queue, { batch, error })
    }
  }

  // The transaction failed as a whole. Where that is the database being away, all are told so; otherwise one of them may
  // be what it failed by, so each goes again by itself.
  const recover = async (
    brainId: number,
    queue: Queue,
    { batch, error }: { batch: readonly Waiting[]; error: unknown },
  ): Promise<void> => {
    if (batch.length === 1 || isDatabaseUnavailable(error)) for (const { reject } of batch) reject(error)
    else for (const waiting of batch) await commit(brainId, queue, [waiting])
  }

  const work = async (brainId: number, queue: Queue): Promise<void> => {
    queue.isWorking = true
    // What else arrives in this turn of the event loop joins the first batch.
    await turnOfTheLoop()
    while (queue.waiting.length > 0) await commit(brainId, queue, nextGroup(queue.waiting))
    queue.isWorking = false
  }

  /** The queue of a Brain. The one that was used longest ago is forgotten when there are too many. */
  const queueOf = (brainId: number): Queue => {
    const queue = queues.get(brainId) ?? { waiting: [], isWorking: false, head: undefined }
    queues.delete(brainId)
    queues.set(brainId, queue)
    if (queues.size > rememberedBrains)
      for (const [oldest, { isWorking }] of queues) {
        if (!isWorking) queues.delete(oldest)
        if (queues.size <= rememberedBrains) break
      }
    return queue
  }

  const enqueue = (brainId: number, waiting: Waiting): void => {
    const queue = queueOf(brainId)
    if (queue.waiting.length >= waitingLimit) {
      waiting.reject(unavailable('This Brain has too many writes waiting. Try again shortly.'))
      return
    }
    queue.waiting.push(waiting)
    if (queue.isWorking) return
    const done = work(brainId, queue).finally(() => working.delete(done))
    working.add(done)
  }

  return {
    submit: async (brainId, request) => {
      const result = await new Promise<WriteResult>((resolve, reject) => enqueue(brainId, { request, resolve, reject }))
      if ('error' in result) throw result.error
      return result
    },
    idle: async () => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}
