import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTriggerWork } from './fire-triggers.ts'
import { useTriggers } from './use-triggers.fixture.ts'

const { app, call, path, createTrigger, fire, runs, scene, write } = useTriggers()

/** Leases the due triggers of this test's Brain, as a node that dies before it stores any outcome. */
const dieFiring = async () => {
  const work = createTriggerWork(app.app.deps)
  const now = app.clock.now()
  const { rows: found } = await app.database.pool.query('select brain_id from brains where id = $1', [
    scene.brain.brain.id,
  ])
  const running = { free: 10, maxOfOrganization: 10, organizations: [], owners: [] }
  const until = new Date(now.getTime() + 30_000)
  const request = { keys: [String(found[0].brain_id)], lease: randomUUID(), now, until, running }
  const { rows } = await work.lease(request)
  const storeOutcome = async (): Promise<boolean> => {
    throw new Error('The node died here.')
  }
  for (const row of rows)
    await work.run(row, { storeOutcome, stopping: new AbortController().signal }).catch(() => undefined)
  return rows.length
}

test('RUN-06 D-77 a node that dies after it started a run and before it stored that leaves one run for the event', async () => {
  const { id } = await createTrigger()
  for (let n = 0; n < 3; n++) await write('person')
  for (let death = 1; death <= 2; death++) {
    expect(await dieFiring()).toBe(1)
    expect(await runs(id)).toHaveLength(1)
    app.clock.advance({ seconds: 31 })
  }
  await fire()
  const cursors = (await runs(id)).map(({ trigger }) => trigger.cursor)
  expect(cursors).toHaveLength(3)
  expect(new Set(cursors).size).toBe(3)
})

test('D-77 a trigger that is changed while a node dies starts no second run for the event', async () => {
  const { id } = await createTrigger()
  await write('person')
  await dieFiring()
  await call('PATCH', `${path}/${id}`, { expectedOutcome: 'Something else.' })
  await fire()
  expect(await runs(id)).toHaveLength(1)
  await write('person')
  app.clock.advance({ seconds: 2 })
  await fire()
  expect(await runs(id)).toHaveLength(2)
})

test('D-77 a node whose lease was taken over notes nothing', async () => {
  const { id } = await createTrigger()
  await write('person')
  await dieFiring()
  app.clock.advance({ seconds: 31 })
  await fire()
  const { rows } = await app.database.pool.query(
    'select examined_position, lease, due_at from triggers where id = $1',
    [id],
  )
  const work = createTriggerWork(app.app.deps)
  const outcome = {
    examined: 0,
    lastRunId: null,
    lastFiredAt: null,
    next: 'keep',
    dueAt: null,
    pausedReason: 'late',
  } as const
  const stale = { brainId: 1, id, lease: 'gone' } as unknown as Parameters<typeof work.storeOutcomes>[0][number]['row']
  expect(await work.storeOutcomes([{ row: stale, outcome }])).toEqual([false])
  const after = await app.database.pool.query('select examined_position, lease, due_at from triggers where id = $1', [
    id,
  ])
  expect(after.rows).toEqual(rows)
})
