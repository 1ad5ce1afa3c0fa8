import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { useAgents } from './use-agents.fixture.ts'

const { app, scene, call, given, createAgent } = useAgents()

test('D-71 an agent is answered as it was made, with what it may do where nothing was said', async () => {
  const made = await createAgent({
    tools: ['ask_human'],
    brains: [{ handle: 'brain', access: 'read_write' }],
    outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
  })
  const { id } = scene.brain.brain
  expect(made).toEqual({
    id: expect.stringMatching(/^agt_/),
    ...{ version: 1, projectId: expect.stringMatching(/^prj_/), ...given, tools: ['ask_human'] },
    brains: [{ id, handle: 'brain', access: 'read_write' }],
    outputSchema: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    limits: { maxSteps: 20, timeoutSeconds: 600 },
    ...{ createdAt: expect.any(String), updatedAt: made.createdAt, archivedAt: null },
    updatedBy: { type: 'key', id: scene.member.keyId, userId: expect.any(String) },
  })
  expect((await call('GET', `/v1/agents/${made.id}`)).body.data.agent).toEqual(made)
})

test('D-71 a change makes a version, no version ever changes, and a change that changes nothing makes none', async () => {
  const made = await createAgent({ limits: { maxCostCents: 50 } })
  const change = async (body: object) => (await call('PATCH', `/v1/agents/${made.id}`, body)).body.data.agent
  expect(await change({ instructions: 'Answer briefly.', limits: { maxSteps: 3 } })).toMatchObject({
    version: 2,
    name: made.name,
    limits: { maxSteps: 3, maxCostCents: 50, timeoutSeconds: 600 },
  })
  expect(await change({ instructions: 'Answer briefly.' })).toMatchObject({ version: 2 })
  expect((await change({ limits: { maxCostCents: null } })).limits).toEqual({ maxSteps: 3, timeoutSeconds: 600 })
  const first = (await call('GET', `/v1/agents/${made.id}/versions?limit=1`)).body.data
  expect(first).toMatchObject({ versions: [{ version: 1, instructions: given.instructions }], hasMore: true })
  const rest = (await call('GET', `/v1/agents/${made.id}/versions?after=${first.cursor}`)).body.data
  expect(rest.versions.map(({ version }: { version: number }) => version)).toEqual([2, 3])
})

test('D-71 changes at once make a version each', async () => {
  const { id } = await createAgent()
  const names = Array.from({ length: 8 }, (_, n) => `Name ${n}`)
  await Promise.all(names.map((name) => call('PATCH', `/v1/agents/${id}`, { name })))
  const { versions } = (await call('GET', `/v1/agents/${id}/versions`)).body.data
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test.each([
  ['a provider that is not set up', { model: 'openai/gpt-5.4' }, 'body.model', 'noema'],
  ['a built-in model that there is not', { model: 'noema/oracle' }, 'body.model', 'noema/extractive'],
  ['a model without a provider', { model: 'gpt' }, 'body.model', 'noema/extractive'],
  ['an unknown tool', { tools: ['shell'] }, 'body.tools.0', 'ask_human'],
  ['an unknown connector', { tools: [{ connector: 'con_1' }] }, 'body.tools.0.connector', 'con_1'],
  ['an unknown agent', { tools: ['ask_human', { agent: 'agt_1' }] }, 'body.tools.1.agent', 'agt_'],
  ['a tool that is named twice', { tools: ['ask_human', 'ask_human'] }, 'body.tools.1', 'twice'],
  ['an unknown Brain', { brains: [{ handle: 'nobody' }] }, 'body.brains.0.handle', 'List its Brains'],
  [
    'a Brain that is named twice',
    { brains: [{ handle: 'brain' }, { handle: 'brain' }] },
    'body.brains.1.handle',
    'twice',
  ],
  ['an unknown access', { brains: [{ handle: 'brain', access: 'all' }] }, 'body.brains.0.access', 'read_only'],
  ['no name', { name: ' ' }, 'body.name', '200'],
  ['a long name', { name: 'x'.repeat(201) }, 'body.name', '200'],
  ['long instructions', { instructions: 'x'.repeat(100_001) }, 'body.instructions', '100,000'],
  ['too many steps', { limits: { maxSteps: 1_001 } }, 'body.limits.maxSteps', '1000'],
  ['no time', { limits: { timeoutSeconds: 0 } }, 'body.limits.timeoutSeconds', '1'],
  ['costs that are no number', { limits: { maxCostCents: 'all' } }, 'body.limits.maxCostCents', 'number'],
])('D-71 D-08 %s is refused with where it stands and what there is', async (_case, wrong, path, says) => {
  await createAgent()
  const refused = await call('POST', '/v1/agents', { ...given, ...wrong })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(JSON.stringify(refused.body)).toContain(path)
  expect(JSON.stringify(refused.body)).toContain(says)
})

test('D-71 Brains are known by their ids: a new Brain under a former handle is another one', async () => {
  const first = await addBrain(app, scene.member, 'pinned')
  const made = await createAgent({ brains: [{ handle: 'pinned' }] })
  await call('DELETE', '/v1/brains/pinned')
  const second = await addBrain(app, scene.member, 'pinned')
  const renamed = (await call('PATCH', `/v1/agents/${made.id}`, { name: 'Other' })).body.data.agent
  expect(renamed.brains).toEqual([{ id: first.brain.id, handle: 'pinned', access: 'read_only' }])
  const brains = [{ handle: 'pinned' }]
  const moved = (await call('PATCH', `/v1/agents/${made.id}`, { brains })).body.data.agent
  expect(moved.brains).toEqual([{ id: second.brain.id, handle: 'pinned', access: 'read_only' }])
})

test('D-71 an archived agent is read, but neither changed nor named as a tool', async () => {
  const { id } = await createAgent()
  const archived = await call('DELETE', `/v1/agents/${id}`)
  expect(archived).toMatchObject({ status: 200, body: { data: { agent: { id, archivedAt: expect.any(String) } } } })
  expect((await call('DELETE', `/v1/agents/${id}`)).body).toEqual(archived.body)
  const refused = await call('PATCH', `/v1/agents/${id}`, { name: 'Other' })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'agent_archived' } } })
  expect((await call('POST', '/v1/agents', { ...given, tools: [{ agent: id }] })).status).toBe(400)
  const list = async (filter: string) =>
    (await call('GET', `/v1/agents?limit=500${filter}`)).body.data.agents.map((agent: { id: string }) => agent.id)
  expect([await list(''), await list('&archived=true')].every((ids) => ids.includes(id))).toBe(true)
  expect(await list('&archived=false')).not.toContain(id)
})

test('D-71 agents are listed by project, page by page', async () => {
  const { project } = (await call('POST', '/v1/projects', { name: 'Support' })).body.data
  const ids = []
  for (let n = 0; n < 3; n++) ids.push((await createAgent({ projectId: project.id })).id)
  const page = (await call('GET', `/v1/agents?projectId=${project.id}&limit=2`)).body.data
  const rest = (await call('GET', `/v1/agents?projectId=${project.id}&after=${page.cursor}`)).body.data
  const seen = [...page.agents, ...rest.agents].map(({ id }: { id: string }) => id)
  expect([seen, page.hasMore, rest.hasMore]).toEqual([ids, true, false])
})

test('D-71 another organization sees none of it', async () => {
  const { id } = await createAgent()
  const { key } = await createMember(app)
  for (const [method, below] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/versions'],
  ] as const) {
    const body = method === 'PATCH' ? { name: 'Mine' } : undefined
    expect((await app.request(method, `/v1/agents/${id}${below}`, { key, body })).status).toBe(404)
  }
  expect((await app.request('GET', '/v1/agents', { key })).body.data.agents).toEqual([])
  const tools = [{ agent: id }]
  const refused = await app.request('POST', '/v1/agents', { key, body: { ...given, tools } })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body)).toContain('there is none')
  const unknown = await app.request('POST', '/v1/agents', { key, body: { ...given, model: 'nobody/one' } })
  expect(JSON.stringify(unknown.body)).toContain('; there is only noema. Set it up first.')
})

test('D-66 a webhook of an agent needs an agent of the organization', async () => {
  const { id } = await createAgent()
  const { key } = await createMember(app)
  const body = { url: 'http://127.0.0.1:9/', events: ['run.completed'], scope: { agentId: id } }
  expect((await call('POST', '/v1/webhooks', body)).status).toBe(201)
  expect((await app.request('POST', '/v1/webhooks', { key, body })).status).toBe(404)
})

test('D-70 every organization has its default project from the moment it exists', async () => {
  const member = await createMember(app)
  app.clock.advance({ days: 3 })
  const ask = (method: string, path: string, body?: object) =>
    app.request(method, path, { key: member.key, ...(body ? { body } : {}) })
  const made = (await ask('POST', '/v1/projects', { name: 'Support' })).body.data.project
  const { projects } = (await ask('GET', '/v1/projects')).body.data
  expect(projects).toMatchObject([{ name: 'Default', isDefault: true, archivedAt: null }, made])
  expect(Date.parse(projects[0].createdAt)).toBeLessThan(Date.parse(made.createdAt))
  expect(await ask('DELETE', `/v1/projects/${projects[0].id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'default_project' } },
  })
  expect((await ask('PATCH', `/v1/projects/${projects[0].id}`, { name: 'Ours' })).body.data.project.name).toBe('Ours')
  expect((await ask('POST', '/v1/agents', given)).body.data.agent.projectId).toBe(projects[0].id)
})

test('D-70 an archived project is listed and takes no agents', async () => {
  const { project } = (await call('POST', '/v1/projects', { name: 'Old' })).body.data
  const archived = (await call('DELETE', `/v1/projects/${project.id}`)).body.data.project
  expect(archived.archivedAt).toEqual(expect.any(String))
  expect((await call('GET', '/v1/projects')).body.data.projects).toContainEqual(archived)
  const refused = await call('POST', '/v1/agents', { ...given, projectId: project.id })
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'project_archived' } } })
  const { key } = await createMember(app)
  expect((await app.request('DELETE', `/v1/projects/${project.id}`, { key })).status).toBe(404)
})

test('D-71 an agent outlives the key and the member that made it', async () => {
  const guest = await joinOrganization(app, scene.member)
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  const key: string = minted.body.data.secret
  const { agent } = (await app.request('POST', '/v1/agents', { key, body: given })).body.data
  await app.request('DELETE', `/v1/keys/${minted.body.data.key.id}`, { headers: guest.session })
  expect((await app.request('POST', '/v1/agents', { key, body: given })).status).toBe(401)
  expect((await call('GET', `/v1/agents/${agent.id}`)).body.data.agent).toEqual(agent)
})
