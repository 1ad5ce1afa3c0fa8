import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { eraseRunsOfBrain } from '../../agents/run-keeping/run-keeping.ts'
import type { RunKey, RunsNews } from '../../agents/runs/types.ts'
import { eraseAttempts, forgetGoals } from './goal-keeping.ts'
import { createGoalWork, type GoalDeps } from './pursue-goals.ts'
import type { LeasedGoal } from './types.ts'
import { useGoals } from './use-goals.fixture.ts'
import { openGoalWaking } from './wake-goals.ts'

// No node works in the background here: a test runs a piece of work by hand, as a node that dies in it, and ends runs itself.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_TIERS: '{"free":{"dailyRuns":20}}' })
const { app, call, scene, createAgent } = agents
const { create, read, act, attempts, pass } = useGoals(app, agents)
// A goal that waits for a run is due again soon: on a busy machine that was before the test looked.
beforeAll(() => app.clock.hold())
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows

const criteria = [{ type: 'contains', values: ['42'] }]

const lease = async (): Promise<LeasedGoal> => {
  const now = app.clock.now()
  const running = { free: 4, maxOfOrganization: 4, organizations: [], owners: [] }
  const until = new Date(now.getTime() + 60_000)
  const request = { keys: [scene.member.organizationId], lease: randomUUID(), now, until, running }
  const [goal] = (await createGoalWork(app.app.deps).lease(request)).rows
  if (!goal) throw new Error('nothing was leased')
  return goal
}

/** Works on a goal, and dies before an outcome is stored; with `deps` that throw, before that. */
const dieIn = (goal: LeasedGoal, deps: GoalDeps = app.app.deps) =>
  createGoalWork(deps)
    .run(goal, {
      stopping: new AbortController().signal,
      storeOutcome: () => Promise.reject(new Error('The node died here.')),
    })
    .catch(() => undefined)

const dying = {
  publish: () => {
    throw new Error('The node died here.')
  },
}

const end = (runId: string, text: string) =>
  app.app.deps.runs.end({
    ...{ organizationId: scene.member.organizationId, id: runId },
    ending: { state: 'completed', output: { text } },
  })

const listRuns = (agentId: string) => query('select id from runs where agent_id = $1 order by id', [agentId])

test('GOL-07 a node that dies at any step neither loses nor doubles an attempt', async () => {
  const agent = await createAgent()
  const { id } = await create({ agentId: agent.id, criteria })
  // The run is committed before its topic is published, and the attempt after that.
  await dieIn(await lease(), { ...app.app.deps, topics: dying })
  expect(await listRuns(agent.id)).toHaveLength(1)
  expect(await attempts(id)).toEqual([])
  // Advice that a person gives meanwhile comes too late for this attempt, which is found by its key.
  await act(id, 'resume', { advice: 'Be quick.' })
  await dieIn(await lease())
  expect(await listRuns(agent.id)).toHaveLength(1)
  const [first] = await attempts(id)
  expect(first).toMatchObject({ number: 1, state: 'running', runId: (await listRuns(agent.id))[0].id })
  await end(first.runId, '41')
  app.clock.advance({ seconds: 61 })
  const grading = await lease()
  // The grades and what follows from them are one transaction, after which nothing is left to lose.
  await dieIn(grading, { ...app.app.deps, topics: dying })
  const graded = await attempts(id)
  expect(graded).toMatchObject([{ state: 'done', passed: false }])
  await dieIn(grading)
  expect(await attempts(id)).toEqual(graded)
  await pass()
  expect(await listRuns(agent.id)).toHaveLength(2)
  const left = await createAgent()
  const abandoned = await create({ agentId: left.id, criteria })
  await dieIn(await lease(), { ...app.app.deps, topics: dying })
  await act(abandoned.id, 'abandon')
  const [orphan] = await listRuns(left.id)
  expect((await call('GET', `/v1/runs/${orphan.id}`)).body.data.run.state).toBe('abandoned')
  const stale = await lease().catch(() => undefined)
  expect(stale).toBeUndefined()
  await end((await attempts(id))[1].runId, '42')
  await pass()
  expect(await read(id)).toMatchObject({ state: 'met', attempts: 2 })
})

test('GOL-07 abandoning a goal also ends the judge that a node began and could not store', async () => {
  const [agent, judge] = [await createAgent(), await createAgent()]
  const states = () => query('select state from runs where agent_id = $1', [judge.id])
  const rubric = { type: 'rubric', rubric: 'noema-grounded-answer', judge: judge.id }
  const { prepare, ...runs } = app.app.deps.runs
  const answered = async () => {
    const { id } = await create({ agentId: agent.id, criteria: [rubric] })
    await pass()
    await end((await attempts(id))[0].runId, '42')
    app.clock.advance({ seconds: 61 })
    return id
  }
  const dead = await answered()
  await dieIn(await lease(), { ...app.app.deps, topics: dying })
  expect(await states()).toEqual([{ state: 'queued' }])
  await act(dead, 'abandon')
  expect(await states()).toEqual([{ state: 'abandoned' }])
  // This node learns that the goal was abandoned only when it stores the judge that it began.
  const late = await answered()
  const abandoning: typeof prepare = async (place) => {
    await act(late, 'abandon')
    return prepare(place)
  }
  await dieIn(await lease(), { ...app.app.deps, runs: { ...runs, prepare: abandoning } })
  expect(await states()).toEqual([{ state: 'abandoned' }, { state: 'abandoned' }])
})

test('GOL-08 a goal waits for a cap, is paused when its agent is archived, and is abandoned when its creator has left', async () => {
  const agent = await createAgent()
  const { id } = await create({ agentId: agent.id, criteria })
  const limit = 'update run_days set runs = $2 where organization_id = $1'
  await query('insert into run_days (organization_id, day, runs) values ($1, current_date, 0) on conflict do nothing', [
    scene.member.organizationId,
  ])
  await query(limit, [scene.member.organizationId, 20])
  await pass()
  expect(await read(id)).toMatchObject({
    state: 'active',
    attempts: 0,
    reason: expect.stringContaining('20 of its 20'),
  })
  await query(limit, [scene.member.organizationId, 0])
  app.clock.advance({ minutes: 6 })
  await pass()
  expect(await read(id)).toMatchObject({ state: 'active', attempts: 1 })
  await call('DELETE', `/v1/agents/${agent.id}`)
  await pass()
  await pass()
  expect(await read(id)).toMatchObject({ state: 'paused', reason: expect.stringContaining('archived') })
  const other = await createAgent()
  const colleague = await joinOrganization(app, scene.member)
  const body = { agentId: other.id, objective: 'Say 42.', criteria }
  const made = (await app.request('POST', '/v1/goals', { headers: colleague.session, body })).body.data.goal
  await removeMember(app, scene.member, colleague)
  await pass()
  expect(await read(made.id)).toMatchObject({ state: 'abandoned', reason: expect.stringContaining('access') })
  expect(await listRuns(other.id)).toEqual([])
})

test('GOL-12 the end of a run wakes its goal at once, and that of another run does nothing more', async () => {
  const agent = await createAgent()
  const { id } = await create({ agentId: agent.id, criteria })
  await pass()
  const { runId } = await read(id)
  const isDue = async () =>
    (await query('select due_at <= $2 as due from goals where id = $1', [id, app.clock.now()]))[0].due
  expect(await isDue()).toBe(false)
  await end(runId, '42')
  await expect.poll(isDue).toBe(true)
  // The test clock does not advance, so only the end of the run can wake the goal.
  await runPass(app.app.deps, createGoalWork(app.app.deps))
  expect(await read(id)).toMatchObject({ state: 'met', attempts: 1 })
  const listeners: ((news: RunsNews) => void)[] = []
  const asked: string[] = []
  const db = new Proxy({} as typeof app.app.deps.db, {
    get: (_, name) => {
      asked.push(String(name))
      throw new Error('The database was asked.')
    },
  })
  const waking = openGoalWaking({ ...app.app.deps, db, runs: { listen: (one) => void listeners.push(one) } })
  const news = { organizationId: scene.member.organizationId, runId, operationIds: [], isRunOver: true }
  for (const listener of listeners) listener(news)
  await waking.idle()
  expect(asked).toEqual([])
  for (const listener of listeners) listener({ ...news, goalId: id })
  await waking.idle()
  expect(asked).not.toEqual([])
})

test('GOL-09 deleting a Brain erases what graders said of answers, and goals are forgotten some days after their end', async () => {
  const agent = await createAgent({ brains: [{ handle: scene.brain.brain.handle, access: 'read_only' }] })
  const { id } = await create({ agentId: agent.id, criteria })
  await pass()
  await end((await read(id)).runId, '41')
  await pass()
  expect((await attempts(id))[0].grades).toHaveLength(1)
  await call('DELETE', `/v1/brains/${scene.brain.brain.handle}`)
  const [{ brain_id: brainId }] = await query('select brain_id from brain_directory where id = $1', [
    scene.brain.brain.id,
  ])
  const deps = {
    ...app.app.deps,
    eraseReports: (touched: readonly RunKey[]) => eraseAttempts(app.app.deps.db, touched),
  }
  const turn = { stopping: new AbortController().signal, renew: async () => true }
  expect(await eraseRunsOfBrain(deps, Number(brainId), turn)).toBe(true)
  expect((await attempts(id))[0]).toMatchObject({ number: 1, state: 'done', passed: false, grades: [] })
  await act(id, 'abandon')
  await forgetGoals(app.app.deps)
  expect((await read(id)).state).toBe('abandoned')
  app.clock.advance({ days: app.app.deps.limits.runs.days + 1 })
  await forgetGoals(app.app.deps)
  expect((await call('GET', `/v1/goals/${id}`)).status).toBe(404)
  expect(await query('select from goal_attempts where goal_id = $1', [id])).toEqual([])
})
