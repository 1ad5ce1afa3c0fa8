import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { forgetEvalRuns } from './eval-keeping.ts'
import { createEvalWork, type EvalDeps } from './run-evals.ts'
import type { LeasedEvalRun } from './types.ts'
import { useEvals } from './use-evals.fixture.ts'

// No node works in the background here: a test runs a piece of work by hand, as a node that dies in it.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_MAX_EVALS: '40', NOEMA_TIERS: '{"free":{"dailyRuns":12}}' })
const { app, call, scene, createAgent } = agents
const { create, start, read, results } = useEvals(agents)

const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows
const pass = () => runPass(app.app.deps, createEvalWork(app.app.deps))

beforeAll(async () => {
  await scene.brain.call('POST', '/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
})

const target = { brain: 'brain', read: 'search', mode: 'lexical' }
const toCases = (count: number, input = 'high tide') =>
  Array.from({ length: count }, (_, index) => ({
    id: `c${String(index).padStart(4, '0')}`,
    input,
    expected: { contains: ['noon'] },
  }))
const graders = [{ type: 'contains' }]

/** Leases the due runs of an organization, as a node that is about to work on them. */
const lease = async (organizationId: string): Promise<readonly LeasedEvalRun[]> => {
  const now = app.clock.now()
  const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
  const until = new Date(now.getTime() + 60_000)
  const request = { keys: [organizationId], lease: randomUUID(), now, until, running }
  return (await createEvalWork(app.app.deps).lease(request)).rows
}

/** Works on a run until `mayGoOn` says no, and dies before it stores an outcome. */
const dieIn = async (run: LeasedEvalRun, deps: EvalDeps, mayGoOn: () => boolean = () => true) => {
  const stopping = {
    get aborted() {
      return !mayGoOn()
    },
  } as AbortSignal
  const storeOutcome = () => Promise.reject(new Error('The node died here.'))
  await createEvalWork(deps)
    .run(run, { stopping, storeOutcome })
    .catch(() => undefined)
}

test('EVL-10 reads that were graded when a node died are not repeated, and a node that lost its lease stores nothing', async () => {
  const made = await create({ target, cases: toCases(8), graders })
  const id = await start(made.id)
  const [run] = await lease(scene.member.organizationId)
  if (!run) throw new Error('nothing was leased')
  let left = 3
  await dieIn(run, app.app.deps, () => left-- > 0)
  const before = await results(id)
  expect(before).toHaveLength(3)
  expect(await read(id)).toMatchObject({ state: 'running', done: 3, passed: 3 })
  await pass()
  expect((await read(id)).done).toBe(3)
  app.clock.advance({ seconds: 61 })
  await pass()
  expect(await read(id)).toMatchObject({ state: 'completed', done: 8, passed: 8, summary: { cases: 8, passed: 8 } })
  const after = await results(id)
  expect(after.slice(0, 3)).toEqual(before)
  // Each case was read once, also in all.
  const receipts = (await scene.brain.call('GET', `/receipts?consumerId=${id}`)).body.data.receipts
  expect(receipts.map((receipt: { id: string }) => receipt.id).toSorted()).toEqual(
    after.flatMap((result: { receipts: string[] }) => result.receipts).toSorted(),
  )
  await dieIn(run, app.app.deps)
  expect(await results(id)).toEqual(after)
})

test('EVL-10 a run of an agent that was begun when a node died is found again', async () => {
  const agent = await createAgent()
  const made = await create({ target: { agentId: agent.id }, cases: toCases(2), graders })
  const id = await start(made.id)
  const [run] = await lease(scene.member.organizationId)
  if (!run) throw new Error('nothing was leased')
  // The run of the agent is committed before its topic is published.
  const topics = {
    ...app.app.deps.topics,
    publish: () => {
      throw new Error('The node died here.')
    },
  }
  await dieIn(run, { ...app.app.deps, topics })
  expect(await results(id)).toEqual([])
  const listRuns = () => query('select id from runs where agent_id = $1 order by id', [agent.id])
  expect(await listRuns()).toHaveLength(1)
  app.clock.advance({ seconds: 61 })
  await pass()
  expect(await listRuns()).toHaveLength(2)
  expect((await results(id)).map(({ runId }: { runId: string }) => runId).toSorted()).toEqual(
    (await listRuns()).map((row) => row.id),
  )
  await call('POST', `/v1/eval-runs/${id}/cancel`)
  await query('delete from run_days where organization_id = $1', [scene.member.organizationId])
})

test('EVL-08 canceling a run also ends runs that a node began and could not store', async () => {
  const agent = await createAgent()
  const made = await create({ target: { agentId: agent.id }, cases: toCases(1), graders })
  const states = () => query('select distinct state from runs where agent_id = $1', [agent.id])
  const lose = async (deps: EvalDeps) => {
    const id = await start(made.id, { trials: 2 })
    const run = (await lease(scene.member.organizationId)).find((one) => one.id === id)
    if (!run) throw new Error('nothing was leased')
    await dieIn(run, deps)
    expect(await results(id)).toEqual([])
    return id
  }
  const dying = () => {
    throw new Error('The node died here.')
  }
  const dead = await lose({ ...app.app.deps, topics: { ...app.app.deps.topics, publish: dying } })
  expect(await states()).toEqual([{ state: 'queued' }])
  await call('POST', `/v1/eval-runs/${dead}/cancel`)
  expect(await states()).toEqual([{ state: 'abandoned' }])
  // This node learns of the cancellation only when it stores the runs that it began.
  const { runs } = app.app.deps
  const prepare: typeof runs.prepare = async (place) => {
    const open = await query(`select id from eval_runs where eval_id = $1 and completed_at is null`, [made.id])
    for (const { id } of open) await call('POST', `/v1/eval-runs/${id}/cancel`)
    return runs.prepare(place)
  }
  await lose({ ...app.app.deps, runs: { ...runs, prepare } })
  expect(await query('select from runs where agent_id = $1', [agent.id])).toHaveLength(3)
  expect(await states()).toEqual([{ state: 'abandoned' }])
  await query('delete from run_days where organization_id = $1', [scene.member.organizationId])
})

test('EVL-12 a turn of a thousand cases with twenty graders grades a few, and another organization has its turn', async () => {
  const many = Array.from({ length: 20 }, (_, index) => ({
    type: 'contains',
    name: `grader-${index}`,
    ignoreCase: index % 2 === 0,
  }))
  const made = await create({ target, cases: toCases(1_000), graders: many })
  expect(made.cases).toBe(1_000)
  const id = await start(made.id)
  const other = await createMember(app)
  const theirs = await addBrain(app, other, 'brain')
  await theirs.call('POST', '/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
  const body = { name: 'x', target, cases: toCases(1), graders }
  const send = (method: string, path: string, given: object) =>
    app.request(method, path, { key: other.key, body: given })
  const { id: otherEval } = (await send('POST', '/v1/evals', body)).body.data.eval
  const otherRun = (await send('POST', `/v1/evals/${otherEval}/runs`, {})).body.data.run.id
  const keys = [scene.member.organizationId, other.organizationId]
  const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
  const now = app.clock.now()
  const until = new Date(now.getTime() + 60_000)
  const { rows } = await createEvalWork(app.app.deps).lease({ keys, lease: randomUUID(), now, until, running })
  expect(rows.map((row) => row.id).toSorted()).toEqual([id, otherRun].toSorted())
  for (const row of rows)
    await createEvalWork(app.app.deps).run(row, {
      stopping: new AbortController().signal,
      storeOutcome: async () => true,
    })
  const { done } = await read(id)
  expect(done).toBeGreaterThan(0)
  expect(done).toBeLessThanOrEqual(10)
  expect((await app.request('GET', `/v1/eval-runs/${otherRun}`, { key: other.key })).body.data.run.done).toBe(1)
  await call('POST', `/v1/eval-runs/${id}/cancel`)
})

test('EVL-16 at the cap of the day a run waits visibly and goes on by itself; reads count by hundreds', async () => {
  const place = [scene.member.organizationId, app.clock.now().toISOString().slice(0, 10)]
  const set = (runs: number) =>
    query(
      `insert into run_days (organization_id, day, runs) values ($1, $2, $3)
       on conflict (organization_id, day) do update set runs = excluded.runs`,
      [...place, runs],
    )
  await set(10)
  const reads = await create({ target, cases: toCases(101), graders })
  const id = await start(reads.id)
  expect(await query('select runs from run_days where organization_id = $1 and day = $2', place)).toEqual([
    { runs: 12 },
  ])
  const refused = await call('POST', `/v1/evals/${reads.id}/runs`, {})
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'run_cap' } } })
  await call('POST', `/v1/eval-runs/${id}/cancel`)
  const agent = await createAgent()
  const made = await create({ target: { agentId: agent.id }, cases: toCases(1), graders })
  const waiting = await start(made.id)
  await pass()
  expect(await read(waiting)).toMatchObject({ state: 'running', waiting: expect.stringContaining('12 runs of today') })
  await set(0)
  app.clock.advance({ seconds: 301 })
  await pass()
  expect((await read(waiting)).waiting).toBeUndefined()
  expect(await results(waiting)).toMatchObject([{ state: 'running' }])
  await call('POST', `/v1/eval-runs/${waiting}/cancel`)
  await set(0)
})

const restrict = (brain: TestBrain) =>
  app.request('PATCH', `${brain.path}/access`, { headers: scene.member.session, body: { openTo: 'members' } })

test('EVL-11 evals, runs and results of a Brain are as hidden as it is', async () => {
  const secret = await addBrain(app, scene.member, 'secret')
  await secret.call('POST', '/documents', { id: 'vault', text: 'The vault opens with code 4711.' })
  await call('PUT', '/v1/corpora/both', { parts: [{ brain: 'brain' }, { brain: 'secret' }] })
  const cases = [{ id: 'code', input: 'vault code', expected: { contains: ['4711'] } }]
  const ofBrain = await create({ target: { brain: 'secret', read: 'search', mode: 'lexical' }, cases, graders })
  const ofCorpus = await create({ target: { corpus: 'both', read: 'context' }, cases, graders })
  const ofAgent = await create({
    target: { agentId: (await createAgent({ brains: [{ handle: 'secret' }] })).id },
    cases,
    graders,
  })
  const [brainRun, corpusRun] = [await start(ofBrain.id), await start(ofCorpus.id)]
  await pass()
  expect((await results(corpusRun))[0]).toMatchObject({ passed: true, output: expect.stringContaining('4711') })
  const guest = await joinOrganization(app, scene.member)
  const as = (method: string, path: string, body?: object) =>
    app.request(method, path, { headers: guest.session, ...(body ? { body } : {}) })
  expect((await as('GET', `/v1/evals/${ofBrain.id}`)).status).toBe(200)
  await restrict(secret)
  const hidden = [
    ...[ofBrain, ofCorpus, ofAgent].flatMap(({ id }) => [
      `/v1/evals/${id}`,
      `/v1/evals/${id}/cases`,
      `/v1/evals/${id}/runs`,
    ]),
    ...[brainRun, corpusRun].flatMap((id) => [`/v1/eval-runs/${id}`, `/v1/eval-runs/${id}/cases`]),
  ]
  for (const path of hidden) expect([path, (await as('GET', path)).status]).toEqual([path, 404])
  const listed = (await as('GET', '/v1/evals?limit=500')).body.data.evals.map(({ id }: { id: string }) => id)
  for (const { id } of [ofBrain, ofCorpus, ofAgent]) expect(listed).not.toContain(id)
  const own = { name: 'x', target: { brain: 'secret', read: 'search' }, cases, graders }
  expect((await as('POST', '/v1/evals', own)).status).toBe(404)
  const [person] = await query('select id from "user" where email = $1', [guest.email])
  // A run of a person who has lost the Brain goes no further.
  const late = (await call('POST', `/v1/evals/${ofBrain.id}/runs`, {})).body.data.run.id
  await query(`update eval_runs set started_by = json_build_object('type', 'session', 'id', $2::text) where id = $1`, [
    late,
    person.id,
  ])
  await pass()
  expect(await read(late)).toMatchObject({
    state: 'failed',
    done: 0,
    failureReason: expect.stringContaining('There is no Brain left'),
  })
})

test.each([
  ['is revoked', (id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: scene.member.session })],
  ['expires', () => app.clock.advance({ days: 6 })],
])('EVL-11 a run ends with the key that started it, which %s', async (_how, end) => {
  const minted = await app.request('POST', '/v1/keys', {
    headers: scene.member.session,
    body: { name: 'short', expiresAt: new Date(app.clock.now().getTime() + 5 * 86_400_000).toISOString() },
  })
  const { secret, key } = minted.body.data
  const made = await create({ target, cases: toCases(1), graders })
  const { body } = await app.request('POST', `/v1/evals/${made.id}/runs`, { key: secret, body: {} })
  await end(key.id)
  await pass()
  const reason = 'The access of the person or key that started this run has ended.'
  expect(await read(body.data.run.id)).toMatchObject({ state: 'failed', failureReason: reason })
})

test('EVL-13 a run is deleted as long after its end as runs of agents', async () => {
  const made = await create({ target, cases: toCases(1), graders })
  const id = await start(made.id)
  await pass()
  app.clock.advance({ days: 89 })
  await forgetEvalRuns(app.app.deps)
  expect((await read(id)).state).toBe('completed')
  app.clock.advance({ days: 2 })
  await forgetEvalRuns(app.app.deps)
  expect((await call('GET', `/v1/eval-runs/${id}`)).status).toBe(404)
  expect(await query('select * from eval_results where eval_run_id = $1', [id])).toEqual([])
})
