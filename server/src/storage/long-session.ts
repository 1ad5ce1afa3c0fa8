import { type RawBuilder, sql } from 'kysely'
import { toConnecting } from './connecting.ts'
import type { Db } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'

/** A separate connection, for statements without a time limit. */
export type LongSession = {
  /** Takes a lock that ends with the session, unless another session has it. */
  takeLock(number: number): Promise<boolean>
  run(statement: RawBuilder<unknown>): Promise<void>
  end(): Promise<void>
}

/** Connects for long work. The running statement is cancelled when the node stops, and when it dies. */
export const openLongSession = async (
  db: Db,
  address: DatabaseAddress,
  stopping: AbortSignal | undefined,
): Promise<LongSession> => {
  const { config, Client } = toConnecting(address)
  const client = new Client({
    ...config,
    options: '-c statement_timeout=0 -c lock_timeout=0 -c jit=off',
    connectionTimeoutMillis: 5_000,
    // Its statements have no time limit: a host that is gone without a word would be waited for without an end.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'noema',
  })
  // One that breaks fails its query, which is how the caller learns of it.
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  // Some systems cannot detect a lost client while they work for it.
  await client.query(`set client_connection_check_interval = '10s'`).catch(() => undefined)
  const cancel = () => void sql`select pg_cancel_backend(${rows[0]?.pid}::integer)`.execute(db).catch(() => undefined)
  stopping?.addEventListener('abort', cancel)
  return {
    takeLock: async (number) => {
      const taken = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [number])
      return taken.rows[0]?.taken ?? false
    },
    run: async (statement) => {
      stopping?.throwIfAborted()
      await client.query(statement.compile(db).sql)
    },
    end: async () => {
      stopping?.removeEventListener('abort', cancel)
      await client.end()
    },
  }
}
