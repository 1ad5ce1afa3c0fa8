import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'

// What a connection is known to be when it goes back to the pool decides about all who come after. One that lost an answer
// may still stand in the transaction that its caller gave up: what others then write on it is acknowledged, and lost.

/** PostgreSQL's sign that a connection is in no transaction, told with the end of each statement. */
const outsideTransactions = 'I'

/** Whether an error is PostgreSQL's answer to a statement, after which the connection goes on. */
const isAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC'

const checkOut = (client: pg.PoolClient): PostgresPoolClient => {
  const taken: PostgresPoolClient = client
  // Statements without an answer: their caller stopped waiting for it, or it never comes.
  let unanswered = 0
  const ask = async <Row>(text: string, values: readonly unknown[]) => {
    unanswered++
    try {
      const result = await taken.query<Row>(text, values)
      unanswered--
      return result
    } catch (error) {
      if (isAnswer(error)) unanswered--
      throw error
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
      client.release(isDiscarded || unanswered > 0 || client.getTransactionStatus() !== outsideTransactions),
  }
}

/** The pool as transactions take connections from it, after a check: only those that are known to be good go back. */
export const toSafePool = (pool: pg.Pool, check: () => void): PostgresPool => ({
  options: pool.options,
  connect: async () => {
    check()
    return checkOut(await pool.connect())
  },
  end: () => pool.end(),
})
