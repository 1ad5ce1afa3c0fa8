import { type RawBuilder, sql } from 'kysely'
import type { RunPrepared, Tx } from '../../../storage/database.ts'
import { isLockTimeout } from '../../../storage/database-errors.ts'

/** That a Brain's row was locked by another transaction for all of the wait. */
export class BrainBusy extends Error {}

/** Milliseconds that the database may wait for a lock. */
export type LockWait = number

/** What is locked and read, and how. `prepared`: where that is done again and again. */
type Locking = {
  columns: RawBuilder<unknown>
  where: RawBuilder<unknown>
  lock: RawBuilder<unknown>
  prepared?: RunPrepared | undefined
}

/**
 * Runs a statement that locks a row of `brains as brain`, and waits only briefly for that one lock: others of the transaction
 * wait as usual. Throws `BrainBusy` where the lock was not free in time; nothing was done then.
 */
export const lockingBriefly = async <Row extends object>(
  tx: Tx,
  wait: LockWait,
  { columns, where, lock, prepared }: Locking,
): Promise<Row | undefined> => {
  // The settings are made where the lock is waited for and where its row comes out, whether there is one or not.
  const statement = sql<Row & { isFound: boolean | null }>`
    with locked as (
      select true as "isFound", ${columns}
      from (select set_config('lock_timeout', ${`${wait}ms`}, true)) as brief, brains as brain
      where ${where} ${lock} of brain)
    select locked.*, set_config('lock_timeout', null, true) as "usualWait"
    from (values (1)) as one left join locked on true`
  try {
    const [row] = await (prepared ? prepared(statement, tx) : statement.execute(tx).then(({ rows }) => rows))
    return row?.isFound ? row : undefined
  } catch (error) {
    if (isLockTimeout(error)) throw new BrainBusy()
    throw error
  }
}

/** What writers of content lock a Brain by: who only refers to it is not in their way. */
export const forWriting = sql`for no key update`

/** What locks a Brain for a change of the Brain itself. */
export const forChange = sql`for update`
