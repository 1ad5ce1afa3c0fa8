import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createBrain, startTestApp } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'
import { createClusterDatabase } from '../test/database.ts'
import { distribute, findDivision, readDivision } from './distribute.ts'
import { fillTables } from './filled-tables.fixture.ts'
import { migrateAt } from './migrate.ts'
import { listTables } from './placements.ts'

/** The first schema that can be divided: commits write the links of records. */
const firstDividable = 65

test.skipIf(!isCluster)('a database that was divided with an earlier schema is migrated, and works', async () => {
  const app = await startTestApp(
    {},
    {
      create: async () => {
        const database = await createClusterDatabase()
        await migrateAt(database.url, createLog('silent'), firstDividable)
        await distribute(database.pool)
        expect(await findDivision(database.db)).toBe('whole')
        // Earlier versions did not make it.
        await database.pool.query('drop function noema_use_two_phases; drop table two_phase_marker')
        return database
      },
    },
  )
  onTestFinished(() => app.close())
  expect(await findDivision(app.database.db)).toBe('whole')
  expect((await readDivision(app.database.pool)).filter(({ isDivided }) => !isDivided)).toEqual([])
  const { rows } = await app.database.pool.query(
    `select logicalrelid::text as name from pg_dist_partition where partmethod = 'n'`,
  )
  expect(rows).toEqual([{ name: 'two_phase_marker' }])
  const brain = await createBrain(app)
  expect((await brain.call('PUT', '/records/r', { kind: 'note', fields: { text: 'A heron' } })).status).toBe(201)
})

test.skipIf(!isCluster)('every table of Brains keeps its rows when it is divided, each with its Brain', async () => {
  const database = await createClusterDatabase()
  onTestFinished(() => database.drop())
  await migrateAt(database.url, createLog('silent'))
  const tables = listTables('brain')
  const brains = [1, 2, 3, 4, 5, 6]
  await fillTables(database.pool, tables, brains)
  const readAll = async () => {
    const found: Record<string, unknown[]> = {}
    for (const table of tables)
      found[table] = (await database.pool.query(`select * from "${table}" order by brain_id`)).rows
    return found
  }
  const before = await readAll()
  expect(Object.values(before).map((rows) => rows.length)).toEqual(tables.map(() => brains.length))
  await distribute(database.pool)
  expect(await readAll()).toEqual(before)
  const { rows } = await database.pool.query(
    `select brain, count(distinct logicalrelid)::integer as tables, count(distinct nodeport)::integer as servers
     from unnest($1::bigint[]) as brain cross join (select * from pg_dist_partition where partmethod = 'h') as divided
     join pg_dist_shard_placement on shardid = get_shard_id_for_distribution_column(logicalrelid, brain)
     group by brain`,
    [brains],
  )
  expect(rows).toEqual(brains.map((brain) => ({ brain, tables: tables.length, servers: 1 })))
})
