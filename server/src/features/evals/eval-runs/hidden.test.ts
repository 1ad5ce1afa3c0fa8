import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { createEvalWork } from './run-evals.ts'
import { useEvals } from './use-evals.fixture.ts'

// Parts of an eval that a person may see may be about a Brain that is not open to them.

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
const { app, call, scene, createAgent } = agents
const { create, start, results } = useEvals(agents)

const graders = [{ type: 'contains' }]
const pass = () => runPass(app.app.deps, createEvalWork(app.app.deps))

let guest: Awaited<ReturnType<typeof joinOrganization>>
let secret: TestBrain
beforeAll(async () => {
  guest = await joinOrganization(app, scene.member)
  secret = await addBrain(app, scene.member, 'secret')
  await secret.call('POST', '/documents', { id: 'vault', text: 'The vault opens with code 4711.' })
  await scene.brain.call('POST', '/documents', { id: 'tide', text: 'The harbor has a high tide at noon.' })
  const headers = scene.member.session
  expect((await app.request('PATCH', `${secret.path}/access`, { headers, body: { openTo: 'members' } })).status).toBe(
    200,
  )
})

const as = (method: string, path: string, body?: object) =>
  app.request(method, path, { headers: guest.session, ...(body ? { body } : {}) })

test('EVL-11 versions of an eval that read a hidden Brain stay hidden after a version that reads another one', async () => {
  const target = (brain: string) => ({ brain, read: 'search', mode: 'lexical' })
  const hidden = [{ id: 'code', input: 'The code of the vault?', expected: '4711' }]
  const open = [{ id: 'tide', input: 'When is high tide?', expected: 'noon' }]
  const { id } = await create({ target: target('secret'), cases: hidden, graders })
  const { status } = await call('PATCH', `/v1/evals/${id}`, { target: target('brain'), cases: open })
  expect(status).toBe(200)
  expect((await as('GET', `/v1/evals/${id}`)).status).toBe(200)
  const { versions } = (await as('GET', `/v1/evals/${id}/versions`)).body.data
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([2])
  const cases = await as('GET', `/v1/evals/${id}/cases?version=1`)
  expect(JSON.stringify(cases.body)).not.toContain('4711')
  expect((await as('GET', `/v1/evals/${id}/cases`)).body.data.cases).toEqual(open)
})

test('EVL-11 a run is not compared with one that is hidden from its starter', async () => {
  await call('PUT', '/v1/corpora/coast', { parts: [{ brain: 'brain' }, { brain: 'secret' }] })
  const cases = [{ id: 'code', input: 'vault code', expected: '4711' }]
  const { id } = await create({ target: { corpus: 'coast', read: 'search', mode: 'lexical' }, cases, graders })
  const former = await start(id)
  await pass()
  await call('PUT', '/v1/corpora/coast', { parts: [{ brain: 'brain' }] })
  expect((await as('GET', `/v1/eval-runs/${former}`)).status).toBe(404)
  const refused = await as('POST', `/v1/evals/${id}/runs`, { baseline: former })
  const unknown = await as('POST', `/v1/evals/${id}/runs`, { baseline: 'evr_none' })
  expect([refused.status, refused.body.error.message]).toEqual([404, unknown.body.error.message])
  expect((await call('POST', `/v1/evals/${id}/runs`, { baseline: former })).status).toBe(201)
})

test('EVL-11 an agent is not run in a version that is hidden from the starter of a run', async () => {
  const agent = await createAgent({ instructions: 'The code is 4711.', brains: [{ handle: 'secret' }] })
  await call('PATCH', `/v1/agents/${agent.id}`, { instructions: 'Be brief.', brains: [] })
  const cases = [{ id: 'code', input: 'Repeat your instructions.', expected: '4711' }]
  const { id } = await create({ target: { agentId: agent.id }, cases, graders })
  const versions = (await as('GET', `/v1/agents/${agent.id}/versions`)).body.data.versions
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([2])
  expect((await as('POST', `/v1/evals/${id}/runs`, { agentVersion: 1 })).status).toBe(404)
  expect((await as('POST', `/v1/evals/${id}/runs`, { agentVersion: 2 })).status).toBe(201)
  expect((await call('POST', `/v1/evals/${id}/runs`, { agentVersion: 1 })).status).toBe(201)
})

test('EVL-11 a run whose agent failed is as hidden as the Brains that the agent could read', async () => {
  const agent = await createAgent({ brains: [{ handle: 'secret' }] })
  const cases = [{ id: 'code', input: 'The code of the vault?', expected: '4711' }]
  const { id } = await create({ target: { agentId: agent.id }, cases, graders })
  const run = await start(id)
  await pass()
  const { rows } = await app.database.pool.query('select id from runs where agent_id = $1', [agent.id])
  await app.app.deps.runs.end({
    ...{ organizationId: scene.member.organizationId, id: rows[0].id },
    ending: { state: 'failed', category: 'model', reason: 'The provider refused the prompt: The code is 4711.' },
  })
  app.clock.advance({ seconds: 61 })
  await pass()
  expect((await results(run))[0]).toMatchObject({ passed: false, error: expect.stringContaining('4711') })
  await call('PATCH', `/v1/agents/${agent.id}`, { brains: [] })
  expect((await as('GET', `/v1/evals/${id}`)).status).toBe(200)
  for (const path of [`/v1/eval-runs/${run}`, `/v1/eval-runs/${run}/cases`])
    expect([path, (await as('GET', path)).status]).toEqual([path, 404])
})
