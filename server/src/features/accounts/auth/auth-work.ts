import { AsyncLocalStorage } from 'node:async_hooks'
import type { ControlledTransaction } from 'kysely'
import pg from 'pg'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'

// The state of one call to Better Auth: its open transaction, so that our rows commit together with its own, and its failed
// statements. Better Auth answers some failures with "no session". Here they are thrown after all, so that an outage never looks
// like a fact about the caller (SUR-09).

/** Carries the caller's address into Better Auth, which reads only headers. */
export const clientAddressHeader = 'x-noema-client-address'

type Work = {
  failures: unknown[]
  /** The transaction of this part, or of the whole call. */
  tx: Tx | undefined
  /** Set if the whole call is one transaction: opens it for the first statement. */
  begin: (() => Promise<Tx>) | undefined
  /** Values that earlier parts of the call leave for later ones. */
  values: Map<symbol, unknown>
}

const current = new AsyncLocalStorage<Work>()

// A duplicate key is an expected answer, and a statement after a failed one fails because of that one.
const consequences = ['23505', '25P02']

/** Runs a call to Better Auth. Throws the error of its first failed statement, even if Better Auth handled it. */
export const runAuthWork = <Result>(call: () => Promise<Result>): Promise<Result> => run({}, call)

const run = async <Result>(given: Partial<Work>, call: () => Promise<Result>): Promise<Result> => {
  const work: Work = { failures: [], tx: undefined, begin: undefined, values: new Map(), ...given }
  const [outcome] = await current.run(work, () => Promise.allSettled([call()]))
  if (work.failures.length > 0) throw work.failures[0]
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/**
 * Runs a call to Better Auth whose statements are one transaction, which is rolled back unless `isKept` accepts the result.
 * No connection is held before the first statement.
 */
export const runAuthTransaction = async <Result>(
  db: Db,
  isKept: (result: Result) => boolean,
  call: () => Promise<Result>,
): Promise<Result> => {
  let opened: Promise<ControlledTransaction<unknown>> | undefined
  const begin = () => {
    opened ??= rememberFailure(() => db.startTransaction().execute())
    return opened
  }
  try {
    const result = await run({ begin }, call)
    const tx = await opened
    if (isKept(result)) await tx?.commit().execute()
    else await tx?.rollback().execute()
    return result
  } catch (error) {
    const tx = await opened?.catch(() => undefined)
    if (tx && !tx.isCommitted && !tx.isRolledBack)
      await tx
        .rollback()
        .execute()
        .catch(() => {})
    throw error
  }
}

/** The open transaction of the call, if there is one. */
export const findAuthTransaction = async (): Promise<Tx | undefined> => {
  const work = current.getStore()
  return work?.tx ?? (await work?.begin?.())
}

/** Checks whether the whole call is already one transaction. */
export const isAuthTransaction = (): boolean => current.getStore()?.begin !== undefined

/** Runs a part of the call in a transaction. */
export const inAuthTransaction = <Result>(tx: Tx, part: () => Promise<Result>): Promise<Result> => {
  const { failures, values } = current.getStore() ?? { failures: [], values: new Map() }
  return current.run({ failures, values, tx, begin: undefined }, part)
}

/** Runs a statement in the open transaction of the call, or on `db` without one. */
export const withAuthConnection = <Result>(db: Queryable, statement: (db: Queryable) => Promise<Result>) =>
  rememberFailure(async () => statement((await findAuthTransaction()) ?? db))

/** Runs a statement and remembers its failure. Better Auth itself answers duplicate keys. */
export const rememberFailure = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
  try {
    return await statement()
  } catch (error) {
    const isDatabases = error instanceof pg.DatabaseError
    const failed = isDatabases ? !consequences.includes(error.code ?? '') : isDatabaseUnavailable(error)
    if (failed) current.getStore()?.failures.push(error)
    throw error
  }
}

/** A value that one part of a call leaves for the parts after it. */
export const defineCallValue = <Value>() => {
  const name = Symbol('call value')
  return {
    set: (value: Value) => void current.getStore()?.values.set(name, value),
    get: (): Value | undefined => current.getStore()?.values.get(name) as Value | undefined,
  }
}
