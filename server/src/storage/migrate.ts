import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Log } from '../shared/log.ts'
import { type Db, openDatabase, type Tx } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'

const folder = new URL('./migrations/', import.meta.url)
const lockKey = 4_100_001
/** Lock timeout of a migration; the next start tries again. */
const lockTimeout = '5s'
/** A migration may rewrite the data of years: the limits of requests do not apply. */
const statementSeconds = 86_400
/** No request waits for it: a machine on which everything starts at once may need longer than a request would wait. */
const timeoutMilliseconds = 60_000

type Migration = { number: number; name: string; text: string; checksum: string }

const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { number: Number(name.slice(0, 4)), name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

const applyPending = async (tx: Tx, migrations: Migration[], log: Log) => {
  // Nodes that start together wait here for each other, without a time limit; the second finds everything applied.
  await sql`select set_config('lock_timeout', '0', true)`.execute(tx)
  await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
  await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(tx)
  await sql`create table if not exists schema_migrations (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
  )`.execute(tx)
  const { rows } = await sql<{ number: number; checksum: string }>`
    select number, checksum from schema_migrations order by number`.execute(tx)
  const applied = new Map(rows.map((row) => [row.number, row.checksum]))
  for (const { number, name, checksum } of migrations) {
    const known = applied.get(number)
    if (known !== undefined && known !== checksum)
      throw new Error(`Migration ${name} was changed after this database applied it; restore the file.`)
  }
  const pending = migrations.filter(({ number }) => !applied.has(number))
  for (const migration of pending) {
    await sql.raw(migration.text).execute(tx)
    await sql`insert into schema_migrations (number, name, checksum)
      values (${migration.number}, ${migration.name}, ${migration.checksum})`.execute(tx)
    log.debug({ migration: migration.name }, 'applied a migration')
  }
  if (pending.length > 0) log.info({ count: pending.length, newest: pending.at(-1)?.name }, 'applied migrations')
}

/** Brings the database to this version's schema. Safe when many nodes start at once, and while older nodes run. */
export const migrate = async (db: Db, log: Log, upTo = Number.POSITIVE_INFINITY): Promise<void> => {
  const migrations = (await readMigrations()).filter(({ number }) => number <= upTo)
  await db.transaction().execute((tx) => applyPending(tx, migrations, log))
}

/** Does the same at an address, by a connection without the limits of requests; not beyond the migration `upTo`. */
export const migrateAt = async (address: DatabaseAddress, log: Log, upTo?: number): Promise<void> => {
  const timeouts = { connectMilliseconds: timeoutMilliseconds, answerMilliseconds: timeoutMilliseconds }
  const database = openDatabase(address, log, 1, { statementSeconds, name: 'noema migrations', ...timeouts })
  try {
    await migrate(database.db, log, upTo)
  } finally {
    await database.close()
  }
}

/** The number of the last migration that this version knows. */
export const readNewestMigration = async (): Promise<number> => (await readMigrations()).at(-1)?.number ?? 0

/** The checksum of each migration that this version knows, by its number. */
export const readMigrationChecksums = async (): Promise<Map<number, string>> =>
  new Map((await readMigrations()).map(({ number, checksum }) => [number, checksum]))

/** The numbers of all migrations that this version knows. */
export const readMigrationNumbers = async (): Promise<number[]> => (await readMigrations()).map(({ number }) => number)

/** Checks whether every migration of this version is applied. */
export const isMigrated = async (db: Db): Promise<boolean> => {
  const migrations = await readMigrations()
  const { rows } = await sql<{ count: number }>`select count(*) as count from schema_migrations
    where number = any(${migrations.map((migration) => migration.number)})`.execute(db)
  return rows[0]?.count === migrations.length
}
