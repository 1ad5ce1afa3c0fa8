import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { isLockTimeout } from '../../../storage/database-errors.ts'

/** Another transaction held the lock of a Brain's row during the whole wait. */
export class BrainBusy extends Error {}

/** Milliseconds that the database may wait for a lock. */
export type LockWait = number

/** The row that a statement locked, if it exists. */
export type Locked<Row extends object> = Row & { isFound: boolean | null }

/**
 * Turns off the link triggers for a transaction, because its commit writes the links of records. Nodes of the earlier version still
 * rely on these triggers.
 */
export const keepsLinks = sql`set_config('noema.keeps_links', 'on', true)`

type Locking = { columns: RawBuilder<unknown>; where: RawBuilder<unknown>; lock: RawBuilder<unknown>; wait: LockWait }

/**
 * A statement that locks a row of `brains as brain` and waits only briefly for that one lock: other locks of the transaction
 * are waited for as usual.
 */
export const lockBriefly = <Row extends object>({ columns, where, lock, wait }: Locking) =>
  // One setting applies while the statement waits for the lock; the other restores it, also if there is no row.
  sql<Locked<Row>>`
    with locked as (
      select true as "isFound", ${columns}
      from (select ${keepsLinks}, set_config('lock_timeout', ${wait}::integer || 'ms', true)) as brief, brains as brain
      where ${where} ${lock} of brain)
    select locked.*, set_config('lock_timeout', null, true) as "usualWait"
    from (values (1)) as one left join locked on true`

/** The row that was locked. Throws `BrainBusy` if the lock was not free in time; then nothing was done. */
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

/** The lock of writers of content. It does not block transactions that only refer to the Brain. */
export const forWriting = sql`for no key update`

/** The lock for a change of the Brain itself. */
export const forChange = sql`for update`
