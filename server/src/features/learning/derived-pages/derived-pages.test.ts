import { randomUUID } from 'node:crypto'
import type { DerivedPage } from '@noema/contracts/derived-pages.ts'
import { beforeEach, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../../agents/agents/use-agents.fixture.ts'
import { leaveFor } from '../../retrieval/receipts/receipt.fixture.ts'
import { createPageWork, type FollowDeps } from './follow-pages.ts'

// No node works in the background here: a test follows pages by hand, and plays the agent: what its runs read and answer.

const { app, call, scene, createAgent } = useAgents({ NOEMA_ROLES: 'http' })
const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows
let brain: TestBrain
let agentId = ''
let made = 0

beforeEach(async () => {
  brain = await addBrain(app, scene.member, `pages-${++made}`)
  agentId = (await createAgent({ brains: [{ handle: brain.brain.handle, access: 'read_write' }] })).id
})

type Items = { id: string; version: number }[]

const follow = async (deps: FollowDeps = app.app.deps) => {
  app.clock.advance({ seconds: 31 })
  await runPass(app.app.deps, createPageWork(deps))
}
const set = (id: string, more: object = {}) =>
  brain.call('PUT', `/derived-pages/${id}`, { agentId, question: 'When is the tide?', ...more })
const read = async (id: string): Promise<DerivedPage> =>
  (await brain.call('GET', `/derived-pages/${id}`)).body.data.derivedPage
const put = async (id: string, text: string, more: object = {}) =>
  (await brain.call('POST', '/documents', { id, text, ...more })).body.data.change.id as string
const decide = async (page: DerivedPage, decision = 'approved') => {
  expect((await brain.call('POST', `/changes/${page.change}/decide`, { decision })).status).toBe(200)
  await follow()
}

/** Ends the run of a page, as an agent that read these documents and answered. */
const answer = async (id: string, text: string, documents: Items = []): Promise<DerivedPage> => {
  const { runId, state } = await read(id)
  expect(state).toBe('running')
  await leaveFor(app, brain, { consumerId: runId ?? '', documents })
  await query(
    `insert into run_messages (organization_id, run_id, id, position, role, parts, text, operation_id, created_at)
     values ($1, $2, $3, 90, 'assistant', $4, $5, 'opr_answer', now())`,
    [brain.organizationId, runId, `msg_${randomUUID()}`, JSON.stringify([{ type: 'text', text }]), text],
  )
  await query(`update runs set state = 'completed', completed_at = now(), due_at = null where id = $1`, [runId])
  await follow()
  return read(id)
}

/** A page that was written from some documents and approved. */
const publish = async (id: string, documents: Items, more: object = {}) => {
  expect((await set(id, more)).status).toBe(200)
  await follow()
  await decide(await answer(id, `The first text of ${id}.`, documents))
  expect((await read(id)).state).toBe('current')
}
const countRuns = async () =>
  Number((await query('select count(*) from runs where agent_id = $1', [agentId]))[0]?.count)

test('DER-01 DER-02 a page is written for review, and again when what it was made of is written or corrected, with the reason', async () => {
  await put('tide', 'High tide is at noon.')
  await put('menu', 'Fish on Friday.')
  expect((await set('page')).body.data.derivedPage).toMatchObject({ state: 'waiting', runId: null, rewrites: [] })
  await follow()
  const [run] = (await call('GET', `/v1/runs?agentId=${agentId}`)).body.data.runs
  expect(run.input.at(-1)).toEqual({ role: 'user', text: 'When is the tide?' })
  const first = await answer('page', 'At noon.', [{ id: 'tide', version: 1 }])
  // The Brain applies writes; a rewrite waits.
  expect(first).toMatchObject({ state: 'staged', sources: [{ type: 'document', id: 'tide', version: 1 }] })
  expect((await brain.call('GET', '/documents/page')).status).toBe(404)
  await decide(first)
  const { document } = (await brain.call('GET', '/documents/page')).body.data
  expect(document).toMatchObject({ text: 'At noon.', metadata: { derivedFrom: { agentId, runId: first.runId } } })
  // Writes of other items rewrite nothing.
  await put('menu', 'No fish.')
  await put('other', 'Something new.')
  await follow()
  expect([(await read('page')).state, await countRuns()]).toEqual(['current', 1])
  // A write of what it read does.
  const cause = await put('tide', 'High tide is at one.')
  await follow()
  const second = await answer('page', 'At one.', [{ id: 'tide', version: 2 }])
  const reason = `The change ${cause} wrote version 2 of the document "tide", which this page was made of.`
  expect(second.rewrites[0]).toMatchObject({ change: second.change, runId: second.runId, reason })
  const change = (await brain.call('GET', `/changes/${second.change}`)).body.data.change
  expect(change).toMatchObject({ decision: 'pending', reason })
  await decide(second)
  // So does a correction of it that writes something else.
  const correcting = await put('note', 'The tide table was wrong.', { corrects: cause })
  await follow()
  const third = await answer('page', 'At one, they say.', [{ id: 'tide', version: 2 }])
  expect(third.rewrites.map(({ reason: why }) => why)).toEqual([
    expect.stringContaining(`The change ${correcting} corrects ${cause}, which wrote the document "tide"`),
    reason,
    'The first text of this derived page.',
  ])
  // The same text again changes nothing.
  await decide(third, 'rejected')
  await put('tide', 'High tide is at two.')
  await follow()
  expect(await answer('page', 'At one.', [{ id: 'tide', version: 3 }])).toMatchObject({
    state: 'current',
    change: null,
  })
})

test('DER-03 a storm of writes makes one rewrite, and what was written during it is examined after it is decided', async () => {
  await put('tide', 'Noon.')
  await publish('page', [{ id: 'tide', version: 1 }])
  for (let version = 2; version < 12; version++) await put('tide', `Version ${version}.`)
  await follow()
  expect(await countRuns()).toBe(2)
  for (let version = 12; version < 20; version++) await put('tide', `Version ${version}.`)
  await follow()
  const staged = await answer('page', 'As of 11.', [{ id: 'tide', version: 11 }])
  for (let version = 20; version < 25; version++) await put('tide', `Version ${version}.`)
  await follow()
  expect([(await read('page')).change, await countRuns()]).toEqual([staged.change, 2])
  await decide(staged)
  expect([(await read('page')).state, await countRuns()]).toEqual(['running', 3])
  await decide(await answer('page', 'As of 24.', [{ id: 'tide', version: 24 }]))
  await follow()
  expect([(await read('page')).state, await countRuns()]).toEqual(['current', 3])
})

test('DER-04 pages that are made of themselves and of each other end', async () => {
  await put('tide', 'Noon.')
  await publish('a', [{ id: 'tide', version: 1 }])
  await publish('b', [{ id: 'a', version: 1 }])
  await put('tide', 'One.')
  await follow()
  // From now on, a is made of itself and of b, and b of both.
  await decide(
    await answer('a', 'a, twice', [
      { id: 'tide', version: 2 },
      { id: 'a', version: 1 },
      { id: 'b', version: 1 },
    ]),
  )
  expect((await read('a')).state).toBe('current')
  await decide(
    await answer('b', 'b, twice', [
      { id: 'a', version: 2 },
      { id: 'b', version: 1 },
    ]),
  )
  await follow()
  expect([(await read('a')).state, (await read('b')).state, await countRuns()]).toEqual(['current', 'current', 4])
  // A person who writes b is no circle.
  await put('b', 'Mine.')
  await follow()
  expect((await read('a')).state).toBe('running')
})

test('DER-05 a page without its agent, or whose runs fail, says so and waits until it is set again', async () => {
  await put('tide', 'Noon.')
  await publish('page', [{ id: 'tide', version: 1 }])
  await call('DELETE', `/v1/agents/${agentId}`)
  expect((await read('page')).paused?.reason).toContain('archived')
  await put('tide', 'One.')
  for (let time = 0; time < 3; time++) await follow()
  expect([await read('page'), await countRuns()]).toMatchObject([{ state: 'paused' }, 1])
  agentId = (await createAgent({ brains: [{ handle: brain.brain.handle, access: 'read_only' }] })).id
  await set('page')
  for (let time = 1; time <= 3; time++) {
    app.clock.advance({ seconds: 300 })
    await follow()
    await query(
      `update runs set state = 'failed', failure_reason = 'No model.', completed_at = now() where agent_id = $1`,
      [agentId],
    )
    await follow()
  }
  expect([await read('page'), await countRuns()]).toMatchObject([
    { paused: { reason: 'Its runs failed 3 times: No model.' } },
    3,
  ])
  await set('page')
  await follow()
  expect((await read('page')).state).toBe('running')
  expect((await brain.call('DELETE', '/derived-pages/page')).status).toBe(200)
  await put('tide', 'Two.')
  await follow()
  expect((await brain.call('GET', '/derived-pages/page')).status).toBe(404)
})

test('DER-06 a node that dies after it started a run, or staged a rewrite, leaves one of each', async () => {
  await put('tide', 'Noon.')
  await set('page')
  const dying = (): never => {
    throw new Error('The node died here.')
  }
  const runs = { ...app.app.deps.topics, publish: dying }
  await follow({ ...app.app.deps, topics: runs })
  expect([(await read('page')).runId, await countRuns()]).toEqual([null, 1])
  await follow()
  expect([(await read('page')).state, await countRuns()]).toEqual(['running', 1])
  const real = app.app.deps.commitEngine
  app.app.deps.commitEngine = {
    ...real,
    submit: async (...given: Parameters<typeof real.submit>) => {
      await real.submit(...given)
      return dying()
    },
  } as typeof real
  await expect(answer('page', 'At noon.', [{ id: 'tide', version: 1 }])).resolves.toMatchObject({ state: 'running' })
  app.app.deps.commitEngine = real
  await follow()
  const { changes } = (await brain.call('GET', '/changes?decision=pending')).body.data
  expect(changes.map(({ id }: { id: string }) => id)).toEqual([(await read('page')).change])
})

test('DER-07 an agent that reads a Brain with fewer readers, or that does not read this one, is refused, and strangers see nothing', async () => {
  const { session: headers } = scene.member
  const secret = await addBrain(app, scene.member, `secret-${made}`)
  const closed = await app.request('PATCH', `${secret.path}/access`, { headers, body: { openTo: 'members' } })
  expect(closed.status).toBe(200)
  const brains = [brain, secret].map((one) => ({ handle: one.brain.handle, access: 'read_only' }))
  const spy = await app.request('POST', '/v1/agents', {
    headers,
    body: { name: 'Spy', instructions: 'Read.', model: 'noema/extractive', brains },
  })
  const body = { agentId: spy.body.data.agent.id, question: 'What is secret?' }
  const refused = await app.request('PUT', `${brain.path}/derived-pages/page`, { headers, body })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'wider_readers'])
  const unread = (await createAgent()).id
  expect((await set('page', { agentId: unread })).body.error.details[0].path).toBe('body.agentId')
  await set('page')
  const other = await createMember(app)
  const theirs = await addBrain(app, other, brain.brain.handle)
  expect((await theirs.call('GET', '/derived-pages')).body.data.derivedPages).toEqual([])
  expect((await theirs.call('GET', '/derived-pages/page')).status).toBe(404)
  expect((await theirs.call('PUT', '/derived-pages/page', body)).status).toBe(404)
})

test('DER-08 a write to a Brain without derived pages leaves no work', async () => {
  await put('tide', 'Noon.')
  const [row] = await query('select brain_id from brains where id = $1', [brain.brain.id])
  const keys = [String(row?.brain_id)]
  const now = app.clock.now()
  const running = { free: 1, maxOfOrganization: 1, organizations: [], owners: [] }
  const leased = await createPageWork(app.app.deps).lease({ keys, lease: 'a', now, until: now, running })
  expect(leased).toEqual({ rows: [], left: [], absent: keys })
})

test('a text is not staged for a person or key whose access has ended since its run began', async () => {
  await put('tide', 'High tide is at noon.')
  const minted = await app.request('POST', '/v1/keys', { headers: scene.member.session, body: { name: 'short' } })
  const { secret, key } = minted.body.data
  const body = { agentId, question: 'When is the tide?' }
  expect((await app.request('PUT', `${brain.path}/derived-pages/page`, { key: secret, body })).status).toBe(200)
  await follow()
  await app.request('DELETE', `/v1/keys/${key.id}`, { headers: scene.member.session })
  const page = await answer('page', 'At noon.', [{ id: 'tide', version: 1 }])
  expect(page).toMatchObject({ state: 'paused', change: null, paused: { reason: expect.stringContaining('access') } })
  expect((await brain.call('GET', '/changes?decision=pending')).body.data.changes).toEqual([])
})
