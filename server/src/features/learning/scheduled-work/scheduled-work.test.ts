import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { insertOperation, insertRun } from '../../agents/run-feeds/run.fixture.ts'
import { createScheduleWork } from '../../agents/schedules/run-schedules.ts'
import { eraseEvalsOfBrain } from '../../evals/eval-runs/eval-keeping.ts'
import { createEvalWork } from '../../evals/eval-runs/run-evals.ts'
import { useEvals } from '../../evals/eval-runs/use-evals.fixture.ts'
import { createErasing } from '../../knowledge/erasing/erasing.ts'

// No node works in the background: a test runs what is due.
const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off', NOEMA_TIERS: '{"free":{"dailyRuns":500}}' })
const { app, scene, call, createAgent } = agents
const { create } = useEvals(agents)

const path = '/v1/schedules'
const daily = { cron: '0 3 * * *', timezone: 'Europe/Berlin' }
const passed = { cases: [{ id: 'tide', input: 'harbor tide', expected: 'noon' }], graders: [{ type: 'contains' }] }
const newEval = (brain = 'brain') => create({ target: { brain, read: 'search', mode: 'lexical' }, ...passed })

const make = async (body: object, more: { headers?: Record<string, string> } = {}) => {
  const made = more.headers
    ? await app.request('POST', path, { ...more, body: { ...daily, ...body } })
    : await call('POST', path, { ...daily, ...body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.data.schedule
}
const find = async (id: string) => (await call('GET', `${path}/${id}`)).body.data.schedule
const pass = () => runPass(app.app.deps, createScheduleWork(app.app.deps))
const advanceTo = (time: string) =>
  app.clock.advance({ seconds: Math.max(0, (Date.parse(time) - app.clock.now().getTime()) / 1000) })
const listRuns = async (evalId: string) => (await call('GET', `/v1/evals/${evalId}/runs`)).body.data.runs
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows
const countRuns = async () =>
  (
    await query('select coalesce(sum(runs), 0)::int as runs from run_days where organization_id = $1', [
      scene.member.organizationId,
    ])
  )[0].runs

const lease = async () => {
  const now = app.clock.now()
  const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
  const until = new Date(now.getTime() + 30_000)
  const keys = [scene.member.organizationId]
  return (await createScheduleWork(app.app.deps).lease({ keys, lease: randomUUID(), now, until, running })).rows
}

test('EVL-17 a schedule runs an eval at its times, and each run is compared with the one before', async () => {
  await scene.brain.call('POST', '/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
  const tested = await newEval()
  const made = await make({ evalId: tested.id })
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^sch_/), evalId: tested.id, ...daily, enabled: true },
    ...{ nextRunAt: expect.any(String), lastRunId: null, lastFiredAt: null, createdAt: expect.any(String) },
    ...{ updatedAt: made.createdAt, createdBy: made.createdBy },
    actsFor: expect.objectContaining({ type: 'key', id: scene.member.keyId }),
  })
  await pass()
  expect(await listRuns(tested.id)).toEqual([])
  const work = async () => {
    for (let turn = 0; turn < 4; turn++) await runPass(app.app.deps, createEvalWork(app.app.deps))
  }
  advanceTo(made.nextRunAt)
  await pass()
  await work()
  const after = await find(made.id)
  const [first, ...more] = await listRuns(tested.id)
  expect(more).toEqual([])
  expect(first).toMatchObject({
    ...{ id: after.lastRunId, state: 'completed', passed: 1 },
    startedBy: { type: 'system', id: made.id, userId: expect.any(String) },
  })
  const operation = { op: 'document.put', id: 'tide', text: 'The harbor has a high tide at dusk.' }
  expect((await scene.brain.call('POST', '/batch', { operations: [operation] })).status).toBe(200)
  advanceTo(after.nextRunAt)
  await pass()
  await work()
  expect((await listRuns(tested.id)).at(-1)).toMatchObject({ passed: 0, baseline: { id: first.id, flipped: ['tide'] } })
  const listed = (await call('GET', `${path}?evalId=${tested.id}`)).body.data.schedules
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([made.id])
  expect((await call('GET', `${path}?evalId=evl_none`)).body.data.schedules).toEqual([])
  await call('DELETE', `${path}/${made.id}`)
})

test('EVL-18 an eval runs once for each time, also if a node dies after the start, or two nodes start it at once', async () => {
  const tested = await newEval()
  const made = await make({ evalId: tested.id, cron: '*/10 * * * *' })
  advanceTo(made.nextRunAt)
  const before = await countRuns()
  const [leased] = await lease()
  if (!leased) throw new Error('Nothing was leased.')
  const storeOutcome = () => Promise.reject(new Error('The node died here.'))
  await createScheduleWork(app.app.deps)
    .run(leased, { stopping: new AbortController().signal, storeOutcome })
    .catch(() => undefined)
  expect((await find(made.id)).lastRunId).toBeNull()
  app.clock.advance({ seconds: 31 })
  await Promise.all([pass(), pass()])
  const [run, ...more] = await listRuns(tested.id)
  expect([more, (await find(made.id)).lastRunId]).toEqual([[], run.id])
  const due = { organizationId: scene.member.organizationId, scheduleId: made.id, at: new Date(made.nextRunAt) }
  const actsFor = { type: 'key', id: scene.member.keyId } as const
  const again = { ...due, at: new Date('2999-01-01T00:00:00Z'), actsFor }
  const ids = await Promise.all(
    [again, again, again, { ...due, actsFor }].map((one) =>
      app.app.deps.scheduledWork.start(one, { evalId: tested.id }),
    ),
  )
  expect(new Set(ids).size).toBe(2)
  expect(ids[3]).toBe(run.id)
  expect(await listRuns(tested.id)).toHaveLength(2)
  expect((await countRuns()) - before).toBe(2)
  await call('DELETE', `${path}/${made.id}`)
})

test('EVL-19 a schedule whose eval is archived or deleted, or at a maximum, pauses with the reason and goes on', async () => {
  await addBrain(app, scene.member, 'short-lived')
  const [archived, deleted, busy] = [await newEval(), await newEval('short-lived'), await newEval()]
  const made = [
    await make({ evalId: archived.id }),
    await make({ evalId: deleted.id }),
    await make({ evalId: busy.id }),
  ]
  await call('DELETE', `/v1/evals/${archived.id}`)
  expect((await call('DELETE', '/v1/brains/short-lived')).status).toBe(200)
  const eraseElsewhere: Parameters<typeof createErasing>[0]['eraseElsewhere'] = (brainId, turn) =>
    eraseEvalsOfBrain(app.app.deps, brainId, turn)
  await runPass(app.app.deps, createErasing({ ...app.app.deps, eraseElsewhere }))
  advanceTo(made[0].nextRunAt)
  const fill = `insert into eval_runs (organization_id, id, eval_id, eval_version, state, target, pinned, trials, cases,
    started_by, due_at, created_at) select $1, 'evr_filled' || n, $2, 1, 'queued', '{}', '{"reads":[],"rubrics":{},"judges":{}}',
    1, 1, '{"type":"system","id":"x"}', now() + interval '9 years', now() from generate_series(1, 100) as n`
  await query(fill, [scene.member.organizationId, busy.id])
  await pass()
  expect((await find(made[0].id)).paused.reason).toContain('archived')
  expect((await find(made[1].id)).paused.reason).toContain('deleted')
  expect((await find(made[2].id)).paused.reason).toContain('unfinished runs of evals')
  await query(`delete from eval_runs where id like 'evr_filled%'`)
  app.clock.advance({ seconds: 301 })
  await pass()
  expect(await listRuns(busy.id)).toHaveLength(1)
  expect((await find(made[2].id)).paused).toBeUndefined()
  // Another eval, or an agent, takes its place.
  const patched = await call('PATCH', `${path}/${made[0].id}`, { evalId: busy.id })
  expect(patched.body.data.schedule.paused).toBeUndefined()
  const agentId = (await createAgent()).id
  const { schedule } = (await call('PATCH', `${path}/${made[1].id}`, { agentId, input: 'Look.' })).body.data
  expect(schedule).toMatchObject({ agentId, input: 'Look.' })
  expect([schedule.evalId, schedule.actsFor, schedule.paused]).toEqual([undefined, undefined, undefined])
  for (const { id } of made) await call('DELETE', `${path}/${id}`)
})

test('EVL-22 a schedule of an eval acts for who changed it last, and stops with their access', async () => {
  const guest = await joinOrganization(app, scene.member, 'admin')
  const tested = await newEval()
  const made = await make({ evalId: tested.id }, { headers: guest.session })
  await removeMember(app, scene.member, guest)
  advanceTo(made.nextRunAt)
  await pass()
  expect(await listRuns(tested.id)).toEqual([])
  expect((await find(made.id)).paused.reason).toContain('has ended')
  const { schedule } = (await call('PATCH', `${path}/${made.id}`, { enabled: true })).body.data
  expect(schedule).toMatchObject({ createdBy: { type: 'session' }, actsFor: { type: 'key', id: scene.member.keyId } })
  await pass()
  expect(await listRuns(tested.id)).toHaveLength(1)
  const key = await app.request('POST', '/v1/keys', { headers: scene.member.session, body: { name: 'nightly' } })
  const { secret } = key.body.data
  await app.request('PATCH', `${path}/${made.id}`, { key: secret, body: { enabled: true } })
  await app.request('DELETE', `/v1/keys/${key.body.data.key.id}`, { headers: scene.member.session })
  advanceTo((await find(made.id)).nextRunAt)
  await pass()
  expect((await find(made.id)).paused.reason).toContain('has ended')
  await call('DELETE', `${path}/${made.id}`)
})

test('DST-14 a schedule starts a distillation at its times, over the runs of the last days, and a request can make it', async () => {
  const { organizationId } = scene.member
  for (let made = 0; made < 3; made++) {
    const run = await insertRun(app, organizationId, { state: 'completed' })
    await insertOperation(app, run, { status: 'failed', error: 'The port 8080 is closed.', name: 'dial' })
  }
  const request = { from: { sinceDays: 2, outcome: ['completed'] }, into: { brain: 'brain' } }
  const started = await call('POST', '/v1/distillations', { ...request, schedule: daily })
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  expect(started.body.data.distillation).toMatchObject({ from: request.from, runs: 3 })
  const { scheduleId } = started.body.data
  const schedule = await find(scheduleId)
  expect(schedule).toMatchObject({
    ...daily,
    distillation: { ...request, produce: ['lesson', 'skill'], allowWider: false },
    actsFor: { type: 'key' },
  })
  advanceTo(schedule.nextRunAt)
  await Promise.all([pass(), pass()])
  const after = await find(scheduleId)
  const read = async (id: string) => (await call('GET', `/v1/distillations/${id}`)).body.data.distillation
  expect(await read(after.lastRunId)).toMatchObject({ runs: 3, startedBy: { type: 'system', id: scheduleId } })
  const { distillations } = (await call('GET', '/v1/distillations')).body.data
  expect(distillations).toHaveLength(2)
  for (const { id } of distillations) await call('POST', `/v1/distillations/${id}/cancel`)
  // Days later these runs are old, and a distillation of nothing counts all the same.
  app.clock.advance({ days: 3 })
  const before = await countRuns()
  await pass()
  expect(await read((await find(scheduleId)).lastRunId)).toMatchObject({ runs: 0 })
  expect((await countRuns()) - before).toBe(1)
  const plain = await call('POST', '/v1/distillations', request)
  expect(plain.body.data.scheduleId).toBeUndefined()
  await call('DELETE', `${path}/${scheduleId}`)
})

test('DST-15 a Brain that is deleted stops the schedule of a distillation into it, also if another gets its handle', async () => {
  await addBrain(app, scene.member, 'lessons')
  const made = await make({ distillation: { from: {}, into: { brain: 'lessons' } } })
  expect((await call('DELETE', '/v1/brains/lessons')).status).toBe(200)
  await addBrain(app, scene.member, 'lessons')
  expect((await find(made.id)).paused.reason).toContain('deleted')
  advanceTo(made.nextRunAt)
  await pass()
  expect((await find(made.id)).lastRunId).toBeNull()
  await call('DELETE', `${path}/${made.id}`)
})

test.each([
  ['nothing to start', {}, 'body.agentId'],
  ['two things to start', { evalId: 'evl_1', agentId: 'agt_1', input: 'x' }, 'body.evalId'],
  ['an agent without input', { agentId: 'agt_1' }, 'body.input'],
  ['an eval with an input', { evalId: 'evl_1', input: 'x' }, 'body.input'],
  ['a distillation with trials', { distillation: { from: {}, into: { brain: 'brain' } }, trials: 2 }, 'body.trials'],
  [
    'a distillation of single runs',
    { distillation: { from: { runs: ['run_1'] }, into: { brain: 'brain' } } },
    'body.distillation.from.runs',
  ],
])('EVL-23 a schedule of %s is refused with the place', async (_case, body, place) => {
  const refused = await call('POST', path, { ...daily, ...body })
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, place])
})

test('EVL-23 ids of another organization, and what is hidden, cannot be scheduled and not be seen', async () => {
  const other = await createMember(app)
  const tested = await newEval()
  const asked = async (body: object, key = scene.member.key) => {
    const { status, body: answer } = await app.request('POST', path, { key, body: { ...daily, ...body } })
    return [status, status === 201 ? '' : answer.error.message.replace(tested.id, 'evl_none')]
  }
  expect(await asked({ evalId: tested.id }, other.key)).toEqual(await asked({ evalId: 'evl_none' }))
  const distillation = { from: {}, into: { brain: 'brain' } }
  expect((await asked({ distillation }, other.key))[0]).toBe(404)
  const made = await make({ evalId: tested.id })
  expect((await app.request('GET', `${path}/${made.id}`, { key: other.key })).status).toBe(404)

  const guest = await joinOrganization(app, scene.member)
  const secret = await addBrain(app, scene.member, 'secret')
  const hidden = await newEval('secret')
  const schedules = [
    await make({ evalId: hidden.id }),
    await make({ distillation: { from: {}, into: { brain: 'secret' } } }),
  ]
  expect((await secret.call('PATCH', '/access', { openTo: 'members' })).status).toBe(200)
  const bySession = (method: string, at: string, body?: object) =>
    app.request(method, at, { headers: guest.session, ...(body ? { body } : {}) })
  const listed = (await bySession('GET', `${path}?limit=100`)).body.data.schedules.map(({ id }: { id: string }) => id)
  for (const { id } of schedules) {
    expect(listed).not.toContain(id)
    expect((await bySession('GET', `${path}/${id}`)).status).toBe(404)
    expect((await bySession('PATCH', `${path}/${id}`, { enabled: false })).status).toBe(404)
  }
  expect((await bySession('POST', path, { ...daily, evalId: hidden.id })).status).toBe(404)
  const into = { distillation: { from: {}, into: { brain: 'secret' } } }
  expect((await bySession('PATCH', `${path}/${made.id}`, into)).status).toBe(404)
  for (const { id } of [made, ...schedules]) await call('DELETE', `${path}/${id}`)
})
