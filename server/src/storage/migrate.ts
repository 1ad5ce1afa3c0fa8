import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Log } from '../shared/log.ts'
import { refuseWorker } from './citus-queries.ts'
import { type Db, openDatabase, type Tx } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'
import { type Division, distributeNew, findDivision, findIsDivided } from './distribute.ts'
import { splitStatements } from './split-statements.ts'
import { addTwoPhaseCommits } from './two-phase-commits.ts'

const folder = new URL('./migrations/', import.meta.url)
/** The lock of migrations. */
export const lockKey = 4_100_001
/** Lock timeout of a migration; the next start tries again. */
const lockTimeout = '5s'
/** A migration may rewrite the data of years: the limits of requests do not apply. */
const statementSeconds = 86_400
/** No request waits for it: a machine on which everything starts at once may need longer than a request would wait. */
const timeoutMilliseconds = 60_000

/**
 * `isBatched`: its statement runs again and again, each time in a transaction of its own, until it changes no row. So a
 * migration of a large table holds no lock for long.
 */
type Migration = { number: number; name: string; text: string; checksum: string; isBatched: boolean }

const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+(\.batches)?\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { number: Number(name.slice(0, 4)), name, text, checksum, isBatched: name.endsWith('.batches.sql') }
    }),
  )
}

const lockMigrations = async (tx: Tx) => {
  // Nodes that start together wait here for each other, without a time limit; the second finds everything applied.
  await sql`select set_config('lock_timeout', '0', true)`.execute(tx)
  await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
  await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(tx)
}

const storeApplied = ({ number, name, checksum }: Migration, tx: Tx, log: Log) => {
  log.debug({ migration: name }, 'applied a migration')
  return sql`insert into schema_migrations (number, name, checksum) values (${number}, ${name}, ${checksum})`.execute(
    tx,
  )
}

const findPending = async (tx: Tx, migrations: readonly Migration[]): Promise<Migration[]> => {
  const { rows } = await sql<{ number: number; checksum: string }>`
    select number, checksum from schema_migrations order by number`.execute(tx)
  const applied = new Map(rows.map((row) => [row.number, row.checksum]))
  for (const { number, name, checksum } of migrations) {
    const known = applied.get(number)
    if (known !== undefined && known !== checksum)
      throw new Error(`Migration ${name} was changed after this database applied it; restore the file.`)
  }
  return migrations.filter(({ number }) => !applied.has(number))
}

/** Applies the pending migrations before the next batched one, together, and returns that one. */
const applyPending = async (tx: Tx, migrations: readonly Migration[], log: Log): Promise<Migration | undefined> => {
  await lockMigrations(tx)
  await sql`create table if not exists schema_migrations (
    number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now()
  )`.execute(tx)
  const pending = await findPending(tx, migrations)
  const batched = pending.findIndex(({ isBatched }) => isBatched)
  const together = batched === -1 ? pending : pending.slice(0, batched)
  const isDivided = together.length > 0 && (await findIsDivided(tx))
  // Changes of tables and of their rows in one transaction need one connection to each server.
  if (isDivided) await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(tx)
  for (const migration of together) {
    // Citus refuses some statements that come with others.
    const texts = isDivided ? splitStatements(migration.text) : [migration.text]
    for (const text of texts) await sql.raw(text).execute(tx)
    await storeApplied(migration, tx, log)
  }
  if (isDivided) await distributeNew(tx)
  if (together.length > 0) log.info({ count: together.length, newest: together.at(-1)?.name }, 'applied migrations')
  return pending[batched]
}

/** Runs a batch, and returns whether it was the last one, be it because another node had applied the migration. */
const applyBatch = async (tx: Tx, migration: Migration, log: Log): Promise<boolean> => {
  await lockMigrations(tx)
  if ((await findPending(tx, [migration])).length === 0) return true
  const { numAffectedRows = 0n } = await sql.raw(migration.text).execute(tx)
  if (numAffectedRows > 0n) return false
  await storeApplied(migration, tx, log)
  return true
}

/** Brings the database to this version's schema. Safe when many nodes start at once, and while older nodes run. */
export const migrate = async (db: Db, log: Log, upTo = Number.POSITIVE_INFINITY): Promise<void> => {
  const migrations = (await readMigrations()).filter(({ number }) => number <= upTo)
  const transact = <Result>(act: (tx: Tx) => Promise<Result>) => db.transaction().execute(act)
  for (;;) {
    const batched = await transact((tx) => applyPending(tx, migrations, log))
    if (!batched) return
    while (!(await transact((tx) => applyBatch(tx, batched, log))));
  }
}

/** For a database that an earlier version distributed. */
const ensureTwoPhaseCommits = async (tx: Tx): Promise<void> => {
  await lockMigrations(tx)
  await addTwoPhaseCommits((text) => sql.raw(text).execute(tx))
}

/**
 * Does the same at an address, by a connection without the limits of requests; not beyond the migration `upTo`. Returns whether the
 * tables are divided over several servers. Refuses a worker of a cluster.
 */
export const migrateAt = async (address: DatabaseAddress, log: Log, upTo?: number): Promise<Division> => {
  const timeouts = { connectMilliseconds: timeoutMilliseconds, answerMilliseconds: timeoutMilliseconds }
  const database = openDatabase(address, log, 1, { statementSeconds, name: 'noema migrations', ...timeouts })
  try {
    await refuseWorker(database.pool)
    await migrate(database.db, log, upTo)
    const division = await findDivision(database.db)
    if (division === 'whole') await database.db.transaction().execute(ensureTwoPhaseCommits)
    return division
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
