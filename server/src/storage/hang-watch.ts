import type pg from 'pg'
import type { Log } from '../shared/log.ts'
import type { Connecting } from './connecting.ts'
import { NoPrimary } from './primary.ts'

// A database that hangs (its machine freezes, its disk stalls) breaks no connection: a caller would wait for the longest
// allowed statement, and again for the rollback. So if a caller waits longer than usual, a separate connection asks the
// database. If it does not answer, all waiting callers fail at once, and so do new ones until it answers again.

const pollMilliseconds = 500
/** Time in use, or waiting time, of a connection after which the database is checked. */
const usualMilliseconds = 1_500
/** Timeout of an answer, counted in timer ticks, so that a busy moment of this process does not count as silence. */
const answerMilliseconds = 2_500
/** Pause between two checks, while the database answers and a caller still waits. */
const restMilliseconds = 2_000
/** Time for which the found primary is trusted. */
const beliefMilliseconds = 5_000

/** Thrown instead of querying a database that does not answer. */
export class DatabaseSilent extends Error {
  constructor() {
    super('The database does not answer.')
    this.name = 'DatabaseSilent'
  }
}

const waitForPoll = () => new Promise((resolve) => void setTimeout(resolve, pollMilliseconds).unref())

/** Checks whether the database answers a new connection: a refusal is an answer, too. */
const answers = async ({ config, Client, primary }: Connecting, attempts: number): Promise<boolean> => {
  // Another host may have replaced one that does not answer.
  primary?.suspect()
  const client = new Client({ ...config, connectionTimeoutMillis: 0 })
  client.on('error', () => {})
  let isAnswered = false
  const note = (error?: unknown) => {
    // If no host accepts writes, that says nothing about the one that does not answer.
    if (!(error instanceof NoPrimary)) isAnswered = true
  }
  void client
    .connect()
    .then(() => client.query('select 1'))
    .then(() => note(), note)
  for (let attempt = 0; attempt < attempts && !isAnswered; attempt++) await waitForPoll()
  const result = isAnswered
  void client.end().catch(() => {})
  return result
}

/** Closes the connections of pools, in use or idle, that a hanging database will never serve. */
const endAll = async (
  pools: readonly pg.Pool[],
  inUse: Iterable<pg.PoolClient & { end(): Promise<void> }>,
): Promise<void> => {
  for (const client of inUse) {
    // A connection with several statements in flight would wait for their answers.
    if (client.pipeline) client.connection.stream.destroy()
    void client.end().catch(() => {})
  }
  const taken = pools.flatMap((pool) => Array.from({ length: pool.idleCount }, () => pool.connect()))
  const idle = await Promise.allSettled(taken)
  for (const one of idle) if (one.status === 'fulfilled') one.value.release(true)
}

export type HangWatch = {
  /** True while the database does not answer. */
  readonly isSilent: boolean
  /** Callers that wait for a connection, in the order of their arrival. */
  readonly waits: Set<{ since: number }>
  /** Checks whether the connection leads to a host that no longer accepts writes: another one may have taken over. */
  isReadOnly(error: unknown): boolean
  stop(): void
}

/** Finds the host that accepts writes again, once the last result is too old. */
const createPrimaryPoll = ({ primary }: Connecting) => {
  let believedUntil = performance.now() + beliefMilliseconds
  return () => {
    const now = performance.now()
    if (!primary || now < believedUntil) return
    believedUntil = now + beliefMilliseconds
    void primary.askAgain()
  }
}

/** Watches pools until it is stopped; `milliseconds` is the database's time to answer. */
export const watchForHangs = (
  pools: readonly pg.Pool[],
  connecting: Connecting,
  { log, milliseconds = answerMilliseconds }: { log: Log; milliseconds?: number | undefined },
): HangWatch => {
  const takenAt = new Map<pg.PoolClient & { end(): Promise<void> }, number>()
  const state = { isSilent: false, waits: new Set<{ since: number }>() }
  let isAsking = false
  let restsUntil = 0
  for (const pool of pools) {
    pool.on('acquire', (client) => takenAt.set(client, performance.now()))
    pool.on('release', (_error, client) => takenAt.delete(client))
    pool.on('remove', (client) => takenAt.delete(client))
  }
  // A former primary may have disappeared silently, or may accept no more writes.
  connecting.primary?.onChange(({ host, port }) => {
    log.warn({ host, port }, 'another host of the database takes the writes now')
    void endAll(pools, takenAt.keys())
  })

  const ask = async () => {
    const waiting = [...takenAt.keys()]
    const isAnswering = await answers(connecting, Math.ceil(milliseconds / pollMilliseconds))
    if (!isAnswering && !state.isSilent)
      log.warn({ connections: waiting.length }, 'the database does not answer; waiting statements fail')
    state.isSilent = !isAnswering
    if (state.isSilent) await endAll(pools, waiting)
    restsUntil = state.isSilent ? 0 : performance.now() + restMilliseconds
  }
  const poll = async () => {
    const now = performance.now()
    const [taken = now] = takenAt.values()
    const longest = Math.min(taken, state.waits.values().next().value?.since ?? now)
    if (isAsking || (!state.isSilent && (now < restsUntil || now - longest < usualMilliseconds))) return
    isAsking = true
    await ask().finally(() => {
      isAsking = false
    })
  }
  const pollForPrimary = createPrimaryPoll(connecting)
  const timer = setInterval(() => {
    void poll()
    pollForPrimary()
  }, pollMilliseconds).unref()
  return Object.assign(state, {
    isReadOnly: (error: unknown) => {
      const isReadOnly = error instanceof Error && 'code' in error && error.code === '25006'
      if (isReadOnly) connecting.primary?.suspect()
      return isReadOnly
    },
    stop: () => clearInterval(timer),
  })
}
