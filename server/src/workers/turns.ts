import { randomUUID } from 'node:crypto'
import type { Clock } from '../shared/clock.ts'
import { createBatcher } from '../shared/concurrency/batcher.ts'
import type { FindDueKeys, LeasedRow, LeasedWork, Settlement } from '../shared/concurrency/leased-work.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import type { Log } from '../shared/log.ts'
import { withTimeout } from '../shared/timeout.ts'
import { wasRefused } from '../storage/database-errors.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { createClockPoll } from './clock-poll.ts'
import { createDebounce } from './debounce.ts'
import { PendingKeys, TurnCounts } from './pending-keys.ts'
import type { Worker } from './worker.ts'

// The one lease engine. A notification names a key; one statement leases its due rows, and each row gets a turn on this
// node. The engine queries nothing while nothing is due. Notifications are hints: once a second the engine polls for rows
// that became due, and at longer intervals for lost notifications. No transaction is open during a turn, and its outcome is
// stored only while its lease is valid. So any node may die or sleep through its lease, and another one takes over.

type Deps = {
  clock: Clock
  log: Log
  topics: Pick<Topics, 'subscribe'>
  findDueKeys: FindDueKeys
  random?: () => number
}

const everySeconds = 1
/** Of one statement. */
const maxSettlements = 500
const stopMilliseconds = 3_000

type Parts<Row extends LeasedRow, Outcome> = Deps & {
  work: LeasedWork<Row, Outcome>
  counts: TurnCounts
  pending: PendingKeys
  /** The health of turns. */
  attempts: Backoff
}

/** Runs the turns of leased rows; calls `ended` after each. */
const createRunner = <Row extends LeasedRow, Outcome>(
  { work, log, counts, attempts }: Parts<Row, Outcome>,
  ended: (row: Row, isUnfinished: boolean) => void,
) => {
  const settlements = createBatcher<Settlement<Row, Outcome>, boolean>({
    run: (batch) => work.storeOutcomes(batch),
    maxItems: maxSettlements,
    // An outcome that cannot be stored never blocks the others.
    isSplitAfter: wasRefused,
  })
  const stopping = new AbortController()
  const turns = new Set<Promise<void>>()
  return {
    begin: (row: Row): void => {
      counts.begin(row)
      const turn = work
        .run(row, { stopping: stopping.signal, storeOutcome: (outcome) => settlements.add({ row, outcome }) })
        .then((isUnfinished) => {
          attempts.recordSuccess()
          return isUnfinished
        })
        .catch((error) => {
          attempts.recordFailure(error)
          // Resources of a turn may be closed before it ends.
          const level = stopping.signal.aborted ? 'debug' : 'warn'
          log[level]({ work: work.name, owner: row.owner, err: error }, 'a turn failed; its row is leased again later')
          return false
        })
        .then((isUnfinished) => {
          turns.delete(turn)
          counts.end(row)
          ended(row, isUnfinished)
        })
      turns.add(turn)
    },
    isStopping: () => stopping.signal.aborted,
    /** Resolves when the running turns have ended. */
    ended: (): Promise<unknown> => Promise.all(turns),
    /**
     * Lets turns release their rows, including rows that are being leased at this moment. Slow turns keep theirs until the
     * lease expires.
     */
    stop: async (leasing: Promise<void>): Promise<void> => {
      stopping.abort()
      const ended = leasing.then(() => Promise.all(turns))
      await withTimeout(ended, stopMilliseconds)
    },
  }
}

/** Leases rows of pending keys until there are none that may begin. */
const createLeasing = <Row extends LeasedRow, Outcome>(
  { work, clock, counts, pending }: Parts<Row, Outcome>,
  runner: { begin(row: Row): void; isStopping(): boolean },
) => {
  let isLeasing = false
  let leasing = Promise.resolve()

  const leaseOnce = async (keys: readonly string[]): Promise<void> => {
    const now = clock.now()
    const until = new Date(now.getTime() + work.leaseSeconds * 1000)
    const request = { keys, lease: randomUUID(), now, until, running: counts.toRunning(keys) }
    const leased = await work.lease(request).catch((error) => {
      pending.postpone(keys)
      throw error
    })
    for (const row of leased.rows) runner.begin(row)
    pending.recordLeased(leased)
  }

  const leaseAll = async (): Promise<void> => {
    isLeasing = true
    try {
      for (;;) {
        // Nothing may come between finding nothing to take and the end of leasing: a wake then would not be followed.
        const mayLease = !runner.isStopping() && counts.free > 0 && !pending.isEmpty
        const keys = mayLease ? pending.take(work.maxKeys) : []
        if (keys.length === 0) break
        await leaseOnce(keys)
      }
    } finally {
      isLeasing = false
    }
  }

  return {
    isLeasing: () => isLeasing,
    /** Starts unless it is running: then it continues with the keys that are pending now. */
    lease: async (): Promise<void> => {
      if (isLeasing || runner.isStopping()) return
      leasing = leaseAll()
      await leasing
    },
    /** Resolves when no statement is under way. */
    ended: (): Promise<void> => leasing.catch(() => undefined),
  }
}

type Health = ReturnType<Backoff['health']>

/** Merges the health of leasing and of turns. */
const joinHealth = (leasing: Health, turns: Health): Health =>
  turns.consecutiveFailures === 0
    ? leasing
    : { ...turns, consecutiveFailures: turns.consecutiveFailures + leasing.consecutiveFailures }

/** Creates a worker for leased work: `run` polls for due rows; notifications are handled at once. */
export const createTurns = <Row extends LeasedRow, Outcome>(deps: Deps, work: LeasedWork<Row, Outcome>) => {
  const counts = new TurnCounts(work.maxTurns, work.maxTurnsOfOrganization)
  const pending = new PendingKeys(counts)
  const attempts = createBackoff(deps)
  const parts = { ...deps, work, counts, pending, attempts }
  const backoff = createBackoff(deps)
  const clockPoll = createClockPoll(work, deps)
  const runner = createRunner(parts, (row, isUnfinished) => {
    pending.recordEnd(row, isUnfinished)
    followWake()
  })
  const leasing = createLeasing(parts, runner)

  const tried = (attempt: Promise<void>): Promise<void> =>
    attempt.then(backoff.recordSuccess, (error: unknown) => {
      backoff.recordFailure(error)
      throw error
    })

  const followWake = (): void => {
    if (leasing.isLeasing() || pending.isEmpty || backoff.isWaiting()) return
    tried(leasing.lease()).catch((error) =>
      deps.log.warn({ work: work.name, err: error }, 'nothing could be leased; what is due is found again later'),
    )
  }

  const addDue = async (find: () => Promise<readonly string[]>): Promise<void> => {
    pending.askAgain()
    for (const key of await find()) pending.add(key)
    await leasing.lease()
  }

  const wake = (key: string): void => {
    pending.wake(key)
    followWake()
  }
  const debounce = work.debounce && createDebounce(work.debounce, wake)
  let unsubscribe: (() => void) | undefined

  const pass = async (): Promise<void> => {
    debounce?.releaseAll()
    await tried(addDue(clockPoll.pollAll))
    while (counts.total > 0 || leasing.isLeasing()) await Promise.all([leasing.ended(), runner.ended()])
  }

  return {
    name: work.name,
    everySeconds: work.everySeconds ?? everySeconds,
    run: async () => {
      if (!backoff.isWaiting()) await tried(addDue(clockPoll.poll))
    },
    ...(work.isLocal ? { pass } : {}),
    start: () => {
      if (work.topic) unsubscribe = deps.topics.subscribe(work.topic, debounce?.wake ?? wake)
    },
    stop: async () => {
      unsubscribe?.()
      debounce?.stop()
      await runner.stop(leasing.ended())
    },
    backoff: { ...backoff, health: () => joinHealth(backoff.health(), attempts.health()) },
    turns: () => ({ running: counts.total, pending: pending.size, lagSeconds: clockPoll.lagSeconds() }),
  } satisfies Worker
}
