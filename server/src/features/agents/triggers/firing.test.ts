import { expect, test } from 'vitest'
import { useTriggers } from './use-triggers.fixture.ts'

const { app, call, path, scene, createTrigger, createAgent, find, fire, list, runs, write, writeAs, endRuns } =
  useTriggers()

test('RUN-06 triggers are listed with exactly what is specified', async () => {
  const trigger = await createTrigger({ kindScopes: [{ entityKind: 'person' }], expectedOutcome: 'Greet them.' })
  const specified = {
    ...{ id: expect.stringMatching(/^trg_/), knowledgeGraphId: scene.brain.brain.id, agentId: scene.agentId },
    ...{ name: 'Watch', expectedOutcome: 'Greet them.', requiredAccess: 'read_write', enabled: true },
    kindScopes: [{ entityKind: 'person' }],
  }
  expect(await find(trigger.id)).toEqual({ trigger: specified })
  await write('person')
  await fire()
  const [run] = await runs(trigger.id)
  expect(await find(trigger.id)).toEqual({
    trigger: specified,
    lastRunId: run?.runId,
    lastFiredAt: expect.stringMatching(/Z$/),
  })
})

test('RUN-06 SUR-08 other content of a watched kind is dropped and named', async () => {
  const { id } = await createTrigger()
  const answer = await call('PATCH', `${path}/${id}`, { kindScopes: [{ entityKind: 'person', filter: 'all' }] })
  expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([200, 'kindScopes.0.filter'])
  expect(answer.body.data.trigger.kindScopes).toEqual([{ entityKind: 'person' }])
})

test('RUN-06 each event of its kinds starts one run, whose input says what happened', async () => {
  const { id } = await createTrigger({ kindScopes: [{ entityKind: 'person' }], expectedOutcome: 'Greet them.' })
  const ada = await write('person', { name: 'Ada' })
  await write('invoice')
  await scene.brain.call('PATCH', `/records/${ada.record.id}`, { fields: { name: 'Ada L.' } })
  const subject = { id: ada.record.id, kind: 'person' }
  await scene.brain.call('POST', '/statements', { subject, predicate: 'is', object: { value: 'here' } })
  await fire()
  const { events } = (await scene.brain.call('GET', '/events')).body.data
  const started = await runs(id)
  expect(started.map(({ trigger }) => trigger.cursor)).toEqual([0, 2, 3].map((index) => events[index].cursor))
  expect(started[0]?.input).toContain(JSON.stringify(events[0]))
  expect(started[0]?.input).toContain('Greet them.')
  await fire()
  expect(await runs(id)).toHaveLength(3)
})

test('RUN-06 runs are listed by the trigger that started them, the newest first, and page by page', async () => {
  const [one, other] = [await createTrigger(), await createTrigger({ name: 'Another' })]
  for (const name of ['Ada', 'Bo']) await write('person', { name })
  await fire()
  const list = async (query: string) => (await call('GET', `/v1/runs?${query}`)).body.data
  const first = await list(`triggerId=${one.id}&order=desc&limit=1`)
  const rest = await list(`triggerId=${one.id}&order=desc&limit=1&after=${first.cursor}`)
  const found = [...first.runs, ...rest.runs]
  expect(found.map(({ trigger }) => trigger.id)).toEqual([one.id, one.id])
  expect(found.map(({ runId }) => runId)).toEqual(
    found
      .map(({ runId }) => runId)
      .sort()
      .reverse(),
  )
  expect(rest.hasMore).toBe(false)
  expect((await list(`triggerId=${other.id}`)).runs).toHaveLength(2)
  expect((await list('triggerId=trg_none')).runs).toEqual([])
})

test('RUN-06 D-77 statements and documents are watched by their own names, and without kinds all is', async () => {
  const statements = await createTrigger({ kindScopes: [{ entityKind: 'statement' }] })
  const documents = await createTrigger({ kindScopes: [{ entityKind: 'document' }] })
  const all = await createTrigger()
  const { record } = await write('person')
  const subject = { id: record.id, kind: 'person' }
  const said = await scene.brain.call('POST', '/statements', { subject, predicate: 'is', object: { value: 'here' } })
  await scene.brain.call('DELETE', `/statements/${said.body.data.statement.id}`)
  await scene.brain.call('POST', '/documents', { text: 'A text.' })
  await fire()
  const counts = await Promise.all([statements, documents, all].map(async ({ id }) => (await runs(id)).length))
  expect(counts).toEqual([2, 1, 4])
})

test('D-77 enabling begins now: what was before, or while it was disabled, starts nothing', async () => {
  await write('person')
  const { id } = await createTrigger()
  await fire()
  expect(await runs(id)).toEqual([])
  await call('PATCH', `${path}/${id}`, { enabled: false })
  await write('person')
  await fire()
  await call('PATCH', `${path}/${id}`, { enabled: true })
  await fire()
  expect(await runs(id)).toEqual([])
  await write('person')
  await fire()
  expect(await runs(id)).toHaveLength(1)
})

test('D-77 a change to an enabled trigger loses no event', async () => {
  const { id } = await createTrigger()
  await write('person')
  await call('PATCH', `${path}/${id}`, { name: 'Other' })
  await fire()
  expect(await runs(id)).toHaveLength(1)
})

test('D-77 writes of its own run never start it again, and start others at most three in a row', async () => {
  const other = await createAgent({ brains: [{ handle: scene.brain.brain.handle, access: 'read_write' }] })
  const [mine, theirs] = [await createTrigger(), await createTrigger({ agentId: other.id })]
  const writeByEach = async (found: Awaited<ReturnType<typeof runs>>) => {
    for (const run of found) await writeAs(run, [{ op: 'record.create', kind: 'person' }])
  }
  const both = async () => [...(await runs(mine.id)), ...(await runs(theirs.id, other.id))]
  await write('person')
  await fire()
  const first = await both()
  await writeByEach(first)
  app.clock.advance({ seconds: 2 })
  await fire()
  const second = (await both()).filter(({ runId }) => !first.some((run) => run.runId === runId))
  await writeByEach(second)
  app.clock.advance({ seconds: 2 })
  await fire()
  const third = (await both()).filter(({ runId }) => ![...first, ...second].some((run) => run.runId === runId))
  await writeByEach(third)
  app.clock.advance({ seconds: 2 })
  await fire()
  expect([first.length, second.length, third.length, (await both()).length]).toEqual([2, 2, 2, 6])
})

test('D-77 a change that its run staged starts nothing when a person publishes, splits, edits or reverts it', async () => {
  await scene.brain.call('PATCH', '', { mode: 'review' })
  const { id } = await createTrigger({ kindScopes: [{ entityKind: 'person' }, { entityKind: 'company' }] })
  const asked = await write('person', { name: 'Ada' })
  await scene.brain.call('POST', `/changes/${asked.change.id}/decide`, { decision: 'approved' })
  await fire()
  const [run] = await runs(id)
  if (!run) throw new Error('The trigger started no run.')
  const stage = async (fields: object) => {
    const operations = ['person', 'company'].map((kind) => ({ op: 'record.create', kind, fields }))
    return (await writeAs(run, operations)).change
  }
  const [published, split] = [await stage({ n: 1 }), await stage({ n: 2 })]
  const decide = async (change: string | undefined, body: object) =>
    (await scene.brain.call('POST', `/changes/${change}/decide`, { decision: 'approved', ...body })).body.data
  const { items } = (await scene.brain.call('GET', `/changes/${split}`)).body.data.change
  await decide(published, {})
  await decide(split, { items: [items[0].item], edits: { [items[0].item]: { fields: { n: 3 } } } })
  const pending = (await scene.brain.call('GET', '/changes?decision=pending')).body.data.changes
  for (const change of pending) await decide(change.id, {})
  await scene.brain.call('POST', `/changes/${published}/revert`, {})
  const reverting = (await scene.brain.call('GET', '/changes?decision=pending')).body.data.changes
  for (const change of reverting) await decide(change.id, {})
  app.clock.advance({ seconds: 2 })
  await fire()
  const { events } = (await scene.brain.call('GET', '/events?types=record.accepted,record.deleted')).body.data
  expect(events).toHaveLength(7)
  expect(await runs(id)).toHaveLength(1)
  await endRuns()
})

test('D-77 read_only keeps a run from writing, whatever its agent may do, in its input and in its access', async () => {
  const { id } = await createTrigger({ requiredAccess: 'read_only' })
  await write('person')
  await fire()
  const [run] = await runs(id)
  if (!run) throw new Error('The trigger started no run.')
  const refused = await writeAs(run, [{ op: 'record.create', kind: 'person' }])
  expect(refused).toMatchObject({ isError: true })
  const { records } = (await scene.brain.call('GET', '/records')).body.data
  expect(records).toHaveLength(1)
  const place = { organization: scene.brain.organizationId, id: run.runId }
  const { rows } = await app.database.pool.query(
    'select max_access, access from runs join run_brains on run_id = id where id = $1',
    [place.id],
  )
  expect(rows).toEqual([{ max_access: 'read_only', access: 'read_only' }])
})

test('D-77 with its agent archived a trigger pauses visibly, loses nothing, and goes on with another', async () => {
  const { id } = await createTrigger()
  await call('DELETE', `/v1/agents/${scene.agentId}`)
  expect((await find(id)).paused.reason).toContain('archived')
  for (let n = 0; n < 3; n++) await write('person')
  await fire()
  expect((await find(id)).paused.reason).toContain('archived')
  const other = await createAgent()
  const patched = await call('PATCH', `${path}/${id}`, { agentId: other.id })
  expect(patched.body.data.paused).toBeUndefined()
  await fire()
  expect(await runs(id, other.id)).toHaveLength(3)
  expect((await find(id)).paused).toBeUndefined()
})

test('D-77 a deleted trigger starts nothing, and neither does one of a deleted Brain', async () => {
  const [first, second] = [await createTrigger(), await createTrigger()]
  await write('person')
  expect((await call('DELETE', `${path}/${first.id}`)).status).toBe(200)
  expect((await call('DELETE', `${path}/${first.id}`)).status).toBe(404)
  await call('DELETE', scene.brain.path)
  await fire()
  expect([...(await runs(first.id)), ...(await runs(second.id))]).toEqual([])
  expect((await list()).map(({ trigger }: { trigger: { id: string } }) => trigger.id)).not.toContain(second.id)
  expect((await call('PATCH', `${path}/${second.id}`, { name: 'Other' })).status).toBe(404)
})
