import { AsyncLocalStorage } from 'node:async_hooks'
import type { ControlledTransaction } from 'kysely'
import pg from 'pg'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'

// What happens during one call to Better Auth: the transaction that it has open, so that rows of ours commit together
// with its own, and the statements that failed. Better Auth answers some of those with "no session"; here they are
// thrown after all, so that an outage never looks like a fact about the caller (SUR-09).

/** Carries the caller's address into Better Auth, which reads only headers. */
export const clientAddressHeader = 'x-noema-client-address'

type Work = {
  failures: unknown[]
  /** Of the part that is one transaction, or of the whole work. */
  tx: Tx | undefined
  /** Set where the whole work is one transaction: opens it at its first statement. */
  begin: (() => Promise<Tx>) | undefined
  /** What parts of the work tell later ones. */
  notes: Map<symbol, unknown>
}

const current = new AsyncLocalStorage<Work>()

// A duplicate is an answer; and what is sent after a failed statement fails because of that one.
const consequences = ['23505', '25P02']

/** Runs a call to Better Auth. Throws the first statement that failed in it, whatever Better Auth made of that. */
export const runAuthWork = <Result>(call: () => Promise<Result>): Promise<Result> => run({}, call)

const run = async <Result>(given: Partial<Work>, call: () => Promise<Result>): Promise<Result> => {
  const work: Work = { failures: [], tx: undefined, begin: undefined, notes: new Map(), ...given }
  const [outcome] = await current.run(work, () => Promise.allSettled([call()]))
  if (work.failures.length > 0) throw work.failures[0]
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/**
 * Runs a call to Better Auth whose statements are one transaction: a refusal, which `isKept` tells from what was done,
 * leaves nothing behind. No connection is held before the first of them.
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

/** The transaction that the work is in, if it is in one. */
export const findAuthTransaction = async (): Promise<Tx | undefined> => {
  const work = current.getStore()
  return work?.tx ?? (await work?.begin?.())
}

/** Whether all of the work is one transaction already. */
export const isAuthTransaction = (): boolean => current.getStore()?.begin !== undefined

/** Runs the part of the work that is one transaction. */
export const inAuthTransaction = <Result>(tx: Tx, part: () => Promise<Result>): Promise<Result> => {
  const { failures, notes } = current.getStore() ?? { failures: [], notes: new Map() }
  return current.run({ failures, notes, tx, begin: undefined }, part)
}

/** Runs a statement where the work is: in its transaction when it has one open, otherwise on `db`. */
export const withAuthConnection = <Result>(db: Queryable, statement: (db: Queryable) => Promise<Result>) =>
  rememberFailure(async () => statement((await findAuthTransaction()) ?? db))

/** Runs a statement and remembers its failure. A duplicate is an answer, which Better Auth knows how to give. */
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
/** Something that one part of the work tells those that come after it, and nobody else. */
export const defineNote = <Value>() => {
  const name = Symbol('note')
  return {
    set: (value: Value) => void current.getStore()?.notes.set(name, value),
    get: (): Value | undefined => current.getStore()?.notes.get(name) as Value | undefined,
  }
}
