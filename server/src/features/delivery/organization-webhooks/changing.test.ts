import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { useOrganization } from './use-organization.fixture.ts'

// Changing a webhook of an organization, and sending earlier deliveries again (D-66).

const { scene, call, create, correct, deliveries, until } = useOrganization()

const listActs = async () => {
  const { body } = await scene.app.request('GET', '/v1/audit?order=desc', { key: scene.brain.key })
  return body.data.entries.map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after }))
}

test('OWH-01 waiting deliveries go to the new URL, and new events follow the changed webhook', async () => {
  scene.receiver.answers(500)
  const { webhook } = await create()
  await correct()
  await until(webhook.id, { attempts: 1 })
  const other = await startReceiver()
  const { status, body } = await call('PATCH', `/${webhook.id}`, { url: other.url, scope: { brain: 'brain' } })
  expect(status).toBe(200)
  expect(body.data.webhook).toEqual({ ...webhook, url: other.url, scope: { brain: 'brain' } })
  const [delivery] = await deliveries(webhook.id)
  await call('POST', `/${webhook.id}/deliveries/${delivery.id}/redeliver`)
  await until(webhook.id, { state: 'delivered' })
  expect(other.deliveries).toHaveLength(1)
  expect(scene.receiver.deliveries).toHaveLength(1)
  const changed = { url: [webhook.url, other.url], scope: [null, { brain: 'brain' }] }
  const [before, after] = [0, 1].map((n) => ({ url: changed.url[n], scope: changed.scope[n] }))
  expect((await listActs())[0]).toEqual({ action: 'webhook.changed', before, after })
  await other.close()
})

test('OWH-01 a change without effect is not logged, and a forbidden one is refused', async () => {
  const { webhook } = await create({ scope: { brain: 'brain' } })
  const acts = await listActs()
  const same = await call('PATCH', `/${webhook.id}`, { url: webhook.url, events: webhook.events })
  expect(same).toMatchObject({ status: 200, body: { data: { webhook } } })
  expect((await call('PATCH', `/${webhook.id}`, { url: 'http://example.com/' })).status).toBe(400)
  expect((await call('PATCH', `/${webhook.id}`, { events: [] })).status).toBe(400)
  for (const scope of [{ brain: 'nobodys' }, { agentId: 'agt_1' }])
    expect((await call('PATCH', `/${webhook.id}`, { scope })).status).toBe(404)
  expect(await listActs()).toEqual(acts)
  const whole = await call('PATCH', `/${webhook.id}`, { scope: null, events: ['run.failed', 'run.failed'] })
  expect(whole.body.data.webhook).toMatchObject({ scope: null, events: ['run.failed'] })
})

test('OWH-05 D-66 a delivery is sent again with all later ones, or those of them that failed', async () => {
  const { webhook } = await create()
  for (let n = 0; n < 3; n++) await correct()
  await scene.receiver.received(3)
  const settled = async () =>
    (await deliveries(webhook.id)).filter(({ state }: { state: string }) => state !== 'pending')
  await expect.poll(async () => (await settled()).length).toBe(3)
  const [first, second, third] = await deliveries(webhook.id)
  const rewind = async (body: object) => {
    const answer = await call('POST', `/${webhook.id}/rewind`, body)
    expect(answer.status).toBe(202)
    return answer.body.data
  }
  expect(await rewind({ from: second.id })).toEqual({ count: 2, next: null })
  const sent = await scene.receiver.received(5)
  const again = sent.slice(3).map(({ headers }) => headers['webhook-id'])
  expect(again.toSorted()).toEqual([second.id, third.id])
  await expect.poll(async () => (await settled()).length).toBe(3)
  expect(await rewind({ from: first.id, failed: true })).toEqual({ count: 0, next: null })
  await scene.app.database.pool.query(`update organization_deliveries set state = 'failed' where id = $1`, [second.id])
  expect(await rewind({ from: first.id, failed: true })).toEqual({ count: 1, next: null })
  expect((await scene.receiver.received(6)).at(-1)?.headers['webhook-id']).toBe(second.id)
  await expect.poll(async () => (await settled()).length).toBe(3)
  const unknown = await call('POST', `/${webhook.id}/rewind`, { from: 'a' })
  expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining('no delivery "a"')])
  expect(await settled()).toHaveLength(3)
  const rewound = (await listActs()).filter(({ action }: { action: string }) => action === 'webhook.rewound')
  expect(rewound.map(({ after }: { after: unknown }) => after)).toEqual([
    { from: first.id, failed: true, count: 1 },
    { from: second.id, failed: false, count: 2 },
  ])
})

test('OWH-05 D-66 a rewind sends a thousand deliveries at a time, and its answer says where to go on', async () => {
  const { webhook } = await create({ events: ['run.failed'] })
  await scene.app.database.pool.query(
    `insert into organization_deliveries (id, webhook_id, event, body, state, created_at)
     select $2::text || lpad(n::text, 6, '0'), $1, 'run.failed', '{}', 'failed', now() - interval '1 hour'
     from generate_series(1, 2200) as n`,
    [webhook.id, `dlv_${webhook.id}`],
  )
  const counts: number[] = []
  for (let from: string | null = `dlv_${webhook.id}000001`; from !== null; ) {
    const { body } = await call('POST', `/${webhook.id}/rewind`, { from })
    counts.push(body.data.count)
    from = body.data.next
  }
  expect(counts).toEqual([1000, 1000, 200])
  await call('DELETE', `/${webhook.id}`)
})

test('OWH-01 a webhook of another organization can be neither changed nor rewound', async () => {
  const { webhook } = await create()
  const stranger = await createMember(scene.app)
  const { key } = await addBrain(scene.app, stranger, 'theirs')
  for (const [method, below, body] of [
    ['PATCH', '', { events: ['run.failed'] }],
    ['POST', '/rewind', { from: 'dlv_' }],
  ] as const)
    expect(await scene.app.request(method, `/v1/webhooks/${webhook.id}${below}`, { key, body })).toMatchObject({
      status: 404,
    })
})
