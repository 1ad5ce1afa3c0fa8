import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../../test/harness.ts'

// The audit log's entries about agents and the objects that they use: the changes, without secrets, instructions or inputs.

const app = useApp()
const brain = useBrain(app)

const send = async (method: string, path: string, body?: object) =>
  (await app.request(method, path, { key: brain.key, ...(body ? { body } : {}) })).body.data

type Entry = { action: string; target: object; before?: object; after?: object }

/** Lists the entries of an act: the action, its target, and the state before and after. */
const listLeftBy = async (act: () => Promise<unknown>): Promise<Entry[]> => {
  const list = async () => (await send('GET', '/v1/audit?limit=500')).entries
  const before = (await list()).length
  await act()
  return (await list())
    .slice(before)
    .map(({ id: _id, at: _at, actor: _actor, ...entry }: { id: string; at: string; actor: object } & Entry) => entry)
}

test('AUD-01 agents are kept when they are made, get a version and are archived', async () => {
  const given = {
    name: 'Agent',
    instructions: 'zqsecret',
    model: 'noema/extractive',
    brains: [{ handle: 'brain', access: 'read_only' }],
  }
  let id = ''
  const create = async () => {
    id = (await send('POST', '/v1/agents', given)).agent.id
  }
  const [made] = await listLeftBy(create)
  expect(made).toMatchObject({
    ...{ action: 'agent.created', target: { type: 'agent', id, name: 'Agent' } },
    after: { version: 1, model: 'noema/extractive', brains: [{ handle: 'brain', access: 'read_only' }] },
  })
  const patch = (body: object) => () => send('PATCH', `/v1/agents/${id}`, body)
  expect(await listLeftBy(patch({ name: 'Renamed' }))).toEqual([
    {
      ...{ action: 'agent.changed', target: { type: 'agent', id, name: 'Renamed' } },
      ...{ before: { version: 1, name: 'Agent' }, after: { version: 2, name: 'Renamed' } },
    },
  ])
  expect(await listLeftBy(patch({ instructions: 'zqsecret too' }))).toMatchObject([
    { before: { version: 2 }, after: { version: 3 } },
  ])
  expect(await listLeftBy(patch({ name: 'Renamed' }))).toEqual([])
  const archive = () => send('DELETE', `/v1/agents/${id}`)
  expect(await listLeftBy(archive)).toMatchObject([{ action: 'agent.archived', target: { id } }])
  expect(await listLeftBy(archive)).toEqual([])
  expect(JSON.stringify(await send('GET', '/v1/audit?limit=500'))).not.toContain('zqsecret')
})

test('AUD-01 connectors are kept with where they lead, and never with their headers', async () => {
  let id = ''
  const create = async () => {
    const body = { name: 'tools', url: 'http://127.0.0.1:9/', headers: { authorization: 'zqsecret' } }
    id = (await send('POST', '/v1/connectors', body)).connector.id
  }
  expect(await listLeftBy(create)).toMatchObject([
    { action: 'connector.created', after: { url: 'http://127.0.0.1:9/', headers: ['authorization'] } },
  ])
  const patch = (body: object) => () => send('PATCH', `/v1/connectors/${id}`, body)
  expect(await listLeftBy(patch({ headers: { authorization: 'zqsecret2' } }))).toMatchObject([
    { action: 'connector.changed', before: { headers: 'kept' }, after: { headers: 'replaced' } },
  ])
  expect(await listLeftBy(patch({ name: 'other' }))).toMatchObject([
    { before: { name: 'tools' }, after: { name: 'other' } },
  ])
  expect(await listLeftBy(patch({ name: 'other' }))).toEqual([])
  expect(await listLeftBy(() => send('DELETE', `/v1/connectors/${id}`))).toMatchObject([
    { action: 'connector.deleted' },
  ])
  expect(JSON.stringify(await send('GET', '/v1/audit?limit=500'))).not.toContain('zqsecret')
})

test('AUD-01 projects, triggers and schedules are kept as they were and as they are', async () => {
  const agentId = (await send('POST', '/v1/agents', { name: 'A', instructions: '', model: 'noema/extractive' })).agent
    .id
  const ids = { project: '', trigger: '', schedule: '' }
  const makeProject = async () => {
    ids.project = (await send('POST', '/v1/projects', { name: 'one' })).project.id
  }
  expect(await listLeftBy(makeProject)).toMatchObject([{ action: 'project.created', target: { name: 'one' } }])
  const rename = () => send('PATCH', `/v1/projects/${ids.project}`, { name: 'two' })
  expect(await listLeftBy(rename)).toMatchObject([
    { action: 'project.changed', before: { name: 'one' }, after: { name: 'two' } },
  ])
  expect(await listLeftBy(rename)).toEqual([])
  expect(await listLeftBy(() => send('DELETE', `/v1/projects/${ids.project}`))).toMatchObject([
    { action: 'project.archived' },
  ])
  const makeTrigger = async () => {
    const body = { knowledgeGraphId: brain.brain.id, agentId, name: 'on news', enabled: false }
    ids.trigger = (await send('POST', '/v1/automations/triggers', body)).trigger.id
  }
  expect(await listLeftBy(makeTrigger)).toMatchObject([
    { action: 'trigger.created', after: { brain: 'brain', agentId, enabled: false } },
  ])
  const path = `/v1/automations/triggers/${ids.trigger}`
  expect(await listLeftBy(() => send('PATCH', path, { enabled: true }))).toMatchObject([
    { action: 'trigger.changed', before: { enabled: false }, after: { enabled: true } },
  ])
  expect(await listLeftBy(() => send('DELETE', path))).toMatchObject([
    { action: 'trigger.deleted', before: { name: 'on news' } },
  ])
  const makeSchedule = async () => {
    ids.schedule = (await send('POST', '/v1/schedules', { agentId, cron: '0 9 * * *', input: 'zqsecret' })).schedule.id
  }
  expect(await listLeftBy(makeSchedule)).toMatchObject([{ action: 'schedule.created', after: { cron: '0 9 * * *' } }])
  const move = () => send('PATCH', `/v1/schedules/${ids.schedule}`, { cron: '0 8 * * *' })
  expect(await listLeftBy(move)).toMatchObject([{ before: { cron: '0 9 * * *' }, after: { cron: '0 8 * * *' } }])
  expect(await listLeftBy(move)).toEqual([])
  expect(await listLeftBy(() => send('DELETE', `/v1/schedules/${ids.schedule}`))).toMatchObject([
    { action: 'schedule.deleted' },
  ])
  expect(JSON.stringify(await send('GET', '/v1/audit?limit=500'))).not.toContain('zqsecret')
})

test('AUD-01 schemas of the organization, packs and imports are kept, and what changes nothing is not', async () => {
  const store = (kind: string) => () => send('PUT', '/v1/schemas/people', { kinds: [{ kind }] })
  expect(await listLeftBy(store('person'))).toMatchObject([
    { action: 'schema.stored', after: { version: 1, kinds: ['person'] } },
  ])
  expect(await listLeftBy(store('person'))).toEqual([])
  expect(await listLeftBy(store('company'))).toMatchObject([
    { before: { version: 1, kinds: ['person'] }, after: { version: 2 } },
  ])
  const install = () => send('POST', '/v1/packs/research-notes/install', { brain: 'notes' })
  expect((await listLeftBy(install)).at(-1)).toMatchObject({
    action: 'pack.installed',
    target: { id: 'research-notes', brain: 'notes' },
  })
  expect(await listLeftBy(install)).toEqual([])
  const headers = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/x-ndjson' }
  const exported = await (await fetch(`${app.base}/v1/brains/notes/export`, { headers })).text()
  await send('PUT', '/v1/brains/copy', {})
  const load = () => fetch(`${app.base}/v1/brains/copy/import`, { method: 'POST', headers, body: exported })
  expect(await listLeftBy(load)).toMatchObject([
    { action: 'brain.imported', target: { name: 'copy' }, after: { records: expect.any(Number) } },
  ])
})
