import { expect, test } from 'vitest'
import { useAgents } from '../agents/use-agents.fixture.ts'

const { call, createAgent } = useAgents({ NOEMA_ROLES: 'http', NOEMA_SCHEDULE_MINUTES: '30' })

test('D-79 runs of one schedule lie as far apart as the operator wants', async () => {
  const agentId = (await createAgent()).id
  const send = (cron: string) => call('POST', '/v1/schedules', { agentId, cron, input: 'Look.' })
  expect((await send('*/30 * * * *')).status).toBe(201)
  const refused = await send('0,10 * * * *')
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(JSON.stringify(refused.body)).toContain('30 minutes')
})
