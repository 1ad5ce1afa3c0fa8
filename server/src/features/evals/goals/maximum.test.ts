import { expect, test } from 'vitest'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { useGoals } from './use-goals.fixture.ts'

const agents = useAgents({ NOEMA_ROLES: 'http', NOEMA_MAX_GOALS: '1' })
const { app, call, createAgent } = agents
const { create, read, act, pass } = useGoals(app, agents)

test('GOL-06 a goal that has ended goes on by a larger budget only if the organization may have one more', async () => {
  const body = { agentId: (await createAgent()).id, criteria: [{ type: 'contains', values: ['42'] }] }
  const until = new Date(app.clock.now().getTime() + 1_000).toISOString()
  const ended = await create({ ...body, budget: { until } })
  await pass()
  expect((await read(ended.id)).state).toBe('exhausted')
  const other = await create(body)
  const extend = (budget: object) => call('PATCH', `/v1/goals/${ended.id}`, { budget })
  expect(await extend({ until: null })).toMatchObject({ status: 409, body: { error: { code: 'too_many_goals' } } })
  expect((await read(ended.id)).state).toBe('exhausted')
  // A budget that lets it end where it is takes no place.
  expect((await extend({ runs: 20 })).body.data.goal).toMatchObject({ state: 'exhausted', budget: { runs: 20 } })
  await act(other.id, 'abandon')
  expect((await extend({ until: null })).body.data.goal.state).toBe('active')
})
