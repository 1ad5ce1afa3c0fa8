import { expect, test } from 'vitest'
import { addBrain, createBrain, createMember, startTestApp } from '../../../test/app.ts'
import { isSignedBy } from '../../../test/receiver.ts'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, call, create, correct, until } = useOrganization()

test('OWH-01 a registration answers its secret once, and no list shows it', async () => {
  const { webhook, secret } = await create({ scope: { brain: 'brain' } })
  expect(webhook).toEqual({
    ...{ id: expect.stringMatching(/^whk_/), url: scene.receiver.url, events: ['knowledge.corrected'] },
    ...{ scope: { brain: 'brain' }, createdByKeyId: scene.brain.keyId, nextSecretFrom: null },
    ...{ paused: false, ownerLeft: false },
    createdAt: expect.any(String),
  })
  expect(secret).toMatch(/^whsec_/)
  const listed = await call('GET')
  expect(listed.body.data).toMatchObject({ webhooks: [webhook], hasMore: false })
  expect(JSON.stringify(listed.body)).not.toContain(secret)
  const { rows } = await scene.app.database.pool.query('select * from organization_webhooks')
  expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
})

test.each([
  ['plain HTTP on a public host', { url: 'http://example.com/' }, 'body.url'],
  ['a private address', { url: 'https://10.0.0.1/' }, 'body.url'],
  ['no URL at all', { url: 'nothing' }, 'body.url'],
  ['no events', { events: [] }, 'body.events'],
  ['an unknown event', { events: ['knowledge.eaten'] }, 'knowledge.corrected'],
  ['two scopes at once', { scope: { agentId: 'agt_1', brain: 'brain' } }, 'body.scope'],
  ['an unknown scope', { scope: { projectId: 'prj_1' } }, 'body.scope'],
  ['a Brain that no handle names', { scope: { brain: 'NO' } }, 'body.scope'],
])('OWH-01 %s is refused with what to do', async (_case, given, says) => {
  const body = { url: scene.receiver.url, events: ['knowledge.corrected'], ...given }
  const refused = await call('POST', '', body)
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  expect(JSON.stringify(refused.body)).toContain(says)
  expect((await call('GET')).body.data.webhooks).toEqual([])
})

test('OWH-01 D-66 a scope that names no agent or Brain of the organization is 404', async () => {
  await addBrain(scene.app, await createMember(scene.app), 'theirs')
  await addBrain(scene.app, scene.brain, 'gone')
  await scene.app.request('DELETE', '/v1/brains/gone', { key: scene.brain.key })
  for (const scope of [{ brain: 'theirs' }, { brain: 'gone' }, { brain: 'nobodys' }, { agentId: 'agt_1' }]) {
    const body = { url: scene.receiver.url, events: ['knowledge.corrected'], scope }
    expect(await call('POST', '', body)).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
  }
  expect((await call('GET')).body.data.webhooks).toEqual([])
})

test('OWH-01 events that are named twice are kept once', async () => {
  const { webhook } = await create({ events: ['run.failed', 'knowledge.corrected', 'run.failed'] })
  expect(webhook.events).toEqual(['run.failed', 'knowledge.corrected'])
})

test('OWH-01 an organization has at most 100 webhooks, also when they are made at once', async () => {
  const body = { url: scene.receiver.url, events: ['run.failed'] }
  const made = await Promise.all(Array.from({ length: 103 }, () => call('POST', '', body)))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(100)
  const refused = made.filter(({ status }) => status !== 201)
  expect(refused.map(({ body: { error } }) => error.code)).toEqual(Array(3).fill('too_many_webhooks'))
})

test('D-66 lists come in pages, and one list’s cursor is no other’s', async () => {
  const ids = []
  for (let n = 0; n < 3; n++) ids.push((await create()).webhook.id)
  const page = (await call('GET', '?limit=2')).body.data
  const rest = (await call('GET', `?after=${page.cursor}`)).body.data
  const seen = [...page.webhooks, ...rest.webhooks].map(({ id }: { id: string }) => id)
  expect([seen, page.hasMore, rest.hasMore]).toEqual([ids, true, false])
  expect((await call('GET', `/${ids[0]}/deliveries?after=${page.cursor}`)).status).toBe(400)
  for (let n = 0; n < 2; n++) await correct()
  await until(ids[0], { state: 'delivered' })
  const newest = (await call('GET', `/${ids[0]}/deliveries?limit=1`)).body.data
  expect(newest.deliveries).toHaveLength(1)
})

test('D-66 another organization sees none of it', async () => {
  const { webhook } = await create()
  const stranger = await createMember(scene.app)
  for (const [method, below] of [
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/rotate'],
    ['GET', '/deliveries'],
    ['POST', '/deliveries/dlv_1/redeliver'],
  ] as const) {
    const answer = await scene.app.request(method, `/v1/webhooks/${webhook.id}${below}`, { key: stranger.key })
    expect(answer).toMatchObject({ status: 404, body: { error: { kind: 'not_found' } } })
  }
  const listed = await scene.app.request('GET', '/v1/webhooks', { key: stranger.key })
  expect(listed.body.data.webhooks).toEqual([])
})

test('D-01 D-66 a test sends a signed delivery at once and returns the outcome', async () => {
  const { webhook, secret } = await create()
  const tested = (await call('POST', `/${webhook.id}/test`)).body.data
  expect(tested).toMatchObject({ delivered: true, status: 204, error: null })
  const [delivery] = scene.receiver.deliveries
  expect(delivery?.body).toMatchObject({ event: 'webhook.test', data: { webhook: webhook.id } })
  expect(delivery && isSignedBy(delivery, secret)).toBe(true)
  expect(delivery?.headers['webhook-id']).toMatch(/^dlv_/)
  scene.receiver.answers(500)
  expect((await call('POST', `/${webhook.id}/test`)).body.data).toMatchObject({ delivered: false, status: 500 })
})

test('D-66 a rotation signs with both secrets for 24 hours, then with the new one alone', async () => {
  const { webhook, secret } = await create()
  const rotated = (await call('POST', `/${webhook.id}/rotate`)).body.data
  expect(rotated.webhook.nextSecretFrom).toEqual(expect.any(String))
  expect((await call('POST', `/${webhook.id}/rotate`)).status).toBe(409)
  await call('POST', `/${webhook.id}/test`)
  const [during] = scene.receiver.deliveries
  expect(during && isSignedBy(during, secret)).toBe(true)
  expect(during?.headers['x-service-signature-next']).toEqual(expect.any(String))
  scene.app.clock.advance({ days: 1, seconds: 1 })
  await call('POST', `/${webhook.id}/test`)
  const after = scene.receiver.deliveries[1]
  expect(after && isSignedBy(after, rotated.secret)).toBe(true)
  expect(after?.headers['x-service-signature-next']).toBeUndefined()
  expect((await call('GET')).body.data.webhooks[0].nextSecretFrom).toBeNull()
})

test('WHK-01 OWH-01 the numbers of webhooks of a Brain and of an organization are settings', async () => {
  const app = await startTestApp({ NOEMA_MAX_BRAIN_WEBHOOKS: '2', NOEMA_MAX_ORGANIZATION_WEBHOOKS: '1' })
  const brain = await createBrain(app)
  const { url } = scene.receiver
  const ofBrain = await Promise.all([1, 2, 3].map(() => brain.call('POST', '/webhooks', { url })))
  expect(ofBrain.map(({ status }) => status).sort()).toEqual([201, 201, 409])
  const body = { url, events: ['run.failed'] }
  const ofOrganization = await Promise.all(
    [1, 2].map(() => app.request('POST', '/v1/webhooks', { key: brain.key, body })),
  )
  expect(ofOrganization.map(({ status }) => status).sort()).toEqual([201, 409])
  await app.close()
})
