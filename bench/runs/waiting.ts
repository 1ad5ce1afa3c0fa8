import { setTimeout as delay } from 'node:timers/promises'
import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { say, times } from '../webhooks/parts.ts'
import { startRun } from './agents.ts'

const count = 1_000
const seconds = 10

const readStatements = async ({ pool }: ScratchDatabase): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.count)
}

/** Waits until so many runs are in some states. */
const awaitCount = async ({ pool }: ScratchDatabase, states: string, wanted: number): Promise<void> => {
  for (;;) {
    const { rows } = await pool.query<{ count: string }>(`select count(*) from runs where state in ${states}`)
    if (Number(rows[0]?.count) === wanted) return
    await delay(100)
  }
}

/** What a service costs while it does nothing, a second. */
const measureIdle = async (noema: Noema, database: ScratchDatabase) => {
  // A connection of PostgreSQL tells what it did when it has been idle for ten seconds.
  await delay(15_000)
  const before = { cpu: noema.cpuMilliseconds() ?? Number.NaN, transactions: await readStatements(database) }
  await delay(seconds * 1000)
  return {
    cpu: ((noema.cpuMilliseconds() ?? Number.NaN) - before.cpu) / seconds,
    transactions: ((await readStatements(database)) - before.transactions) / seconds,
    megabytes: noema.residentMegabytes() ?? Number.NaN,
  }
}

/** What runs cost that wait for people. */
export const measureWaiting = async (noema: Noema, database: ScratchDatabase, agentId: string): Promise<void> => {
  await awaitCount(database, `('queued', 'running')`, 0)
  const before = await measureIdle(noema, database)
  await times(count, 16, () => startRun(noema, agentId))
  await awaitCount(database, `('waiting')`, count)
  const after = await measureIdle(noema, database)
  const tell = (what: string, digits: number, pick: (one: typeof before) => number) =>
    `${pick(before).toFixed(digits)} -> ${pick(after).toFixed(digits)} ${what}`
  say(
    `waiting: with ${count} runs that wait for people, ${tell('ms of CPU a second', 1, ({ cpu }) => cpu)}, ${tell('transactions a second', 1, ({ transactions }) => transactions)}, ${tell('MB resident', 0, ({ megabytes }) => megabytes)}`,
  )
}
