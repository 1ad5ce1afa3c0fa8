import { organizationEvents, retrySeconds } from '@noema/contracts/organization-webhooks.ts'
import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { isSignedBy } from '../../../test/receiver.ts'
import { insertRun } from '../../agents/run-feeds/run.fixture.ts'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, call, write, create, createForAgent, correct, deliveries, until, pass, look, emit } = useOrganization()

test('OWH-02 OWH-03 D-44 a correction is delivered with its addresses, in a body of event, timestamp and data', async () => {
  const { webhook } = await create()
  const { change, corrects, record, stateVersion } = await correct()
  const [delivery] = await scene.receiver.received(1)
  expect(Object.keys(delivery?.body)).toEqual(['event', 'timestamp', 'data'])
  expect(delivery?.body).toEqual({
    event: 'knowledge.corrected',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      ...{ brain: 'brain', change, corrects, stateVersion, consumers: [] },
      ...{ records: [{ id: record.id, kind: 'person' }], statements: [], documents: [] },
    },
  })
  expect(await until(webhook.id, { state: 'delivered' })).toMatchObject({
    ...{ id: delivery?.headers['webhook-id'], event: 'knowledge.corrected', attempts: 1, nextAttemptAt: null },
    lastAttempt: { status: 204, error: null },
  })
})

test('D-44 a correction names everyone who was served the corrected version, with their receipts, and no one else', async () => {
  await create()
  const { change, record } = await write('POST', '/records', { kind: 'person', slug: 'ada', fields: { name: 'Ada' } })
  await write('POST', '/records', { kind: 'person', slug: 'bob' })
  const query = (slug: string, consumerId?: string) =>
    write('POST', '/query', { kind: 'person', where: { slug }, consumerId })
  const [first, second] = [await query('ada', 'agent-1'), await query('ada', 'agent-1')]
  await query('bob', 'agent-2')
  const patched = await scene.brain.call('PATCH', `/records/${record.id}`, {
    fields: { name: 'Ada L.' },
    corrects: change.id,
  })
  const later = await query('ada', 'agent-3')
  expect(later.records).toMatchObject([{ version: 2 }])
  const [delivery] = await scene.receiver.received(1)
  expect(delivery?.body.data).toMatchObject({ change: patched.body.data.change.id, corrects: change.id })
  const named = delivery?.body.data.consumers.find(({ consumerId }: { consumerId: string }) => consumerId === 'agent-1')
  expect(named.receipts.toSorted()).toEqual([first.receipt, second.receipt].toSorted())
  const names = delivery?.body.data.consumers.map(({ consumerId }: { consumerId: string }) => consumerId)
  expect(names).not.toContain('agent-2')
})

test('D-44 a correction that waits for review is delivered when it is published, not before; a rejected one never', async () => {
  const { webhook } = await create()
  const { change } = await write('POST', '/records', { kind: 'person' })
  await scene.brain.call('PATCH', '', { mode: 'review' })
  const rejected = await write('POST', `/changes/${change.id}/revert`, {})
  await write('POST', `/changes/${rejected.change.id}/decide`, { decision: 'rejected' })
  const staged = await write('POST', `/changes/${change.id}/revert`, {})
  expect(await deliveries(webhook.id)).toEqual([])
  await write('POST', `/changes/${staged.change.id}/decide`, { decision: 'approved' })
  const [delivery] = await scene.receiver.received(1)
  expect(delivery?.body.data).toMatchObject({ change: staged.change.id, corrects: change.id })
})

test('OWH-01 a webhook hears of its scope alone: the organization, one Brain, or one agent', async () => {
  const other = await addBrain(scene.app, scene.brain, 'other')
  const whole = await create()
  const mine = await create({ scope: { brain: 'brain' } })
  const theirs = await create({ scope: { brain: 'other' } })
  const agent = await createForAgent()
  const silent = await create({ events: ['run.completed'] })
  const { change } = (await other.call('POST', '/records', { kind: 'person' })).body.data
  await other.call('POST', `/changes/${change.id}/revert`, {})
  await correct()
  await scene.receiver.received(4)
  const data = { runId: 'run_1', state: 'completed', status: 'succeeded' }
  await emit({ event: 'run.completed', scope: { agentId: agent.agentId }, data })
  await scene.receiver.received(5)
  const heard = async ({ webhook }: { webhook: { id: string } }) => (await deliveries(webhook.id)).length
  expect(await Promise.all([whole, mine, theirs, agent, silent].map(heard))).toEqual([2, 1, 1, 0, 1])
  expect(scene.receiver.deliveries.at(-1)?.body).toMatchObject({ event: 'run.completed', data })
})

test('OWH-01 D-44 D-66 a webhook of one agent hears of a correction of what the runs of that agent read, and of no other', async () => {
  const [reader, other] = [await createForAgent(), await createForAgent()]
  const whole = await create()
  const run = await insertRun(scene.app, scene.brain.organizationId)
  await scene.app.database.pool.query('update runs set agent_id = $2 where id = $1', [run.id, reader.agentId])
  const put = (wrong: number) => write('PUT', '/records/r', { kind: 'k', slug: 'r', fields: { wrong } })
  const correctRead = async (consumerId: string) => {
    const { change } = await put(1)
    await write('POST', '/query', { kind: 'k', where: { slug: 'r' }, consumerId })
    await write('POST', `/changes/${change.id}/revert`, {})
  }
  await correctRead(run.id)
  const reported = await scene.receiver.received(2)
  for (const { body } of reported) expect(body.data.consumers).toMatchObject([{ consumerId: run.id }])
  await correctRead('run_of_nobody')
  await scene.receiver.received(3)
  const heard = async ({ webhook }: { webhook: { id: string } }) => (await deliveries(webhook.id)).length
  expect(await Promise.all([reader, other, whole].map(heard))).toEqual([1, 0, 2])
})

test('OWH-02 OWH-03 OWH-04 every event is delivered with just the data that it came with', async () => {
  const { webhook } = await create({ events: [...organizationEvents] })
  const events = organizationEvents.filter((event) => event !== 'knowledge.corrected')
  for (const event of events) {
    const data = { runId: 'run_1', ...(event === 'run.failed' ? { failureReason: 'x', failureCategory: 'model' } : {}) }
    await emit({ event, scope: {}, data })
  }
  const reported = (await scene.receiver.received(events.length)).map(({ body }) => body)
  expect(reported.map(({ event }) => event).toSorted()).toEqual(events.toSorted())
  // Only a run whose output was reported has it here.
  expect(reported.filter(({ data }) => 'output' in data)).toEqual([])
  expect(reported.find(({ event }) => event === 'run.failed')?.data).toMatchObject({ failureCategory: 'model' })
  expect(webhook.events).toEqual([...organizationEvents])
})

test('OWH-05 each delivery is signed in both ways', async () => {
  const { secret } = await create()
  await correct()
  const [delivery] = await scene.receiver.received(1)
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
})

test('OWH-05 D-66 a failed delivery is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, then given up', async () => {
  scene.app.clock.hold()
  scene.receiver.answers(500)
  const { webhook } = await create()
  await correct()
  for (const [index, seconds] of retrySeconds.entries()) {
    await scene.receiver.received(index + 1)
    const waiting = await until(webhook.id, { attempts: index + 1 })
    expect(waiting).toMatchObject({
      state: 'pending',
      lastAttempt: { status: 500, error: expect.stringContaining('500') },
    })
    const wait = Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.lastAttempt.at)
    expect(wait / 1000).toBe(seconds)
    // A second before its time it is not tried.
    pass(seconds - 1)
    await look()
    expect(scene.receiver.deliveries).toHaveLength(index + 1)
    pass(1)
  }
  await scene.receiver.received(retrySeconds.length + 1)
  expect(await until(webhook.id, { state: 'failed' })).toMatchObject({ attempts: 8, nextAttemptAt: null })
  expect(new Set(scene.receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(scene.receiver.deliveries.map(({ text }) => text)).size).toBe(1)
})

test('OWH-05 a delivery that fails and then succeeds is delivered, and is not sent again', async () => {
  scene.receiver.answers(503)
  const { webhook } = await create()
  await correct()
  await until(webhook.id, { attempts: 1 })
  scene.receiver.answers(202)
  pass(5)
  expect(await until(webhook.id, { state: 'delivered' })).toMatchObject({ attempts: 2, lastAttempt: { status: 202 } })
  pass(100_000)
  await look()
  expect(scene.receiver.deliveries).toHaveLength(2)
})

test('D-66 a delivery is sent again when asked, at once and from its first attempt on', async () => {
  const { webhook } = await create()
  await correct()
  const { id } = await until(webhook.id, { state: 'delivered' })
  const again = await call('POST', `/${webhook.id}/deliveries/${id}/redeliver`)
  expect(again).toMatchObject({ status: 202, body: { data: { delivery: { id, state: 'pending', attempts: 0 } } } })
  const [first, second] = await scene.receiver.received(2)
  expect([second?.text, second?.headers['webhook-id']]).toEqual([first?.text, first?.headers['webhook-id']])
  await until(webhook.id, { state: 'delivered', attempts: 1 })
})

test('D-66 sending again while a retry waits takes its place: the old attempt is never made', async () => {
  scene.receiver.answers(500)
  const { webhook } = await create()
  await correct()
  const { id } = await until(webhook.id, { attempts: 1, state: 'pending' })
  scene.receiver.answers(200)
  await call('POST', `/${webhook.id}/deliveries/${id}/redeliver`)
  await until(webhook.id, { state: 'delivered' })
  pass(5)
  await look()
  await correct()
  await scene.receiver.received(3)
  expect(scene.receiver.deliveries.map(({ headers }) => headers['webhook-id'] === id)).toEqual([true, true, false])
})

test('D-66 deleting a webhook ends its retries', async () => {
  scene.receiver.answers(500)
  const gone = await create()
  await correct()
  await until(gone.webhook.id, { attempts: 1 })
  expect((await call('DELETE', `/${gone.webhook.id}`)).body.data).toEqual({ deleted: true })
  pass(5)
  scene.receiver.answers(200)
  const { webhook } = await create()
  await correct()
  await until(webhook.id, { state: 'delivered' })
  expect(scene.receiver.deliveries).toHaveLength(2)
  expect((await call('GET', `/${gone.webhook.id}/deliveries`)).status).toBe(404)
})
