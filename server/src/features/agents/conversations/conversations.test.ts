import { expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'

const { app, scene, call, createAgent } = useAgents({ NOEMA_MAX_CONVERSATIONS: '6' })

const create = async (body?: object) => (await call('POST', '/v1/conversations', body)).body.data.conversation

/** A run of the conversation with its messages, as the engine stores them. */
const addRun = async (conversationId: string, id: string, texts: readonly string[], isEnded = true) => {
  const organization = scene.member.organizationId
  await app.database.pool.query(
    `insert into runs (organization_id, id, agent_id, agent_version, project_id, conversation_id, state, input, started_by,
       created_at, completed_at)
     values ($1, $2, 'agt_1', 1, 'prj_1', $3, 'completed', '"?"', '{}', now(), case when $4 then now() end)`,
    [organization, id, conversationId, isEnded],
  )
  for (const [index, text] of texts.entries())
    await app.database.pool.query(
      `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
       values ($1, $2, $3, $4, 'user', $5, $6, now())`,
      [
        organization,
        id,
        `msg_${id}_${texts.length - index}`,
        index + 1,
        JSON.stringify([{ type: 'text', text }]),
        text,
      ],
    )
}

test('D-72b a conversation is made, read, listed and deleted', async () => {
  const { id: agentId } = await createAgent()
  const made = await create({ agentId, title: 'Invoices' })
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^cnv_/), agentId, title: 'Invoices', createdAt: expect.any(String) },
    createdBy: expect.objectContaining({ type: 'key', id: scene.member.keyId }),
  })
  expect((await call('GET', `/v1/conversations/${made.id}`)).body.data.conversation).toEqual(made)
  const other = await create()
  const list = async (query = '') => (await call('GET', `/v1/conversations${query}`)).body.data.conversations
  expect(await list()).toEqual([made, other])
  expect(await list(`?agentId=${agentId}`)).toEqual([made])
  expect(await list('?order=desc&limit=1')).toEqual([other])
  for (const { id } of [made, other]) expect((await call('DELETE', `/v1/conversations/${id}`)).status).toBe(200)
  expect(await list()).toEqual([])
  expect((await call('GET', `/v1/conversations/${made.id}`)).status).toBe(404)
  expect((await call('DELETE', `/v1/conversations/${made.id}`)).status).toBe(404)
})

test('D-72b a conversation is renamed; one that was deleted, or belongs to another organization, is not there', async () => {
  const made = await create({ title: 'Invoices' })
  const path = `/v1/conversations/${made.id}`
  const rename = async (body: object) => (await call('PATCH', path, body)).body.data.conversation
  expect(await rename({ title: ' Offers ' })).toEqual({ ...made, title: 'Offers' })
  expect(await rename({})).toEqual({ ...made, title: 'Offers' })
  expect(await rename({ title: null })).toEqual({ ...made, title: null })
  expect((await call('PATCH', path, { title: '' })).status).toBe(400)
  const stranger = await createMember(app)
  const { status } = await app.request('PATCH', path, { key: stranger.key, body: { title: 'Mine' } })
  expect(status).toBe(404)
  await addRun(made.id, 'run_renamed', [])
  await call('DELETE', path)
  expect((await call('PATCH', path, { title: 'Back' })).status).toBe(404)
})

test('D-72b a conversation is of an agent that is there and not archived', async () => {
  const { id: agentId } = await createAgent()
  await call('DELETE', `/v1/agents/${agentId}`)
  expect((await call('POST', '/v1/conversations', { agentId })).body.error.code).toBe('agent_archived')
  expect((await call('POST', '/v1/conversations', { agentId: 'agt_1' })).status).toBe(404)
  expect((await call('POST', '/v1/conversations', { title: 'x'.repeat(201) })).status).toBe(400)
})

test('D-72b the messages of all its runs are read in their order, page by page', async () => {
  const { id } = await create()
  const texts = Array.from({ length: 12 }, (_, n) => `word ${n}`)
  await addRun(id, 'run_b', texts.slice(9))
  await addRun(id, 'run_a', texts.slice(0, 9))
  const read = async (query: string) => (await call('GET', `/v1/conversations/${id}/messages${query}`)).body.data
  const words = ({ messages }: { messages: { text: string }[] }) => messages.map(({ text }) => text)
  expect(words(await read(''))).toEqual(texts)
  const first = await read('?limit=5')
  const second = await read(`?limit=5&after=${first.cursor}`)
  const third = await read(`?limit=5&after=${second.cursor}`)
  expect([first, second, third].flatMap(words)).toEqual(texts)
  expect([first.hasMore, second.hasMore, third.hasMore]).toEqual([true, true, false])
  expect(words(await read('?order=desc&limit=500'))).toEqual(texts.toReversed())
  expect(first.messages[0]).toMatchObject({ runId: 'run_a', role: 'user', parts: [{ type: 'text', text: 'word 0' }] })
  await call('DELETE', `/v1/conversations/${id}`)
})

test('D-72b a conversation is not deleted under a run that goes on', async () => {
  const { id } = await create({ title: 'Open' })
  await addRun(id, 'run_open', ['Hello'], false)
  const refused = await call('DELETE', `/v1/conversations/${id}`)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conversation_active' } } })
  await app.database.pool.query(`update runs set completed_at = now() where id = 'run_open'`)
  expect((await call('DELETE', `/v1/conversations/${id}`)).status).toBe(200)
})

test('D-72b another organization sees none of it', async () => {
  const { id } = await create()
  const { key } = await createMember(app)
  for (const [method, below] of [
    ['GET', ''],
    ['GET', '/messages'],
    ['DELETE', ''],
  ] as const)
    expect((await app.request(method, `/v1/conversations/${id}${below}`, { key })).status).toBe(404)
  expect((await app.request('GET', '/v1/conversations', { key })).body.data.conversations).toEqual([])
  await call('DELETE', `/v1/conversations/${id}`)
})

test('D-72b an organization has so many conversations, also when they are made at once', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/v1/conversations')))
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 201, 409, 409])
})
