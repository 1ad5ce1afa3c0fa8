import { beforeAll, expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import { addBrain, type TestBrain } from '../test/app.ts'
import { joinOrganization } from '../test/organizations.ts'

const agents = useAgents()

let secret: TestBrain
beforeAll(async () => {
  const { brain, member } = agents.scene
  secret = await addBrain(agents.app, member, 'secret')
  const text = 'The warehouse in Lyon opens at six in the morning. Its manager is Ada Martin.'
  await brain.call('POST', '/documents', { id: 'lyon', title: 'Lyon', text })
  await secret.call('POST', '/documents', {
    id: 'vault',
    title: 'Vault',
    text: 'The vault in Lyon opens with code 4711.',
  })
  const body = { parts: [{ brain: 'brain' }, { brain: 'secret' }] }
  await agents.call('PUT', '/v1/corpora/houses', body)
})

const runFor = async (headers: Record<string, string>, agentId: string, input: string) => {
  const started = await agents.app.request('POST', '/v1/runs', {
    headers: { ...headers, prefer: 'wait=30' },
    body: { agentId, input },
  })
  expect(started.body.data?.run, JSON.stringify(started.body)).toMatchObject({ state: 'completed' })
  const { rows } = await agents.app.database.pool.query(
    'select role, text, parts from run_messages where run_id = $1 order by position',
    [started.body.data.run.runId],
  )
  return { runId: started.body.data.run.runId, rows, text: String(rows.at(-1)?.text) }
}

test('COR-09 an agent answers from the Brains of its corpus, and activity says that it read a corpus', async () => {
  const agent = await agents.createAgent({ corpora: ['houses'] })
  expect(agent.corpora).toEqual(['houses'])
  const { session } = agents.scene.member
  const { runId, text } = await runFor(session, agent.id, 'When does the warehouse in Lyon open?')
  expect(text).toContain('opens at six')
  const { operations } = (await agents.call('GET', `/v1/runs/${runId}/operations`)).body.data
  expect(operations.flatMap((one: { knowledgeReadSubject?: string }) => one.knowledgeReadSubject ?? [])).toEqual([
    'corpus',
  ])
  // Each Brain that it read has a receipt of the run.
  for (const brain of [agents.scene.brain, secret]) {
    const { receipts } = (await brain.call('GET', `/receipts?consumerId=${runId}`)).body.data
    expect(receipts).toMatchObject([{ consumerId: runId, operation: 'context' }])
  }
})

test('COR-06 COR-09 a run reads of a corpus only the Brains that are open to its starter', async () => {
  const { member } = agents.scene
  const guest = await joinOrganization(agents.app, member)
  await agents.app.request('PATCH', `${secret.path}/access`, { headers: member.session, body: { openTo: 'members' } })
  const agent = await agents.createAgent({ corpora: ['houses'] })
  const { text, rows } = await runFor(guest.session, agent.id, 'Which code does the vault in Lyon open with?')
  expect(text).not.toContain('4711')
  expect(JSON.stringify(rows)).not.toContain('secret')
  expect((await runFor(member.session, agent.id, 'Which code does the vault in Lyon open with?')).text).toContain(
    '4711',
  )
})

test('COR-09 an agent names corpora that exist, at most four, and keeps or drops them', async () => {
  const { id } = await agents.createAgent({ corpora: ['houses'] })
  const patch = (body: object) => agents.call('PATCH', `/v1/agents/${id}`, body)
  expect(await patch({ corpora: ['unknown'] })).toMatchObject({
    status: 400,
    body: { error: { details: [{ path: 'body.corpora.0' }] } },
  })
  expect((await patch({ corpora: ['houses', 'houses'] })).status).toBe(400)
  expect((await patch({ corpora: ['a', 'b', 'c', 'd', 'e'] })).status).toBe(400)
  expect((await patch({ name: 'Renamed' })).body.data.agent.corpora).toEqual(['houses'])
  expect((await patch({ corpora: [] })).body.data.agent.corpora).toBeUndefined()
})
