import { beforeAll, expect, test } from 'vitest'
import { makePdf } from '../../../bench/parts/sample-files.ts'
import { addBrain, createMember, type TestBrain } from '../test/app.ts'
import { useApp, useMember } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'
import { connectClient } from './mcp-client.fixture.ts'

// Files, schedules, packs and derived pages by the organization's server of MCP.

const app = useApp()
const member = useMember(app)

let brain: TestBrain
let agentId: string
beforeAll(async () => {
  brain = await addBrain(app, member, 'docs')
  const body = {
    ...{ name: 'Writer', instructions: 'Answer.', model: 'noema/extractive' },
    brains: [{ handle: 'docs', access: 'read_only' }],
  }
  agentId = (await app.request('POST', '/v1/agents', { key: member.key, body })).body.data.agent.id
})

const connect = (key = member.key) => connectClient(app, { key, path: '/v1/mcp' })

const uploadPdf = async (path: string, pages: string[]) => {
  const response = await fetch(`${app.base}/v1/artifacts?path=${path}`, {
    ...{ method: 'POST', body: makePdf(pages.map((text) => [{ text, y: 740 }])) },
    headers: { authorization: `Bearer ${member.key}`, 'content-type': 'application/pdf' },
  })
  return JSON.parse(await response.text()).data.artifact as { id: string }
}

test('FIL-29 a client lists files, reads the text of one by pages, and makes a document of it', async () => {
  const { id } = await uploadPdf('reports/turbines.pdf', ['Orders grew.', 'The turbines are in Lisbon.'])
  const { get, call, close } = await connect()
  const { artifacts } = await get('files_read', { prefix: 'reports/' })
  expect(artifacts).toMatchObject([{ id, path: 'reports/turbines.pdf', version: 1 }])
  expect((await get('files_read', { runId: 'run_none' })).artifacts).toEqual([])
  const read = await get('files_read', { action: 'text', id, page: 2 })
  expect(read).toMatchObject({ artifact: { id, version: 1 }, pages: { first: 2, last: 2, total: 2 }, nextOffset: null })
  expect(read.text).toContain('Lisbon')
  const added = await get('documents_write', { brain: 'docs', artifact: id, id: 'turbines' })
  expect(added).toMatchObject({
    ...{ outcome: 'landed' },
    document: { id: 'turbines', version: 1, artifact: { id, path: 'reports/turbines.pdf', version: 1 } },
  })
  expect((await brain.call('GET', '/search?q=turbines')).body.data.results[0]).toMatchObject({ page: 2 })
  await get('documents_write', { brain: 'docs', id: 'note', text: 'A note.' })
  for (const [given, path] of [
    [{ artifact: id }, 'arguments.brain'],
    [{ brain: 7, artifact: id }, 'arguments.brain'],
    [{ brain: 'docs' }, 'arguments.text'],
  ] as const) {
    const { isError, structuredContent } = await call('documents_write', given)
    expect([isError, structuredContent]).toMatchObject([true, { error: { kind: 'validation', details: [{ path }] } }])
  }
  await close()
})

test('FIL-29 a Brain and a file that the caller cannot reach do not exist', async () => {
  const { id } = await uploadPdf('secret.pdf', ['Secret.'])
  const other = await createMember(app)
  await addBrain(app, other, 'own')
  const guest = await joinOrganization(app, member, 'member')
  await addBrain(app, member, 'closed')
  const closing = await app.request('PATCH', '/v1/brains/closed/access', {
    ...{ headers: member.session, body: { openTo: 'members' } },
  })
  expect(closing.status).toBe(200)
  const stranger = await connect(other.key)
  expect((await stranger.get('files_read', {})).artifacts).toEqual([])
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  const limited = await connect(minted.body.data.secret)
  const refused = [
    await stranger.call('files_read', { action: 'text', id }),
    await stranger.call('documents_write', { brain: 'own', artifact: id }),
    await stranger.call('documents_write', { brain: 'docs', artifact: id }),
    await limited.call('documents_write', { brain: 'closed', artifact: id }),
    await limited.call('derived_pages_read', { brain: 'closed' }),
    await limited.call('derived_pages_write', { brain: 'closed', id: 'p', agentId, question: 'Why?' }),
  ]
  for (const { isError, structuredContent } of refused)
    expect([isError, structuredContent]).toMatchObject([true, { error: { kind: 'not_found' } }])
  await stranger.close()
  await limited.close()
})

test('EVL-27 a client makes, reads, changes and deletes schedules', async () => {
  const { get, call, close } = await connect()
  const { schedule } = await get('schedules_write', { agentId, input: 'Report.', cron: '0 7 * * 1-5' })
  expect(schedule).toMatchObject({ agentId, enabled: true, nextRunAt: expect.any(String) })
  const { id } = schedule
  expect((await get('schedules_read', { agentId })).schedules).toMatchObject([{ id }])
  const stopped = await get('schedules_write', { action: 'change', id, enabled: false })
  expect(stopped.schedule).toMatchObject({ id, nextRunAt: null, cron: '0 7 * * 1-5' })
  expect((await get('schedules_read', { action: 'get', id })).schedule.enabled).toBe(false)
  expect((await call('schedules_write', { agentId, input: 'Hi', cron: 'often' })).isError).toBe(true)
  const other = await createMember(app)
  const stranger = await connect(other.key)
  expect((await stranger.call('schedules_write', { action: 'delete', id })).isError).toBe(true)
  expect(await get('schedules_write', { action: 'delete', id })).toMatchObject({ deleted: true })
  await stranger.close()
  await close()
})

test('PCK-14 a client reads packs and their schema, and stores, installs and deletes one', async () => {
  const { get, call, close } = await connect()
  const { schema } = await get('packs_read', { action: 'schema' })
  expect(schema).toMatchObject({ type: 'object', required: expect.arrayContaining(['title']) })
  const file = {
    ...{ title: 'Desk', description: 'A desk.', purpose: 'Answers.' },
    agents: [{ name: 'Clerk', description: 'Answers.', instructions: 'Answer.', access: 'read_only' }],
  }
  expect(await get('packs_write', { action: 'put', name: 'desk', ...file })).toMatchObject({ pack: { version: 1 } })
  expect((await get('packs_read', { action: 'get', name: 'desk' })).file).toMatchObject({ title: 'Desk' })
  const { installed } = await get('packs_write', { name: 'desk', brain: 'docs' })
  expect(installed).toMatchObject({
    brain: { handle: 'docs' },
    items: expect.arrayContaining([expect.objectContaining({ type: 'agent', name: 'Clerk', outcome: 'created' })]),
  })
  expect((await call('packs_write', { action: 'put', name: 'desk', title: 7 })).isError).toBe(true)
  expect(await get('packs_write', { action: 'delete', name: 'desk' })).toMatchObject({ deleted: true })
  expect((await call('packs_read', { action: 'get', name: 'desk' })).isError).toBe(true)
  await close()
})

test('DER-10 a client sets, reads and ends a derived page', async () => {
  const { get, call, close } = await connect()
  const named = { brain: 'docs', id: 'summary' }
  const set = await get('derived_pages_write', { ...named, agentId, question: 'Where are the turbines?' })
  expect(set.derivedPage).toMatchObject({ documentId: 'summary', agentId, setBy: { type: 'key' } })
  expect((await get('derived_pages_read', { brain: 'docs' })).derivedPages).toMatchObject([{ documentId: 'summary' }])
  const wrong = await call('derived_pages_write', { ...named, agentId })
  expect(wrong.structuredContent).toMatchObject({ error: { kind: 'validation' } })
  await get('derived_pages_write', { ...named, action: 'delete' })
  expect((await call('derived_pages_read', { ...named, action: 'get' })).structuredContent).toMatchObject({
    error: { kind: 'not_found' },
  })
  await close()
})
