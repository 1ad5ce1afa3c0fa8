import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { inSpan } from '../shared/tracing/spans.ts'
import type { HangWatch } from './hang-watch.ts'
import { isOutdatedPlan, type StatementNames } from './statement-names.ts'
import { aboutStatement } from './statement-spans.ts'

// What a connection is known to be when it goes back to the pool decides about all who come after. One that lost an answer
// may still stand in the transaction that its caller gave up: what others then write on it is acknowledged, and lost. One whose
// statement was refused is as good as before, and a new one costs the database more than most statements do.

/** PostgreSQL's sign that a connection is in no transaction, told with the end of each statement. */
const outsideTransactions = 'I'

/** Whether an error is PostgreSQL's answer to a statement, after which the connection goes on. */
const isAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC'

const checkOut = (
  client: pg.PoolClient,
  watch: Pick<HangWatch, 'isReadOnly'>,
  names: StatementNames | undefined,
): PostgresPoolClient => {
  const taken: PostgresPoolClient = client
  // Statements without an answer: their caller stopped waiting for it, or it never comes.
  let unanswered = 0
  let takesWrites = true
  const send = async <Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> => {
    const name = names?.find(text)
    unanswered++
    try {
      const result = await inSpan(
        () => aboutStatement(text),
        async () =>
          name === undefined ? taken.query<Row>(text, values) : client.query({ name, text, values: [...values] }),
      )
      unanswered--
      return result as PostgresQueryResult<Row>
    } catch (error) {
      if (isAnswer(error)) unanswered--
      if (watch.isReadOnly(error)) takesWrites = false
      throw error
    }
  }
  const ask = async <Row>(text: string, values: readonly unknown[]) => {
    try {
      return await send<Row>(text, values)
    } catch (error) {
      if (!names || !isOutdatedPlan(error)) throw error
      names.renew(text)
      // A transaction is lost by it, and whoever repeats that has the new name.
      if (client.getTransactionStatus() !== outsideTransactions) throw error
      return send<Row>(text, values)
    }
  }
  function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  function query<Row>(statement: string | PostgresCursor<Row>, values: readonly unknown[] = []) {
    return typeof statement === 'string' ? ask<Row>(statement, values) : taken.query(statement)
  }
  return {
    query,
    release: (isDiscarded) =>
      client.release(
        isDiscarded || !takesWrites || unanswered > 0 || client.getTransactionStatus() !== outsideTransactions,
      ),
  }
}

/** How statements are prepared: by which names, and for how long a plan is kept; where that is not told, as PostgreSQL likes. */
export type Preparing = { names: StatementNames; planMilliseconds?: number }

/**
 * Lets each connection plan its statements anew from time to time. PostgreSQL does so by itself once it has counted the rows
 * of a table, which may be a minute after a table without any has got millions.
 */
const createReplanning = (planMilliseconds: number) => {
  const plannedAt = new WeakMap<pg.PoolClient, number>()
  return async (client: pg.PoolClient): Promise<void> => {
    const now = performance.now()
    const before = plannedAt.get(client)
    if (before !== undefined && now - before < planMilliseconds) return
    plannedAt.set(client, now)
    if (before !== undefined) await client.query('discard plans')
  }
}

/**
 * The pool as connections are taken from it, after a check: only those that are known to be good go back. Where it prepares,
 * statements that have a name are prepared once for each connection.
 */
export const toSafePool = (pool: pg.Pool, watch: HangWatch, preparing?: Preparing): PostgresPool => {
  const replan = preparing?.planMilliseconds === undefined ? undefined : createReplanning(preparing.planMilliseconds)
  return {
    options: pool.options,
    connect: async () => {
      watch.check()
      const arrived = watch.waitForConnection()
      const client = await pool.connect().finally(arrived)
      try {
        await replan?.(client)
      } catch (error) {
        client.release(true)
        throw error
      }
      return checkOut(client, watch, preparing?.names)
    },
    end: () => pool.end(),
  }
}
