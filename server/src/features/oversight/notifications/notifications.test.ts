import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { asReader } from './use-notifications.fixture.ts'

const app = useOwnApp()
let made = 0
let owner: Awaited<ReturnType<typeof createMember>>
let brain: TestBrain
let reader: ReturnType<typeof asReader>

/** An organization of its own for each test: what waits is the organization's. */
const begin = async () => {
  owner = await createMember(app)
  brain = await addBrain(app, owner, `brain-${++made}`)
  reader = asReader(app, owner.session)
}
beforeAll(begin)

const stage = (id: string) => brain.call('PUT', `/records/${id}`, { kind: 'secret-kind', fields: { of: id } })
const query = (text: string, values: unknown[]) => app.database.pool.query(text, values)
const mintFor = (session: Record<string, string>, name: string, days: number) => {
  const expiresAt = new Date(app.clock.now().getTime() + days * 86_400_000).toISOString()
  return app.request('POST', '/v1/keys', { headers: session, body: { name, expiresAt } })
}

test('NTF-01 500 changes that wait in a Brain are one notification with the number that is true when it is read', async () => {
  await begin()
  expect(await reader.list()).toEqual([])
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => stage(`r-${from + index}`))
  await Promise.all(operations(20, 0))
  const [first] = await reader.list()
  expect(first).toEqual({
    ...{ id: expect.stringMatching(/^ntf_/), kind: 'review.waiting', brain: brain.brain.handle, count: 20 },
    target: { type: 'brain', id: brain.brain.id, name: brain.brain.handle },
    title: `20 changes wait for review in ${brain.brain.handle}`,
    at: expect.any(String),
    readAt: null,
  })
  for (let from = 20; from < 500; from += 48) await Promise.all(operations(48, from))
  expect(await reader.list()).toMatchObject([{ id: first?.id, count: 500 }])
  expect(await reader.waiting()).toEqual({ unread: 1, changes: 500, tasks: 0 })
})

test('NTF-02 a state that ends resolves its notification by itself, and one that begins again is another one', async () => {
  await begin()
  await brain.call('PATCH', '', { mode: 'review' })
  const { id } = (await stage('one')).body.data.change
  const [begun] = await reader.open()
  await brain.call('POST', `/changes/${id}/decide`, { decision: 'rejected' })
  expect(await reader.open()).toEqual([])
  expect(await reader.waiting()).toEqual({ unread: 0, changes: 0, tasks: 0 })
  const [ended] = await reader.list('&state=resolved')
  expect(ended).toMatchObject({ id: begun?.id, resolvedAt: expect.any(String) })
  expect(ended).not.toHaveProperty('count')
  await stage('two')
  const [again] = await reader.open()
  expect(again?.id).not.toBe(begun?.id)
  expect(await reader.list()).toHaveLength(2)
})

test('NTF-01 a state has one notification, even if many read at once on two nodes', async () => {
  await begin()
  const node = await app.startNode()
  const readers = [reader, asReader(node, owner.session)]
  const look = () => Promise.all(Array.from({ length: 40 }, (_, index) => readers[index % 2]?.list()))
  await brain.call('PATCH', '', { mode: 'review' })
  const { id } = (await stage('one')).body.data.change
  for (const lists of await look()) expect(lists).toHaveLength(1)
  await brain.call('POST', `/changes/${id}/decide`, { decision: 'rejected' })
  await look()
  await stage('two')
  await look()
  expect(await reader.list()).toHaveLength(2)
  await node.close()
})

test('NTF-03 a person reads for themselves: by id, or all up to one; an id that is not there changes nothing', async () => {
  await begin()
  const other = asReader(app, (await joinOrganization(app, owner, 'admin')).session)
  for (const name of ['a', 'b', 'c']) await mintFor(owner.session, name, 5)
  const [a, b, c] = await reader.list()
  expect((await reader.mark({ ids: [a?.id, 'ntf_none'] })).data.waiting.unread).toBe(2)
  const readAt = (await reader.list())[0]?.readAt
  expect(readAt).toEqual(expect.any(String))
  app.clock.advance({ minutes: 1 })
  await reader.mark({ ids: [a?.id] })
  expect((await reader.list())[0]?.readAt).toBe(readAt)
  expect((await reader.mark({ upTo: 'ntf_zzz' })).data.waiting.unread).toBe(2)
  expect((await reader.mark({ upTo: b?.id })).data.waiting.unread).toBe(1)
  expect((await reader.mark({ upTo: a?.id })).data.waiting.unread).toBe(1)
  expect((await reader.list('&unread=true')).map(({ id }) => id)).toEqual([c?.id])
  expect((await reader.list())[0]?.readAt).toBe(readAt)
  expect((await other.waiting()).unread).toBe(3)
  expect(await other.list('&unread=true')).toHaveLength(3)
  for (const body of [{}, { ids: [] }, { ids: ['x'], upTo: 'x' }])
    expect((await reader.mark(body)).status, JSON.stringify(body)).toBe(400)
})

test('NTF-04 a key that expires within 14 days notifies its minter, owners and admins, until it is revoked', async () => {
  await begin()
  const [admin, member, third] = [
    await joinOrganization(app, owner, 'admin'),
    await joinOrganization(app, owner),
    await joinOrganization(app, owner),
  ]
  const { id } = (await mintFor(member.session, 'short', 13)).body.data.key
  await mintFor(member.session, 'long', 20)
  const reported = { kind: 'key.expiring', target: { type: 'management_key', id, name: 'short' } }
  for (const one of [owner, admin, member]) expect(await asReader(app, one.session).list()).toMatchObject([reported])
  expect(await asReader(app, third.session).list()).toEqual([])
  const [{ id: notification = '' } = {}] = await reader.list()
  await asReader(app, third.session).mark({ ids: [notification] })
  await app.request('DELETE', `/v1/keys/${id}`, { headers: owner.session })
  expect(await reader.open()).toEqual([])
  app.clock.advance({ days: 7 })
  expect(await reader.open()).toMatchObject([{ target: { name: 'long' } }])
})

const insertTask = (agentId: string, id: string) =>
  query(
    `insert into run_tasks (organization_id, run_id, agent_id, operation_id, id, state, question, created_at)
     values ($1, 'run_x', $2, 'opr_x', $3, 'open', 'Is secret-answer right?', now())`,
    [owner.organizationId, agentId, id],
  )

test('NTF-05 open tasks are one notification of their agent; failing or paused schedules and paused triggers notify, too', async () => {
  await begin()
  const given = { name: 'helper', instructions: 'Answer.', model: 'noema/extractive' }
  const { key } = owner
  const agent = (await app.request('POST', '/v1/agents', { key, body: given })).body.data.agent
  for (const number of [1, 2]) await insertTask(agent.id, `tsk_${made}_${number}`)
  const body = { agentId: agent.id, cron: '0 9 * * *', input: 'Look.' }
  const schedule = (await app.request('POST', '/v1/schedules', { key, body })).body.data.schedule
  const addRun = (number: number, state: string) =>
    query(
      `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at,
         completed_at, schedule_id)
       values ($1, $2, $3, 1, 'prj_x', $4, '"Look."', '{"type":"system","id":"x"}', now(), now(), $5)`,
      [owner.organizationId, `run_${made}_${number}`, agent.id, state, schedule.id],
    )
  for (const number of [1, 2]) await addRun(number, 'failed')
  const kinds = async () => (await reader.open()).map(({ kind }) => kind).sort()
  expect(await kinds()).toEqual(['tasks.open'])
  expect(await reader.open()).toMatchObject([{ count: 2, title: '2 tasks of the agent helper wait for an answer' }])
  await addRun(3, 'failed')
  expect(await kinds()).toEqual(['schedule.failing', 'tasks.open'])
  await addRun(4, 'completed')
  expect(await kinds()).toEqual(['tasks.open'])
  await query(`update schedules set paused_reason = 'secret-reason' where id = $1`, [schedule.id])
  const trigger = {
    ...{ knowledgeGraphId: brain.brain.id, agentId: agent.id, name: 'watch', expectedOutcome: 'A note.' },
    ...{ requiredAccess: 'read_only', kindScopes: [{ entityKind: 'person' }] },
  }
  const watching = await app.request('POST', '/v1/automations/triggers', { key, body: trigger })
  await query(`update triggers set paused_reason = 'secret-reason', due_at = null where id = $1`, [
    watching.body.data.trigger?.id,
  ])
  expect(await kinds()).toEqual(['schedule.paused', 'tasks.open', 'trigger.paused'])
  expect(JSON.stringify(await reader.list())).not.toContain('secret')
})

test('NTF-06 a closed notification is deleted after 90 days', async () => {
  await begin()
  await mintFor(owner.session, 'gone', 3)
  await reader.list()
  app.clock.advance({ days: 4 })
  expect(await reader.list('&state=resolved')).toHaveLength(1)
  app.clock.advance({ days: 91 })
  await app.app.workers.find(({ name }) => name === 'forget old notifications')?.run()
  const { rows } = await query('select from notifications where organization_id = $1 and resolved_at is not null', [
    owner.organizationId,
  ])
  expect(rows).toHaveLength(0)
})

test('NTF-03 the reads and settings of a person end with their membership', async () => {
  await begin()
  const member = await joinOrganization(app, owner)
  const theirs = asReader(app, member.session)
  await mintFor(member.session, 'a', 5)
  const [one] = await theirs.list()
  await theirs.mark({ ids: [one?.id] })
  await app.request('POST', '/api/auth/organization/remove-member', {
    headers: owner.session,
    body: { memberIdOrEmail: member.email, organizationId: owner.organizationId },
  })
  expect((await theirs.call('GET')).status).toBe(403)
  const { rows } = await query('select from notification_marks where organization_id = $1', [owner.organizationId])
  expect(rows).toHaveLength(0)
})
