import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { isLockTimeout } from '../../../storage/database-errors.ts'

/** Another transaction locked the Brain's row for the whole wait. */
export class BrainBusy extends Error {}

/** Milliseconds that the database may wait for a lock. */
export type LockWait = number

/** The row that a statement locked, where there is one. */
export type Locked<Row extends object> = Row & { isFound: boolean | null }

type Locking = { columns: RawBuilder<unknown>; where: RawBuilder<unknown>; lock: RawBuilder<unknown>; wait: LockWait }

/**
 * A statement that locks a row of `brains as brain` and waits only briefly for that one lock: other locks of the transaction
 * are waited for as usual.
 */
export const lockBriefly = <Row extends object>({ columns, where, lock, wait }: Locking) =>
  // The settings are made where the lock is waited for and where its row comes out, whether there is one or not.
  sql<Locked<Row>>`
    with locked as (
      select true as "isFound", ${columns}
      from (select set_config('lock_timeout', ${wait}::integer || 'ms', true)) as brief, brains as brain
      where ${where} ${lock} of brain)
    select locked.*, set_config('lock_timeout', null, true) as "usualWait"
    from (values (1)) as one left join locked on true`

/** The row that was locked. Throws `BrainBusy` where the lock was not free in time; nothing was done then. */
export const findLocked = async <Row extends object>(locking: Promise<Locked<Row>[]>): Promise<Row | undefined> => {
  try {
    const [row] = await locking
    return row?.isFound ? row : undefined
  } catch (error) {
    if (isLockTimeout(error)) throw new BrainBusy()
    throw error
  }
}

/** Locks a row of `brains as brain`, by a statement that is not prepared. */
export const lockingBriefly = <Row extends object>(
  tx: Tx,
  wait: LockWait,
  locking: Omit<Locking, 'wait'>,
): Promise<Row | undefined> =>
  findLocked(
    lockBriefly<Row>({ ...locking, wait })
      .execute(tx)
      .then(({ rows }) => rows),
  )

/** The row lock of content writers: a transaction that only refers to the Brain does not block them. */
export const forWriting = sql`for no key update`

/** The row lock for a change of the Brain itself. */
export const forChange = sql`for update`
