import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createBrain, startTestApp } from '../test/app.ts'
import { isCluster } from '../test/cluster.ts'
import { createClusterDatabase } from '../test/database.ts'
import { distribute, findDivision, readDivision } from './distribute.ts'
import { migrateAt } from './migrate.ts'

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
        return database
      },
    },
  )
  onTestFinished(() => app.close())
  expect(await findDivision(app.database.db)).toBe('whole')
  expect((await readDivision(app.database.pool)).filter(({ isDivided }) => !isDivided)).toEqual([])
  const brain = await createBrain(app)
  expect((await brain.call('PUT', '/records/r', { kind: 'note', fields: { text: 'A heron' } })).status).toBe(201)
})
