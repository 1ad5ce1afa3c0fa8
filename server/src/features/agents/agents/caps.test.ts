import { expect, test } from 'vitest'
import { useAgents } from './use-agents.fixture.ts'

const { call, given } = useAgents({
  NOEMA_MAX_AGENTS: '3',
  NOEMA_MAX_AGENT_VERSIONS: '6',
  NOEMA_MAX_PROJECTS: '3',
})

test('D-71 an organization has so many agents and versions, also when they are made at once', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/v1/agents', given)))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409])
  const refused = made.find(({ status }) => status === 409)
  expect(refused?.body.error.code).toBe('too_many_agents')
  const id = made.find(({ status }) => status === 201)?.body.data.agent.id
  for (const name of ['Two', 'Three', 'Four'])
    expect((await call('PATCH', `/v1/agents/${id}`, { name })).status).toBe(200)
  const full = await call('PATCH', `/v1/agents/${id}`, { name: 'Five' })
  expect(full).toMatchObject({ status: 409, body: { error: { code: 'too_many_agent_versions' } } })
  await call('DELETE', `/v1/agents/${id}`)
  expect((await call('POST', '/v1/agents', given)).body.error.code).toBe('too_many_agent_versions')
})

test('D-70 an organization has so many projects', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, (_, n) => call('POST', '/v1/projects', { name: `P${n}` })))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
})
