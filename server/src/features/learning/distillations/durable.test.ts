import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { insertOperation, insertRun } from '../../agents/run-feeds/run.fixture.ts'
import { createErasing } from '../../knowledge/erasing/erasing.ts'
import { eraseDistillationsOfBrain, forgetDistillations } from './distillations.ts'
import { createDistillationWork, type DistillDeps } from './run-distillations.ts'
import type { LeasedDistillation } from './types.ts'

// No node works in the background here: a test does a piece of work by hand, as a node that dies in it.

const { app, call, scene } = useAgents({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"distillations":2}}' })
const pass = () => runPass(app.app.deps, createDistillationWork(app.app.deps))
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows
const read = async (id: string) => (await call('GET', `/v1/distillations/${id}`)).body.data

/** Runs whose tool fails, `count` of them. */
const addRuns = async (organizationId: string, count: number, error = 'The port 8080 is closed.') => {
  for (let made = 0; made < count; made++) {
    const run = await insertRun(app, organizationId, { state: 'completed' })
    await insertOperation(app, run, { status: 'failed', error, name: 'dial' })
    await insertOperation(app, run, {
      sequence: 2,
      status: 'failed',
      error: `No. ${'x'.repeat(made % 3)}`,
      name: 'ring',
    })
  }
}

beforeAll(() => addRuns(scene.member.organizationId, 12))

const start = async () => {
  const { status, body } = await call('POST', '/v1/distillations', { from: {}, into: { brain: 'brain' } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.distillation.id as string
}

const lease = async (): Promise<LeasedDistillation> => {
  const now = app.clock.now()
  const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
  const until = new Date(now.getTime() + 60_000)
  const request = { keys: [scene.member.organizationId], lease: randomUUID(), now, until, running }
  const [work] = (await createDistillationWork(app.app.deps).lease(request)).rows
  if (!work) throw new Error('nothing was leased')
  return work
}

/** Works once, and dies before the outcome is stored. */
const dieIn = async (work: LeasedDistillation, deps: DistillDeps = app.app.deps) => {
  const storeOutcome = () => Promise.reject(new Error('The node died here.'))
  await createDistillationWork(deps)
    .run(work, { stopping: new AbortController().signal, storeOutcome })
    .catch(() => undefined)
  app.clock.advance({ seconds: 61 })
}

test('DST-08 journals that were read and items that were staged when a node died are not read and staged again', async () => {
  const id = await start()
  const first = await lease()
  await dieIn(first)
  expect((await read(id)).distillation).toMatchObject({ state: 'running', runs: 12, read: 10 })
  await dieIn(await lease())
  await dieIn(await lease())
  const { items } = await read(id)
  expect(items.map(({ outcome, seen }: { outcome: string; seen: number }) => [outcome, seen])).toEqual([
    ['found', 12],
    ['found', 4],
    ['found', 4],
    ['found', 4],
  ])
  // The change is committed, and the node dies before it hears of that.
  let submitted = 0
  const commitEngine = {
    ...app.app.deps.commitEngine,
    submit: async (...given: Parameters<typeof app.app.deps.commitEngine.submit>) => {
      await app.app.deps.commitEngine.submit(...given)
      if (++submitted === 2) throw new Error('The node died here.')
      return app.app.deps.commitEngine.submit(...given)
    },
  } as DistillDeps['commitEngine']
  const late = await lease()
  await dieIn(late, { ...app.app.deps, commitEngine })
  expect((await read(id)).distillation.staged).toBe(1)
  await pass()
  const done = await read(id)
  expect(done.distillation).toMatchObject({ state: 'completed', found: 4, staged: 4 })
  const { changes } = (await scene.brain.call('GET', '/changes?decision=pending')).body.data
  expect(changes.map((change: { id: string }) => change.id).toSorted()).toEqual(
    done.items.map(({ change }: { change: string }) => change).toSorted(),
  )
  // A node that lost its lease stores nothing.
  await dieIn(late)
  expect(await read(id)).toEqual(done)
})

test('DST-09 an organization has so many distillations at once, they count as runs, and one turn leaves time for others', async () => {
  const before = await query('select runs from run_days where organization_id = $1', [scene.member.organizationId])
  const [one] = [await start(), await start()]
  const third = await call('POST', '/v1/distillations', { from: {}, into: { brain: 'brain' } })
  expect([third.status, third.body.error.code]).toEqual([409, 'too_many_distillations'])
  const after = await query('select runs from run_days where organization_id = $1', [scene.member.organizationId])
  expect(Number(after[0]?.runs)).toBe(Number(before[0]?.runs) + 2)
  const other = await createMember(app)
  await addRuns(other.organizationId, 1)
  await dieIn(await lease())
  const [{ max } = { max: 0 }] = await query('select max(read) from distillations where id = $1', [one])
  expect(Number(max)).toBe(10)
  const canceled = await call('POST', `/v1/distillations/${one}/cancel`)
  expect(canceled.body.data.distillation).toMatchObject({ state: 'canceled', completedAt: expect.any(String) })
  await pass()
  expect((await read(one)).distillation).toMatchObject({ state: 'canceled', staged: 0 })
})

test('DST-10 a distillation ends with the access of its starter, and is gone with a Brain and after its time', async () => {
  const { session: headers } = scene.member
  const second = (await app.request('POST', '/v1/keys', { headers, body: { name: 'second' } })).body.data
  const body = { from: {}, into: { brain: 'brain' } }
  const { id } = (await app.request('POST', '/v1/distillations', { key: second.secret, body })).body.data.distillation
  await app.request('DELETE', `/v1/keys/${second.key.id}`, { headers })
  await pass()
  expect((await read(id)).distillation).toMatchObject({
    state: 'failed',
    failureReason: expect.stringContaining('ended'),
  })
  const ended = await query("select id from distillations where state <> 'running'")
  expect(ended.length).toBeGreaterThan(2)
  app.clock.advance({ days: 91 })
  await forgetDistillations(app.app.deps)
  expect(await query('select id from distillations')).toEqual([])
  const last = await start()
  await scene.brain.call('DELETE', '')
  expect((await read(last)).distillation.brain).toBeNull()
  await pass()
  expect((await read(last)).distillation.state).toBe('failed')
  const erase = createErasing({
    ...app.app.deps,
    eraseElsewhere: (id, turn) => eraseDistillationsOfBrain(app.app.deps, id, turn),
  })
  await runPass(app.app.deps, erase)
  for (const table of ['distillations', 'distillation_runs', 'distillation_items', 'distillation_brains'])
    expect(await query(`select * from ${table}`)).toEqual([])
})
