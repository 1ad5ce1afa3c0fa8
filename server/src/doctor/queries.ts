import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'

/** Reads a PostgreSQL server's version, settings and state. */
export const readServer = async (db: Db) => {
  const { rows } = await sql<{
    version: string
    number: number
    encoding: string
    connections: number
    pgvector: string | null
    mayCreate: boolean
    standby: boolean
  }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding, current_setting('max_connections')::int as connections,
      (select default_version from pg_available_extensions where name = 'vector') as pgvector,
      has_schema_privilege(current_schema(), 'create') as "mayCreate", pg_is_in_recovery() as standby`.execute(db)
  const [server] = rows
  if (server === undefined) throw new Error('The server returned no row about itself.')
  return server
}

/** Checks whether a server is a standby and reports its open reads to its primary. */
export const readStandby = async (db: Db) => {
  const { rows } = await sql<{ isStandby: boolean; reportsPrimary: boolean }>`
    select pg_is_in_recovery() as "isStandby", current_setting('hot_standby_feedback')::boolean as "reportsPrimary"`.execute(
    db,
  )
  const [server] = rows
  if (server === undefined) throw new Error('The server returned no row about itself.')
  return server
}

/** The migrations that a database has; none where it is new. */
export const readAppliedMigrations = async (db: Db): Promise<number[]> => {
  const { rows: tables } = await sql<{ isThere: boolean }>`
    select to_regclass('schema_migrations') is not null as "isThere"`.execute(db)
  if (!tables[0]?.isThere) return []
  const { rows } = await sql<{ number: number }>`select number from schema_migrations order by number`.execute(db)
  return rows.map(({ number }) => number)
}

/** True if nodes report addresses for connections between them: the table or its column may be newer than the database. */
export const hasNodeAddresses = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ isThere: boolean }>`
    select exists (select 1 from pg_attribute where attrelid = to_regclass('nodes') and attname = 'address'
      and not attisdropped) as "isThere"`.execute(db)
  return rows[0]?.isThere === true
}

/** The server's clock, in milliseconds. */
export const readServerTime = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ time: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`.execute(db)
  return rows[0]?.time ?? Number.NaN
}

/** Writes a page to a table that is gone with the transaction. */
export const tryWriting = (db: Db): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await sql`create temporary table noema_doctor on commit drop as select repeat('x', 1000) as text`.execute(tx)
  })

/** Files whose bytes are in a store of objects, and those that should have been erased there an hour ago. */
export const readStoredFiles = async (db: Db): Promise<{ stored: number; overdue: number }> => {
  const { rows: tables } = await sql<{ isThere: boolean }>`
    select to_regclass('artifact_objects') is not null as "isThere"`.execute(db)
  if (!tables[0]?.isThere) return { stored: 0, overdue: 0 }
  const { rows } = await sql<{ stored: number; overdue: number }>`
    select (select count(*) from artifact_objects) as stored,
      (select count(*) from artifact_objects as objects join artifact_bodies as body
        on body.organization_id = objects.organization_id and body.id = objects.body_id
       where objects.parts > 0 and body.erase_at < now() - interval '1 hour') as overdue`.execute(db)
  return rows[0] ?? { stored: 0, overdue: 0 }
}
