import type pg from 'pg'
import type { Log } from '../shared/log.ts'
import type { Connecting } from './connecting.ts'
import { NoPrimary } from './primary.ts'

// A database that stopped (its machine froze, its disk hangs) breaks no connection: whoever asked would wait for as long as
// the longest statement may take, and once more to roll back. So while somebody waits for longer than usual, the database is
// asked by a connection of its own. When it does not answer that, all that waits is told so at once, and so is whoever
// comes, until it answers again.

const lookMilliseconds = 500
/** How long a connection may be in use, or waited for, before the database is asked whether it still answers. */
const usualMilliseconds = 1_500
/** How long an answer may take; counted in looks, so that a busy moment of this process does not count as silence. */
const answerMilliseconds = 2_500
/** Between two questions, while the database answers and a caller goes on waiting. */
const restMilliseconds = 2_000
/** How long one of several hosts is believed to take the writes. */
const beliefMilliseconds = 5_000

/** What is thrown in place of asking a database that does not answer. */
export class DatabaseSilent extends Error {
  constructor() {
    super('The database does not answer.')
    this.name = 'DatabaseSilent'
  }
}

const waitForLook = () => new Promise((resolve) => void setTimeout(resolve, lookMilliseconds).unref())

/** Whether the database answers a new connection: a refusal is an answer, too. */
const answers = async ({ config, Client, primary }: Connecting, looks: number): Promise<boolean> => {
  // Another host may have taken the place of one that does not answer.
  primary?.suspect()
  const client = new Client({ ...config, connectionTimeoutMillis: 0 })
  client.on('error', () => {})
  let isAnswered = false
  const note = (error?: unknown) => {
    // That none of several hosts takes writes says nothing about the one that does not answer.
    if (!(error instanceof NoPrimary)) isAnswered = true
  }
  void client
    .connect()
    .then(() => client.query('select 1'))
    .then(() => note(), note)
  for (let look = 0; look < looks && !isAnswered; look++) await waitForLook()
  const result = isAnswered
  void client.end().catch(() => {})
  return result
}

/** Ends the connections of pools, in use or not, that a database which does not answer will never serve. */
const endAll = async (
  pools: readonly pg.Pool[],
  inUse: Iterable<pg.PoolClient & { end(): Promise<void> }>,
): Promise<void> => {
  for (const client of inUse) {
    // One that has several statements under way would wait for their answers.
    if (client.pipeline) client.connection.stream.destroy()
    void client.end().catch(() => {})
  }
  const taken = pools.flatMap((pool) => Array.from({ length: pool.idleCount }, () => pool.connect()))
  const idle = await Promise.allSettled(taken)
  for (const one of idle) if (one.status === 'fulfilled') one.value.release(true)
}

export type HangWatch = {
  /** Whether the database does not answer. */
  readonly isSilent: boolean
  /** Those who wait for a connection, in the order in which they came. */
  readonly waits: Set<{ since: number }>
  /** Whether an error says that a connection is to a host that takes no writes any more: another one may take them. */
  isReadOnly(error: unknown): boolean
  stop(): void
}

/** Asks which of several hosts takes the writes, once what was found before is believed no longer. */
const createPrimaryLook = ({ primary }: Connecting) => {
  let believedUntil = performance.now() + beliefMilliseconds
  return () => {
    const now = performance.now()
    if (!primary || now < believedUntil) return
    believedUntil = now + beliefMilliseconds
    void primary.askAgain()
  }
}

/** Watches pools until it is stopped; `milliseconds` is how long the database may take to answer. */
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
  // A host that lost its place may be gone without a word, or take no writes any more.
  connecting.primary?.onChange(({ host, port }) => {
    log.warn({ host, port }, 'another host of the database takes the writes now')
    void endAll(pools, takenAt.keys())
  })

  const ask = async () => {
    const waiting = [...takenAt.keys()]
    const isAnswering = await answers(connecting, Math.ceil(milliseconds / lookMilliseconds))
    if (!isAnswering && !state.isSilent)
      log.warn({ connections: waiting.length }, 'the database does not answer; what waits for it is told so')
    state.isSilent = !isAnswering
    if (state.isSilent) await endAll(pools, waiting)
    restsUntil = state.isSilent ? 0 : performance.now() + restMilliseconds
  }
  const look = async () => {
    const now = performance.now()
    const [taken = now] = takenAt.values()
    const longest = Math.min(taken, state.waits.values().next().value?.since ?? now)
    if (isAsking || (!state.isSilent && (now < restsUntil || now - longest < usualMilliseconds))) return
    isAsking = true
    await ask().finally(() => {
      isAsking = false
    })
  }
  const lookForPrimary = createPrimaryLook(connecting)
  const timer = setInterval(() => {
    void look()
    lookForPrimary()
  }, lookMilliseconds).unref()
  return Object.assign(state, {
    isReadOnly: (error: unknown) => {
      const isReadOnly = error instanceof Error && 'code' in error && error.code === '25006'
      if (isReadOnly) connecting.primary?.suspect()
      return isReadOnly
    },
    stop: () => clearInterval(timer),
  })
}
