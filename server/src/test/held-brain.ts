import pg from 'pg'
import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import { isCluster } from './cluster.ts'

// Writers that wait for a Brain which someone else has locked.

type Database = Pick<TestApp['database'], 'pool' | 'url'>

/** Locks the row of a Brain as writers do, so that they wait until the returned function is called, and indexing does not. */
export const holdBrain = async ({ pool, url }: Database, id: string): Promise<() => Promise<void>> => {
  const { rows } = await pool.query<{ brainId: number }>(
    'select brain_id as "brainId" from brain_directory where id = $1',
    [id],
  )
  // Transactions of the pool end when they are idle for some seconds.
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from brains where brain_id = $1 for no key update', [rows[0]?.brainId])
  return async () => {
    await holder.query('rollback')
    await holder.end()
  }
}

// A statement waits on the server that has the Brain.
const waiting = isCluster
  ? 'select count(*)::integer as count from citus_lock_waits'
  : `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

const countWaiting = async ({ pool }: Database): Promise<number> =>
  (await pool.query<{ count: number }>(waiting)).rows[0]?.count ?? 0

/** Resolves once a statement waits for a lock. */
export const untilOneWaits = (database: Database): Promise<void> =>
  expect.poll(() => countWaiting(database)).toBeGreaterThan(0)

/** Resolves once no statement waits for a lock. */
export const untilNoneWaits = (database: Database): Promise<void> => expect.poll(() => countWaiting(database)).toBe(0)
