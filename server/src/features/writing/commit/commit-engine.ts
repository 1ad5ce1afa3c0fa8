import type { Clock } from '../../../shared/clock.ts'
import type { Topic, Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Measures } from '../../../shared/measures.ts'
import { addSpanSince, currentWaiter, inSharedSpan, type Waiter } from '../../../shared/tracing/spans.ts'
import { packTrace } from '../../../shared/tracing/trace-context.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import { type BrainLocks, crowdedBrain, maxWaitMilliseconds } from '../../kernel/locks/locks.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { GuardFailed } from './execute-batch.ts'
import { commitBatch, type Head } from './group-commit.ts'
import type { DeferredWriteRequest, WriteRequest, WriteResult } from './write-request.ts'

// The only way by which content enters a Brain. While one transaction of a Brain commits, the writes that arrive gather
// and land together in the next: one sync to disk for all of them. Each is judged by itself, so one that is refused
// never fails its neighbours.

/**
 * The most requests, operations and characters of document text of one batch: enough to make a commit worth its sync, few
 * enough to stay quick and small in memory.
 */
const batchLimit = { requests: 256, operations: 2_000, characters: 16 * 1024 * 1024 }

type Request = WriteRequest | DeferredWriteRequest
/** A request in the queue of its Brain. */
type Waiting = {
  request: Request
  since: number
  /** Whose span it is part of, where it is traced. */
  waiter: Waiter
  resolve: (result: WriteResult) => void
  reject: (error: unknown) => void
}
type Answered = Extract<WriteResult, { answer: unknown }>

const countCharacters = ({ operations }: WriteRequest): number =>
  operations.reduce((sum, operation) => sum + ('text' in operation ? operation.text.length : 0), 0)

/** Whether a request must have a batch of its own. Neighbours of a deferred one must not write what it reads. */
const goesAlone = (request: Request): boolean => 'prepare' in request || request.isAlone === true

/** Whether its Brain's account may write so much a day and no more: what was written is read for all of a batch, or for none. */
const isCapped = ({ caps }: Request): boolean => caps !== undefined

const isGuarded = (request: Request): boolean => 'guard' in request && request.guard !== undefined

/** Takes the next batch off the queue: always one request, and more while they stay within the limits. */
const takeBatch = (queue: Waiting[]): Waiting[] => {
  let operations = 0
  let characters = 0
  let guards = 0
  let count = 0
  const [first] = queue
  for (const { request } of queue) {
    guards += Number(isGuarded(request))
    operations += 'prepare' in request ? 0 : request.operations.length
    characters += 'prepare' in request ? 0 : countCharacters(request)
    const isFull =
      goesAlone(request) ||
      // What two guards lock could be locked by others in another order.
      guards > 1 ||
      (first && isCapped(request) !== isCapped(first.request)) ||
      count >= batchLimit.requests ||
      operations > batchLimit.operations ||
      characters > batchLimit.characters
    if (count > 0 && isFull) break
    count++
    if (goesAlone(request)) break
  }
  return queue.splice(0, count)
}

/** Commits in a span of every write of the batch that is traced, each with a span of how long it waited for its turn. */
const inCommitSpan = <Result>(batch: readonly Waiting[], commit: () => Promise<Result>): Promise<Result> => {
  const traced = batch.filter(({ waiter }) => waiter !== undefined)
  for (const { waiter, since } of traced) addSpanSince(waiter, () => ({ name: 'commit wait' }), since)
  const attributes = { 'noema.commit.requests': batch.length }
  return inSharedSpan(
    traced.map(({ waiter }) => waiter),
    () => ({ name: 'commit', attributes }),
    commit,
  )
}

/** A Brain's requests that wait, and where this node left the Brain last. */
type Queue = { waiting: Waiting[]; isWorking: boolean; head: Head | undefined }

/** How many Brains' places are remembered. */
const rememberedBrains = 10_000

const nextTurnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

type Deps = {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  topics: Topics
  schemas: SchemaCache
  brainLocks: BrainLocks
  measures: Measures
  /** The most requests that may wait for one Brain. */
  maxWaiting: number
}

/** Commits over a database, with a queue for each Brain that is being written to. Other nodes have queues of their own. */
export class CommitEngine {
  readonly #deps: Deps
  readonly #queues = new Map<number, Queue>()
  readonly #working = new Set<Promise<void>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Waits for the request's turn and its commit. Throws what it is refused with; then nothing of it was written. */
  async submit(brainId: number, request: Request): Promise<Answered> {
    const since = performance.now()
    const waiter = currentWaiter()
    // Its change keeps the trace for what follows from it.
    const traced = waiter ? { ...request, trace: packTrace(waiter.context) } : request
    const result = await new Promise<WriteResult>((resolve, reject) =>
      this.#enqueue(brainId, { request: traced, since, waiter, resolve, reject }),
    )
    if ('error' in result) throw result.error
    return result
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  #enqueue(brainId: number, waiting: Waiting): void {
    const queue = this.#findQueue(brainId)
    if (queue.waiting.length >= this.#deps.maxWaiting) {
      waiting.reject(crowdedBrain())
      return
    }
    queue.waiting.push(waiting)
    if (queue.isWorking) return
    this.#track(this.#work(brainId, queue))
  }

  #track(work: Promise<void>): void {
    const done = work.finally(() => this.#working.delete(done))
    this.#working.add(done)
  }

  /** Reports how long a batch waited for its turn, how long its commit took, and how many requests it committed. */
  #measure({ since, begun, requests }: { since: number; begun: number; requests: number }): void {
    const { measures } = this.#deps
    measures.tell('noema_commit_wait_seconds', (begun - since) / 1_000, {})
    measures.tell('noema_commit_seconds', (performance.now() - begun) / 1_000, {})
    if (requests > 0) measures.tell('noema_commit_requests', requests, {})
  }

  /** Tells who waits for news. The answers go out first: what follows a wake is no part of a request. */
  async #publish(topics: ReadonlySet<Topic>): Promise<void> {
    await nextTurnOfTheLoop()
    for (const topic of topics) this.#deps.topics.publish(topic)
  }

  /** The queue of a Brain. The one that was used longest ago is forgotten when there are too many. */
  #findQueue(brainId: number): Queue {
    const queues = this.#queues
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

  async #work(brainId: number, queue: Queue): Promise<void> {
    queue.isWorking = true
    // What else arrives in this turn of the event loop joins the first batch.
    await nextTurnOfTheLoop()
    while (queue.waiting.length > 0) await this.#commit(brainId, queue, takeBatch(queue.waiting))
    queue.isWorking = false
  }

  /** `isAlone`: whether nothing may join it. */
  async #commit(brainId: number, queue: Queue, first: readonly Waiting[], isAlone = false): Promise<void> {
    const { brainLocks, clock } = this.#deps
    const [{ since } = { since: 0 }] = first
    const begun = performance.now()
    let batch = first
    const gather = () => {
      if (!isAlone) {
        queue.waiting.unshift(...batch)
        batch = takeBatch(queue.waiting)
      }
      return batch.map(({ request }) => request)
    }
    try {
      const { results, topics, head } = await inCommitSpan(batch, () =>
        brainLocks.run(
          brainId,
          (wait) => {
            // Those that came while the batch waited for its turn join it.
            const requests = queue.waiting.length > 0 ? gather() : batch.map(({ request }) => request)
            return commitBatch(this.#deps, { brainId, head: queue.head, wait }, { requests, gather, now: clock.now() })
          },
          since + maxWaitMilliseconds,
        ),
      )
      this.#measure({ since, begun, requests: batch.length })
      queue.head = head
      for (const { waiter, since } of batch.slice(first.length)) addSpanSince(waiter, () => ({ name: 'commit' }), since)
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
      this.#track(this.#publish(topics))
    } catch (error) {
      this.#measure({ since, begun, requests: 0 })
      queue.head = undefined
      const cause = error instanceof GuardFailed ? error.cause : error
      // The transaction failed as a whole. Where that is the database being away, or the Brain being busy for too long, all
      // are told so; otherwise one of them may be what it failed by, so each goes again by itself.
      if (batch.length === 1 || error instanceof ApiError || isDatabaseUnavailable(error))
        for (const { reject } of batch) reject(cause)
      else for (const waiting of batch) await this.#commit(brainId, queue, [waiting], true)
    }
  }
}
