import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { evolve } from '../schema/schema-app.fixture.ts'
import { inDays, inMinutes } from './dates-app.fixture.ts'

const app = useOwnApp()

const reminders = async () =>
  (await app.database.pool.query('select * from date_crossings order by record_id, field, value, "offset"')).rows

// This migration was never run on a cluster.
test.skipIf(isCluster)('DAT-01 the migration schedules reminders for existing records like a write', async () => {
  const brain = await createBrain(app)
  const put = (id: string, fields: object) => brain.call('PUT', `/records/${id}`, { kind: 'Task', fields })
  await put('strange', { due: 'next week', at: [7, '2026-02-30T00:00:00Z', null, { a: 1 }], one: '2999-13-01' })
  await evolve(brain, {
    op: 'addKind',
    kind: 'Task',
    fields: [
      { name: 'due', type: 'date', notifyBefore: ['P1M', 'P0D', 'P99999Y'] },
      { name: 'at', type: 'datetime', many: true, notifyBefore: ['PT30M', 'P1W'] },
      { name: 'one', type: 'datetime', notifyBefore: ['P0D'] },
      { name: 'none', type: 'date' },
    ],
  })
  const local = `${inMinutes(app, 50_000).slice(0, 19)}.1239+02:00`
  await put('whole', { due: inDays(app, 60), at: [inMinutes(app, 20_000), local], none: inDays(app, 9) })
  await put('near', { due: inDays(app, 3), at: [inMinutes(app, -5), inMinutes(app, 40)], one: inMinutes(app, 9) })
  await put('gone', { due: inDays(app, 3) })
  await brain.call('DELETE', '/records/gone')
  const written = await reminders()
  expect(written).toHaveLength(9)
  await app.database.pool.query('drop table date_crossings')
  const file = new URL('../../../storage/migrations/0008_dates.sql', import.meta.url)
  await app.database.pool.query(await readFile(file, 'utf8'))
  expect(await reminders()).toEqual(written)
})
