import { afterAll, beforeAll, expect, test } from 'vitest'
import { organizationTables } from '../features/deletions/organization-deletion/erase-organization.ts'
import { erasedTables } from '../features/knowledge/erasing/erasing.ts'
import { isCluster } from '../test/cluster.ts'
import { createTestDatabase } from '../test/database.ts'
import { listTables, placements } from './placements.ts'

// Brains can be spread over servers by brain_id as long as every table of a Brain leads with it and no constraint reaches
// across. A new table declares its placement.

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const select = async <Row extends object>(sql: string): Promise<Row[]> => (await database.pool.query<Row>(sql)).rows

const tables = () =>
  select<{ name: string; belongsToBrain: boolean }>(`
    select relname as name, exists (select 1 from pg_attribute where attrelid = pg_class.oid and attname = 'brain_id'
      and not attisdropped) as "belongsToBrain"
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`)

const constraints = () =>
  select<{ table: string; name: string; kind: string; columns: string[]; target: string | null }>(`
    select conrelid::regclass::text as table, conname as name, contype::text as kind,
      (select array_agg(attname::text order by place) from unnest(conkey) with ordinality as key (number, place)
        join pg_attribute on attrelid = conrelid and attnum = key.number) as columns,
      nullif(confrelid, 0)::regclass::text as target
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f') order by 1, 2`)

const uniqueIndexes = () =>
  select<{ table: string; name: string; columns: string[] }>(`
    select indrelid::regclass::text as table, indexrelid::regclass::text as name,
      (select array_agg(attname::text) from pg_attribute where attrelid = indrelid and attnum = any (indkey)) as columns
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'public'::regnamespace and indisunique order by 1, 2`)

const brainTables = async () => (await tables()).filter(({ belongsToBrain }) => belongsToBrain).map(({ name }) => name)

test('every table declares its placement, and those of a Brain are the ones with a brain_id', async () => {
  const all = await tables()
  expect(all.map(({ name }) => name).sort()).toEqual([...placements.keys()].sort())
  // A look-up of a Brain does not know its brain_id.
  const lookedUp = ['brain_directory', 'brain_keys', 'brain_members', 'restricted_brains']
  // These belong to agents, which are with their organization.
  const ofAgents = ['distillation_brains', 'eval_run_brains', 'run_brains', 'triggers']
  expect(listTables('brain')).toEqual(
    (await brainTables()).filter((table) => ![...lookedUp, ...ofAgents].includes(table)),
  )
  expect(listTables('coordinator')).toEqual(expect.arrayContaining(ofAgents))
  expect(listTables('everywhere')).toEqual(expect.arrayContaining(lookedUp))
})

test('every table of a Brain is emptied when the Brain is deleted, or loses its rows in another way', async () => {
  // The Brain's own rows, the last event for its followers, its webhooks, and the work of erasing itself.
  const others = ['brain_directory', 'brain_turns', 'brain_webhooks', 'brains', 'events']
  expect([...erasedTables, ...others].sort()).toEqual((await brainTables()).sort())
})

test('every table that names an organization is emptied when the organization is deleted, or loses its rows with another table', async () => {
  const naming = await select<{ table: string; column: string }>(`
    select relname as table, attname as column from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attname in ('organization_id', 'organizationId')
    order by 1`)
  // Rows of Brains go with them; deliveries name their webhook alone.
  const ofBrains = await brainTables()
  // Each row of `artifact_objects` goes with objects of a store, before the tables are emptied.
  const withObjects = { table: 'artifact_objects', column: 'organization_id' }
  const emptied = [withObjects, ...organizationTables.map(({ table, column }) => ({ table, column }))]
  const sorted = (list: readonly { table: string; column: string }[]) =>
    list.map((one) => `${one.table}.${one.column}`).sort()
  expect(sorted(naming.filter(({ table }) => !ofBrains.includes(table)))).toEqual(sorted(emptied))
})

test('every table of a Brain leads its primary key with brain_id', async () => {
  const keys = (await constraints()).filter(({ kind }) => kind === 'p')
  const leads = (await brainTables()).map((table) => [table, keys.find((key) => key.table === table)?.columns[0]])
  expect(Object.fromEntries(leads)).toEqual(Object.fromEntries(leads.map(([table]) => [table, 'brain_id'])))
})

test('every table of an organization leads its primary key with organization_id', async () => {
  const keys = (await constraints()).filter(({ kind }) => kind === 'p')
  const ofOrganizations = listTables('organization')
  const leads = ofOrganizations.map((table) => [table, keys.find((key) => key.table === table)?.columns[0]])
  expect(leads.length).toBeGreaterThan(10)
  expect(Object.fromEntries(leads)).toEqual(Object.fromEntries(leads.map(([table]) => [table, 'organization_id'])))
})

test('no uniqueness in a table of a Brain omits brain_id; only the handles of an organization span Brains', async () => {
  const ofBrains = await brainTables()
  const spanning = (await uniqueIndexes()).filter(
    ({ table, columns }) => ofBrains.includes(table) && !columns.includes('brain_id'),
  )
  expect(spanning.map(({ name }) => name)).toEqual(['brain_directory_handle', ...(isCluster ? [] : ['brains_handle'])])
})

test('no foreign key of a table of a Brain omits brain_id; only a Brain itself refers to its organization', async () => {
  const ofBrains = await brainTables()
  const foreign = (await constraints()).filter(({ kind }) => kind === 'f')
  const reminder = foreign.filter(
    ({ table, target, columns }) =>
      (ofBrains.includes(table) || ofBrains.includes(target ?? '')) && !columns.includes('brain_id'),
  )
  expect(reminder.map(({ table, target }) => `${table} -> ${target}`)).toEqual([
    'brain_directory -> organization',
    // Dividing the heads ends what reaches across servers.
    ...(isCluster ? [] : ['brains -> organization']),
  ])
})
