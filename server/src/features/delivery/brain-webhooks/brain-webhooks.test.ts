import { eventTypes } from '@noema/contracts/event-types.ts'
import { webhook, webhookProgress } from '@noema/contracts/webhooks.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { isSignedBy, type Receiver, startReceiver } from '../../../test/receiver.ts'

const app = useApp()
const member = useMember(app)
let brain: TestBrain
let receiver: Receiver
let made = 0
beforeEach(async () => {
  brain = await addBrain(app, member, `brain-${++made}`)
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const create = (body: object = {}, key = brain.key) =>
  brain.call('POST', '/webhooks', { url: receiver.url, ...body }, { key })
const list = async () => (await brain.call('GET', '/webhooks')).body.data.webhooks

test('WHK-03 creation answers the webhook and its secret, and the list has its progress and never the secret', async () => {
  const { status, body } = await create({ types: ['record.accepted', 'record.deleted'] })
  expect(status).toBe(201)
  expect(body.data).toEqual({
    webhook: {
      id: expect.stringMatching(/^whk_/),
      url: receiver.url,
      types: ['record.accepted', 'record.deleted'],
      createdAt: expect.any(String),
      createdByKeyId: brain.keyId,
      pending: false,
    },
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  })
  expect(webhook.strict().safeParse(body.data.webhook).success).toBe(true)
  const listed = await list()
  expect(listed).toEqual([
    {
      ...body.data.webhook,
      ...{
        lastCursor: null,
        lastFailure: null,
        behind: 0,
        attempts: 0,
        nextAttemptAt: null,
        failingSince: null,
        paused: false,
        ownerLeft: false,
      },
      nextSecretFrom: null,
    },
  ])
  expect(webhookProgress.strict().safeParse(listed[0]).success).toBe(true)
  expect(JSON.stringify(listed)).not.toContain(body.data.secret.slice(8))
})

test('D-65 no column of the database has a signing secret in plain text', async () => {
  const { secret } = (await create()).body.data
  const { rows } = await app.database.pool.query('select secret from brain_webhooks')
  for (const { secret: encrypted } of rows) {
    expect(encrypted.toString('latin1')).not.toContain(secret)
    expect(encrypted.toString('latin1')).not.toContain(Buffer.from(secret.slice(6), 'base64').toString('latin1'))
  }
})

test('WHK-03 without types a webhook takes every type', async () => {
  expect((await create()).body.data.webhook.types).toEqual(eventTypes)
})

test('WHK-01 listing and deleting need admin; creating, and all that reveals deliveries, admin and read', async () => {
  const { id } = (await create()).body.data.webhook
  const admin = await brain.mintKey(['admin'])
  const reader = await brain.mintKey(['read', 'write', 'review'])
  const both = await brain.mintKey(['admin', 'read'])
  expect((await create({}, admin)).status).toBe(403)
  expect((await create({}, reader)).status).toBe(403)
  expect((await create({}, both)).status).toBe(201)
  const calls: [string, string, string][] = [
    ['GET', '/webhooks', admin],
    ['GET', `/webhooks/${id}/deliveries`, both],
    ['POST', `/webhooks/${id}/test`, both],
    ['POST', `/webhooks/${id}/rotate`, both],
    ['DELETE', `/webhooks/${id}`, admin],
  ]
  for (const [method, path, key] of calls) {
    expect((await brain.call(method, path, undefined, { key: reader })).status).toBe(403)
    if (key !== admin) expect((await brain.call(method, path, undefined, { key: admin })).status).toBe(403)
    expect((await brain.call(method, path, undefined, { key })).status).toBe(200)
  }
})

test('WHK-01 of forty creations at once 25 succeed', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => create()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(25)
  for (const { body } of answers.filter(({ status }) => status !== 201))
    expect(body.error).toMatchObject({ kind: 'conflict', code: 'too_many_webhooks' })
  const [first] = await list()
  await brain.call('DELETE', `/webhooks/${first.id}`)
  expect((await create()).status).toBe(201)
})

test.each([
  'http://hooks.noema.dev/',
  'https://localhost/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://2130706434/',
  'https://user:secret@1.1.1.1/',
  'https://metadata.google.internal/',
  'not a url',
  '',
])('WHK-02 D-67 the URL %j is refused with the reason', async (url) => {
  const { status, body } = await create({ url })
  expect([status, body.error.kind]).toEqual([400, 'validation'])
  expect(body.error.details[0].path).toBe('body.url')
  expect(await list()).toEqual([])
})

test('EVT-05 an unknown type, no type, and a cursor of another Brain are 400', async () => {
  const other = await addBrain(app, member, `brain-${++made}`)
  await other.call('PUT', '/records/a', { kind: 'k' })
  const { cursor } = (await other.call('GET', '/events')).body.data
  for (const body of [
    { types: ['record.renamed'] },
    { types: [] },
    { types: 'record.accepted' },
    { after: cursor },
    { after: 'x' },
  ])
    expect(await create(body)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
  const { body } = await create({ types: ['record.renamed'] })
  expect(body.error.message).toContain('record.renamed')
})

test('SUR-11 a webhook is reached through its own Brain alone, and unknown ones are 404', async () => {
  const { id } = (await create()).body.data.webhook
  const other = await addBrain(app, member, `brain-${++made}`)
  const stranger = await createMember(app)
  const calls: [string, string, object?][] = [
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/rotate'],
    ['GET', '/deliveries'],
  ]
  for (const [method, below, body] of calls) {
    expect((await other.call(method, `/webhooks/${id}${below}`, body)).status).toBe(404)
    expect((await brain.call(method, `/webhooks/${id}${below}`, body, { key: stranger.key })).status).toBe(404)
    expect((await brain.call(method, `/webhooks/whk_nothing${below}`, body)).status).toBe(404)
  }
  expect(await list()).toHaveLength(1)
})

test('D-65 a test delivery is signed, returns the outcome, and moves nothing', async () => {
  const { webhook: made, secret } = (await create()).body.data
  const { body } = await brain.call('POST', `/webhooks/${made.id}/test`)
  expect(body.data).toEqual({ delivered: true, status: 204, error: null, answer: '', milliseconds: expect.any(Number) })
  const [delivery] = receiver.deliveries
  if (!delivery) throw new Error('nothing came')
  expect(isSignedBy(delivery, secret)).toBe(true)
  expect(delivery.body).toEqual({
    webhook: made.id,
    previousCursor: null,
    event: {
      cursor: expect.any(String),
      type: 'webhook.test',
      occurredAt: expect.any(String),
      data: { webhook: made.id },
    },
  })
  receiver.answers(500)
  expect((await brain.call('POST', `/webhooks/${made.id}/test`)).body.data).toMatchObject({
    delivered: false,
    status: 500,
    answer: 'thanks',
  })
  await receiver.close()
  expect((await brain.call('POST', `/webhooks/${made.id}/test`)).body.data).toMatchObject({
    delivered: false,
    status: null,
    error: expect.any(String),
  })
  expect(await list()).toMatchObject([{ lastCursor: null, lastFailure: null, pending: false }])
})
