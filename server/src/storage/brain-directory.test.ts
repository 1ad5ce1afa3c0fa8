import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createTestDatabase } from '../test/database.ts'
import { openDatabase } from './database.ts'
import { migrate, migrateAt } from './migrate.ts'

// A database that gets the directory of Brains while nodes of the version before write to it: they know the heads alone.

const lastBefore = 56
const silent = createLog('silent')
let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase({ isBlank: true })
  await migrateAt(database.url, silent, lastBefore)
  await database.pool.query(
    `insert into organization (id, name, slug, "createdAt") values ('org', 'Org', 'org', now())`,
  )
  await database.pool.query(
    `insert into brains (id, organization_id, handle, cursor_key, created_at, updated_at, deleted_at)
     select 'brn_' || n, 'org', 'old-' || n, '', now(), now(), case when n % 10 = 0 then now() end
     from generate_series(1, 5000) as n`,
  )
  // Several nodes of this version start at once.
  const nodes = Array.from({ length: 3 }, () => openDatabase(database.url, silent, 2))
  await Promise.all(nodes.map(({ db }) => migrate(db, silent)))
  await Promise.all(nodes.map(({ close }) => close()))
})
afterAll(() => database.drop())

const select = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await database.pool.query<Row>(text, values)).rows

/** The statements of the version before. */
const createBefore = (handle: string) =>
  select<{ brainId: string }>(
    `insert into brains as brain (id, organization_id, handle, name, purpose, mode, cursor_key, schema_version, created_at, updated_at)
     values ('brn_of_' || $1, 'org', $1, null, null, 'direct', '', 0, now(), now())
     on conflict (organization_id, handle) where deleted_at is null do nothing returning brain_id as "brainId"`,
    [handle],
  )
const deleteBefore = (handle: string) =>
  select(
    `update brains set availability = 'deleted', deleted_at = now(), updated_at = now(), name = null, purpose = null
     where organization_id = 'org' and handle = $1 and deleted_at is null`,
    [handle],
  )
const countLive = async (table: string, handle: string): Promise<number> => {
  const rows = await select(
    `select from ${table} where organization_id = 'org' and handle = $1 and deleted_at is null`,
    [handle],
  )
  return rows.length
}

/** Directory rows and heads that have no equal. */
const listDifferences = () =>
  select(`select brain_id from brain_directory full join brains using (brain_id, organization_id, handle, id)
    where brain_directory.deleted_at is distinct from brains.deleted_at or brain_directory.id is null or brains.id is null`)

test('every Brain from before has its directory row once nodes are ready', async () => {
  expect(await select('select count(*)::int as count from brain_directory')).toEqual([{ count: 5000 }])
  expect(await listDifferences()).toEqual([])
})

test('Brains that nodes of the version before create and delete are in the directory', async () => {
  expect(await createBefore('new')).toHaveLength(1)
  expect(await countLive('brain_directory', 'new')).toBe(1)
  expect(await createBefore('new')).toEqual([])
  await deleteBefore('new')
  expect(await countLive('brain_directory', 'new')).toBe(0)
  expect(await createBefore('new')).toHaveLength(1)
  expect(await listDifferences()).toEqual([])
})

test('of nodes of both versions that create a handle at once, one does', async () => {
  const reserve = await database.pool.connect()
  await reserve.query('begin')
  const { rows } = await reserve.query(
    `insert into brain_directory (organization_id, handle, id)
     values ('org', 'both', 'brn_both') returning brain_id as id`,
  )
  const before = createBefore('both')
  await expect
    .poll(() => select(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .toHaveLength(1)
  await reserve.query(
    `insert into brains (brain_id, id, organization_id, handle, cursor_key, created_at, updated_at) overriding system value
     values ($1, 'brn_both', 'org', 'both', '', now(), now())`,
    [rows[0].id],
  )
  await reserve.query('commit')
  reserve.release()
  expect(await before).toEqual([])
  expect(await countLive('brains', 'both')).toBe(1)
  expect(await listDifferences()).toEqual([])
})

test('a Brain whose directory row is still to be added keeps its handle, and its deletion is not missed', async () => {
  await database.pool.query(
    'delete from brain_directory where brain_id in (select brain_id from brains where handle like $1)',
    ['old-1%'],
  )
  await database.pool.query('delete from schema_migrations where number = 58')
  expect(await createBefore('old-11')).toEqual([])
  expect(await countLive('brain_directory', 'old-11')).toBe(0)
  // The lowest number, so that all that miss a row are below it no more: the batches begin at the newest.
  await database.pool.query('delete from brain_directory')
  const deleting = await database.pool.connect()
  await deleting.query('begin')
  await deleting.query(`select from brains where handle = 'old-11' and deleted_at is null for update`)
  await deleting.query(`update brains set deleted_at = now() where handle = 'old-11' and deleted_at is null`)
  const migrated = migrateAt(database.url, silent)
  await expect
    .poll(() => select(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .toHaveLength(1)
  await deleting.query('commit')
  deleting.release()
  await migrated
  expect(await countLive('brain_directory', 'old-11')).toBe(0)
  expect(await listDifferences()).toEqual([])
})
