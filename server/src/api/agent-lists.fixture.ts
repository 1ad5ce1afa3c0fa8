import { insertOperation, insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import type { Requester, TestApp, TestBrain } from '../test/app.ts'

type Send = (...request: Parameters<Requester>) => Promise<ReturnType<typeof JSON.parse>>

/** Something in every list about agents and runs, once more with each call. Answers what the paths of some lists name. */
export const fillAgentLists = async (app: TestApp, { key, organizationId }: TestBrain, send: Send) => {
  const given = { instructions: 'Answer.', model: 'noema/extractive' }
  let made = 0
  const { agent } = await send('POST', '/v1/agents', { key, body: { ...given, name: 'versions' } })
  const { conversation } = await send('POST', '/v1/conversations', { key, body: {} })
  const run = await insertRun(app, organizationId)
  await app.database.pool.query('update runs set conversation_id = $1 where id = $2', [conversation.id, run.id])
  const query = (text: string, values: unknown[]) => app.database.pool.query(text, values)
  const add = async (): Promise<void> => {
    const number = ++made
    const create = (path: string, body: object) => send('POST', path, { key, body })
    await create('/v1/projects', { name: `project ${number}` })
    await create('/v1/agents', { ...given, name: `agent ${number}` })
    await send('PATCH', `/v1/agents/${agent.id}`, { key, body: { name: `version ${number}` } })
    await create('/v1/conversations', { title: `conversation ${number}` })
    await create('/v1/connectors', { name: `connector-${number}`, url: 'http://127.0.0.1:9/' })
    await create('/v1/schedules', { agentId: agent.id, cron: '0 0 29 2 *', input: 'Look.' })
    const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/' }
    await send('PUT', `/v1/providers/provider-${number}`, { key, body: provider })
    await insertRun(app, organizationId)
    await create(`/v1/runs/${run.id}/share`, {})
    const operation = await insertOperation(app, run, { sequence: number })
    await query(
      `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
       values ($1, $2, $3, $4, 'user', '[]', $5, now())`,
      [organizationId, run.id, `msg_${number}`, number, `message ${number}`],
    )
    await query(
      `insert into run_tasks (organization_id, run_id, agent_id, operation_id, id, state, question, created_at)
       values ($1, $2, $3, $4, $5, 'open', 'Which?', now())`,
      [organizationId, run.id, agent.id, operation, `tsk_${number}`],
    )
  }
  const paths: Record<string, Record<string, string>> = {
    'agents.versions': { id: agent.id },
    'runs.messages': { id: run.id },
    'runs.operations': { id: run.id },
    'conversations.messages': { id: conversation.id },
  }
  return { add, paths }
}
