import { expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { asReader } from '../../oversight/notifications/use-notifications.fixture.ts'
import { useGoals } from './use-goals.fixture.ts'

// No node works in the background: a test runs a piece of work by hand, and ends runs itself.

const agents = useAgents({ NOEMA_ROLES: 'http' })
const { app, call, scene, createAgent } = agents
const { create, read, act, pass } = useGoals(app, agents)
const criteria = [{ type: 'contains', values: ['42'] }]
const end = (runId: string, text: string) =>
  app.app.deps.runs.end({
    ...{ organizationId: scene.member.organizationId, id: runId },
    ending: { state: 'completed', output: { text } },
  })

test('GOL-13 people are notified of a goal that the service paused, until it goes on, and not of one that a person paused', async () => {
  const agent = await createAgent({ name: 'Seeker' })
  const [first, second] = [await create({ agentId: agent.id, criteria }), await create({ agentId: agent.id, criteria })]
  await act(second.id, 'pause')
  await pass()
  await call('DELETE', `/v1/agents/${agent.id}`)
  await end((await read(first.id)).runId, '41')
  await pass()
  await pass()
  expect(await read(first.id)).toMatchObject({ state: 'paused', reason: expect.stringContaining('archived') })
  const reader = asReader(app, scene.member.session)
  const ofGoals = async () =>
    (await reader.open()).filter(({ target }) => target.type === 'goal' && target.name === 'Seeker')
  expect(await ofGoals()).toEqual([
    expect.objectContaining({
      target: { type: 'goal', id: first.id, name: 'Seeker' },
      title: 'A goal of the agent Seeker is paused',
    }),
  ])
  const stranger = await createMember(app)
  expect((await asReader(app, stranger.session).open()).filter(({ kind }) => kind === 'goal.paused')).toEqual([])
  await act(first.id, 'abandon')
  expect(await ofGoals()).toEqual([])
})
