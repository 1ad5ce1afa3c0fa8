import { expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'

const agents = useAgents()

test('RUN-04 an agent with the built-in model and one Brain answers with what its Brain says, and cites it', async () => {
  const { brain, member } = agents.scene
  const text = 'The warehouse in Lyon opens at six in the morning. Its manager is Ada Martin.'
  await brain.call('POST', '/documents', { id: 'lyon', title: 'Lyon', text })
  const agent = await agents.createAgent({ brains: [{ handle: 'brain', access: 'read_only' }] })
  const answer = await agents.app.request('POST', '/v1/runs', {
    key: member.key,
    headers: { prefer: 'wait=30' },
    body: { agentId: agent.id, input: 'When does the warehouse in Lyon open?' },
  })
  expect(answer.body.data.run).toMatchObject({ state: 'completed', usage: { costCents: 0 } })
  expect(answer.status).toBe(200)
  const { runId } = answer.body.data.run
  const { rows } = await agents.app.database.pool.query(
    'select role, parts, text from run_messages where run_id = $1 order by position',
    [runId],
  )
  expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(rows.at(-1)?.text).toContain('opens at six')
  expect(rows.at(-1)?.parts).toContainEqual(expect.objectContaining({ type: 'source' }))
})
