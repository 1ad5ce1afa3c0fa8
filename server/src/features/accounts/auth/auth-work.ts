import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { isDatabaseUnavailable, type Queryable, type Tx } from '../../../storage/database.ts'

// What happens during one call to Better Auth: the transaction that it has open, so that rows of ours commit together
// with its own, and the statements that failed. Better Auth answers some of those with "no session"; here they are
// thrown after all, so that an outage never looks like a fact about the caller (SUR-09).

/** Carries the caller's address into Better Auth, which reads only headers. */
export const clientAddressHeader = 'x-noema-client-address'

type Work = { failures: unknown[]; tx: Tx | undefined }

const current = new AsyncLocalStorage<Work>()

const uniqueViolation = '23505'

/** Runs a call to Better Auth. Throws the first statement that failed in it, whatever Better Auth made of that. */
export const runAuthWork = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  const failures: unknown[] = []
  const [outcome] = await current.run({ failures, tx: undefined }, () => Promise.allSettled([call()]))
  if (failures.length > 0) throw failures[0]
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** Runs the part of the work that is one transaction. */
export const inAuthTransaction = <Result>(tx: Tx, part: () => Promise<Result>): Promise<Result> =>
  current.run({ failures: current.getStore()?.failures ?? [], tx }, part)

/** Runs a statement where the work is: in its transaction when it has one open, otherwise on `db`. */
export const withAuthConnection = <Result>(db: Queryable, statement: (db: Queryable) => Promise<Result>) =>
  rememberFailure(() => statement(current.getStore()?.tx ?? db))

/** Runs a statement and remembers its failure. A duplicate is an answer, which Better Auth knows how to give. */
export const rememberFailure = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
  try {
    return await statement()
  } catch (error) {
    const failed = error instanceof pg.DatabaseError ? error.code !== uniqueViolation : isDatabaseUnavailable(error)
    if (failed) current.getStore()?.failures.push(error)
    throw error
  }
}
