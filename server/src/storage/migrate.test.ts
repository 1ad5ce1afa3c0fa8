import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createTestDatabase } from '../test/database.ts'
import { openDatabase } from './database.ts'
import { isMigrated, migrate, migrateAt } from './migrate.ts'

const silent = createLog('silent')
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  await database.pool.query('drop schema public cascade')
  await database.pool.query('create schema public')
})
afterAll(() => database.drop())

const applied = async () => (await database.pool.query('select * from schema_migrations order by number')).rows

/** Every column, index and constraint of the schema, as text. */
const shape = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ line: string }>(`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
      from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
    order by line`)
  return rows.map(({ line }) => line)
}

test('an empty database is brought to this version, each migration once and in order', async () => {
  await expect(isMigrated(database.db)).rejects.toThrow('schema_migrations')
  await migrate(database.db, silent)
  expect(await isMigrated(database.db)).toBe(true)
  const numbers = (await applied()).map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1))
})

test('migrating again changes nothing', async () => {
  await migrate(database.db, silent)
  const [rows, before] = [await applied(), await shape()]
  await migrate(database.db, silent)
  expect(await applied()).toEqual(rows)
  expect(await shape()).toEqual(before)
})

test('nodes that start at once apply every migration once', async () => {
  const nodes = Array.from({ length: 5 }, () => openDatabase(database.url, silent, 2))
  await Promise.all(nodes.map(({ db }) => migrate(db, silent)))
  await Promise.all(nodes.map(({ close }) => close()))
  const rows = await applied()
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  expect(await isMigrated(database.db)).toBe(true)
})

test('a migration that was edited after it was applied is refused by name, and nothing else is applied', async () => {
  await migrate(database.db, silent)
  // To the database a changed file and a changed checksum are one and the same.
  await database.pool.query(`update schema_migrations set checksum = 'another' where number = 1`)
  await database.pool.query('delete from schema_migrations where number > 2')
  const before = await applied()
  await expect(migrate(database.db, silent)).rejects.toThrow(/0001_\w+\.sql was changed/)
  expect(await applied()).toEqual(before)
})

test('a migration that fails leaves nothing of itself, and is tried again', async () => {
  await database.pool.query('create table brains (id text)')
  await expect(migrate(database.db, silent)).rejects.toThrow('brains')
  expect((await shape()).filter((line) => !line.startsWith('brains'))).toEqual([])
  await database.pool.query('drop table brains')
  await migrate(database.db, silent)
  expect(await isMigrated(database.db)).toBe(true)
})

test('migrations of a newer version do not stop an older node', async () => {
  await migrate(database.db, silent)
  await database.pool.query(
    `insert into schema_migrations (number, name, checksum) values (9999, '9999_newer.sql', 'x')`,
  )
  await migrate(database.db, silent)
  expect(await isMigrated(database.db)).toBe(true)
})

test('migrations may take longer than statements of requests', async () => {
  await database.pool.query(`
    create table seen (statement_timeout text, lock_timeout text);
    create function note_timeouts() returns event_trigger language plpgsql as $$
      begin insert into public.seen values (current_setting('statement_timeout'), current_setting('lock_timeout')); end $$;
    create event trigger noting on ddl_command_end execute function note_timeouts()`)
  await migrateAt(database.url, silent)
  const { rows } = await database.pool.query('select distinct * from seen')
  expect(rows).toEqual([{ statement_timeout: '1d', lock_timeout: '5s' }])
  expect(await isMigrated(database.db)).toBe(true)
})
