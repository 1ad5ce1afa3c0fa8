import { sql } from 'kysely'
import type { Db } from './database.ts'

// Nothing waits for ever: not for a lock, not for a statement, not for a database that stopped answering. And no statement takes
// more than one processor: the others are for everybody else's.
export const toSessionSettings = (statementSeconds: number): Record<string, string> => ({
  timezone: 'UTC',
  lock_timeout: `${Math.min(5, statementSeconds)}s`,
  statement_timeout: `${statementSeconds}s`,
  idle_in_transaction_session_timeout: '10s',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
})

/**
 * The statement that a pooler has to run on each connection that it makes, where its connections do not have these settings;
 * undefined where they do.
 */
export const findMissingSettings = async (db: Db, statementSeconds: number): Promise<string | undefined> => {
  const requested = toSessionSettings(statementSeconds)
  const { rows } = await sql<{ name: string; found: string; requested: string }>`
    select name, found, set_config(name, value, true) as requested
      from (select name, value, current_setting(name) as found
              from json_each_text(${JSON.stringify(requested)}::json) as given (name, value) offset 0) as settings`.execute(
    db,
  )
  if (rows.every((row) => row.found === row.requested)) return undefined
  return Object.entries(requested)
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ')
}
