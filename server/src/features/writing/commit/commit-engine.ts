import type { Clock } from '../../../shared/clock.ts'
import type { Topic, Topics } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Measures } from '../../../shared/measures.ts'
import { addSpanSince, currentWaiter, inSharedSpan, isTracing, type Waiter } from '../../../shared/tracing/spans.ts'
import { packTrace } from '../../../shared/tracing/trace-context.ts'
import type { BrainServers } from '../../../storage/brain-servers.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import { type BrainLocks, crowdedBrain, maxWaitMilliseconds } from '../../kernel/locks/locks.ts'
import type { SumUsage } from '../../kernel/usage/usage-sums.ts'
import type { RecordLimits } from '../../knowledge/records/apply.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import type { CommitFunction } from './commit-function-queries.ts'
import { PreconditionFailed } from './execute-batch.ts'
import { commitBatch, type Head } from './group-commit.ts'
import type { DeferredWriteRequest, WriteRequest, WriteResult } from './write-request.ts'

// All content enters a Brain here. While one batch of a Brain commits, the writes that arrive wait and are committed together
// in the next: one sync to disk for all of them. Each is judged by itself, so one that is refused never fails its neighbors.

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
  /** The span that it is part of, where it is traced. */
  waiter: Waiter
  resolve: (result: WriteResult) => void
  reject: (error: unknown) => void
}
type Answered = Extract<WriteResult, { answer: unknown }>

const countCharacters = ({ operations }: WriteRequest): number =>
  operations.reduce((sum, operation) => sum + ('text' in operation ? operation.text.length : 0), 0)

/** True if a request must have a batch of its own. Neighbors of a deferred one must not write what it reads. */
const goesAlone = (request: Request): boolean => 'prepare' in request

/** True if its Brain's account has a daily limit: the usage is read for all of a batch, or for none. */
const isCapped = ({ caps }: Request): boolean => caps !== undefined

const hasPrecondition = (request: Request): boolean => 'precondition' in request && request.precondition !== undefined

/** Takes the next batch off the queue: always one request, and more while they stay within the limits. */
const takeBatch = (queue: Waiting[]): Waiting[] => {
  let operations = 0
  let characters = 0
  let preconditions = 0
  let count = 0
  const [first] = queue
  for (const { request } of queue) {
    preconditions += Number(hasPrecondition(request))
    operations += 'prepare' in request ? 0 : request.operations.length
    characters += 'prepare' in request ? 0 : countCharacters(request)
    const isFull =
      goesAlone(request) ||
      // Others could lock the rows of two preconditions in another order.
      preconditions > 1 ||
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

/** Commits in a span of every traced write of the batch, each with a span of its wait in the queue. */
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

/** A Brain's waiting requests, and where this node left the Brain last. */
type Queue = { waiting: Waiting[]; isWorking: boolean; head: Head | undefined }

/** The most Brains whose queues are cached. */
const cachedBrains = 10_000

const nextTurnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

type Deps = {
  db: Db
  prepared: RunPrepared
  isDivided: boolean
  brainServers: BrainServers
  sumUsage: SumUsage
  commitFunction: CommitFunction | undefined
  clock: Clock
  log: Log
  topics: Topics
  schemas: SchemaCache
  recordLimits: RecordLimits
  brainLocks: BrainLocks
  measures: Measures
  /** The most requests that may wait for one Brain. */
  maxWaiting: number
  refusesCredentials: boolean
}

/** Commits writes to Brains. `mayMove`: whether its callers can repeat a request on the worker for large requests. */
export type Commits = {
  readonly mayMove: boolean
  /** True if writes with credentials are refused (`NOEMA_CREDENTIALS`). */
  readonly refusesCredentials: boolean
  /** Waits until the request is committed. Throws its refusal; then nothing of it was written. */
  submit(brainId: number, request: Request): Promise<Answered>
  /** The same for callers that can. */
  movable(): Commits
}

/** Commits to a database, with a queue for each Brain that has writes. Other nodes have queues of their own. */
export class CommitEngine implements Commits {
  readonly mayMove = false
  readonly refusesCredentials: boolean
  readonly #deps: Deps
  readonly #queues = new Map<number, Queue>()
  readonly #working = new Set<Promise<void>>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.refusesCredentials = deps.refusesCredentials
  }

  async submit(brainId: number, request: Request): Promise<Answered> {
    const since = performance.now()
    const waiter = isTracing ? currentWaiter() : undefined
    // Its change keeps the trace, so that later work which it causes continues it.
    const traced = waiter ? { ...request, trace: packTrace(waiter.context) } : request
    const result = await new Promise<WriteResult>((resolve, reject) =>
      this.#enqueue(brainId, { request: traced, since, waiter, resolve, reject }),
    )
    if ('error' in result) throw result.error
    return result
  }

  movable(): Commits {
    const submit: Commits['submit'] = (brainId, request) => this.submit(brainId, { ...request, mayMove: true })
    const { refusesCredentials } = this
    const commits: Commits = { mayMove: true, refusesCredentials, submit, movable: () => commits }
    return commits
  }

  /** Resolves when the queues are empty. */
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
    measures.report('noema_commit_wait_seconds', (begun - since) / 1_000, {})
    measures.report('noema_commit_seconds', (performance.now() - begun) / 1_000, {})
    if (requests > 0) measures.report('noema_commit_requests', requests, {})
  }

  /** Notifies subscribers. The answers are sent first: work that a notification wakes is no part of a request. */
  async #publish(topics: ReadonlySet<Topic>): Promise<void> {
    await nextTurnOfTheLoop()
    for (const topic of topics) this.#deps.topics.publish(topic)
  }

  /** The queue of a Brain. The least recently used one is dropped when there are too many. */
  #findQueue(brainId: number): Queue {
    const queues = this.#queues
    const queue = queues.get(brainId) ?? { waiting: [], isWorking: false, head: undefined }
    queues.delete(brainId)
    queues.set(brainId, queue)
    if (queues.size > cachedBrains)
      for (const [oldest, { isWorking }] of queues) {
        if (!isWorking) queues.delete(oldest)
        if (queues.size <= cachedBrains) break
      }
    return queue
  }

  async #work(brainId: number, queue: Queue): Promise<void> {
    queue.isWorking = true
    // Requests that arrive in this turn of the event loop join the first batch.
    await nextTurnOfTheLoop()
    while (queue.waiting.length > 0) await this.#commit(brainId, queue, takeBatch(queue.waiting))
    queue.isWorking = false
  }

  /** `isAlone`: whether no other request may join. */
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
    const commit = () =>
      brainLocks.run(
        brainId,
        (wait) => {
          // Requests that arrived while the batch waited for its turn join it.
          const requests = queue.waiting.length > 0 ? gather() : batch.map(({ request }) => request)
          return commitBatch(this.#deps, { brainId, head: queue.head, wait }, { requests, gather, now: clock.now() })
        },
        since + maxWaitMilliseconds,
      )
    try {
      const { results, topics, head } = await (isTracing ? inCommitSpan(batch, commit) : commit())
      queue.head = head
      for (const { waiter, since } of batch.slice(first.length)) addSpanSince(waiter, () => ({ name: 'commit' }), since)
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
      this.#track(this.#publish(topics))
      this.#measure({ since, begun, requests: batch.length })
    } catch (error) {
      this.#measure({ since, begun, requests: 0 })
      queue.head = undefined
      const cause = error instanceof PreconditionFailed ? error.cause : error
      // The batch failed as a whole. If the database is away, or the Brain was busy for too long, all of its requests fail with
      // that; otherwise one of them may be the cause, so each runs again by itself.
      if (batch.length === 1 || error instanceof ApiError || isDatabaseUnavailable(error))
        for (const { reject } of batch) reject(cause)
      else for (const waiting of batch) await this.#commit(brainId, queue, [waiting], true)
    }
  }
}
