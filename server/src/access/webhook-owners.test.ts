import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBrain, mailedLink, publicUrl, type signUp, type TestBrain } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { callOrganizations, joinOrganization } from '../test/organizations.ts'
import { type Receiver, startReceiver } from '../test/receiver.ts'

// A member sends the events of webhooks that others made to themselves, or learns their secret, and then loses their access (D-13).

const app = useApp()
let owner: TestBrain
let guest: Awaited<ReturnType<typeof signUp>>
let ours: Receiver
let theirs: Receiver
type Webhook = { id: string; path: string; brain: string | null }
/** Each by sort; `turned` has the guest's address, of `rotated` the guest has seen the secret, and `kept` is the owner's alone. */
let webhooks: Record<'turned' | 'rotated' | 'kept', Webhook[]>

const make = async (): Promise<Webhook[]> => {
  const ofBrain = await owner.call('POST', '/webhooks', { url: ours.url, types: ['record.accepted'] })
  const body = { url: ours.url, events: ['knowledge.corrected'] }
  const ofOrganization = await app.request('POST', '/v1/webhooks', { key: owner.key, body })
  const [first, second] = [ofBrain, ofOrganization].map(({ body }) => body.data.webhook.id as string)
  return [
    { id: first ?? '', path: `${owner.path}/webhooks/${first}`, brain: 'brain' },
    { id: second ?? '', path: `/v1/webhooks/${second}`, brain: null },
  ]
}

const change = (path: string, body: object, session = owner.session) =>
  app.request('PATCH', path, { headers: session, body })

beforeEach(async () => {
  owner = await createBrain(app)
  guest = await joinOrganization(app, owner)
  ours = await startReceiver()
  theirs = await startReceiver()
  webhooks = { turned: await make(), rotated: await make(), kept: await make() }
  for (const { path } of webhooks.turned) {
    const turned = await change(path, { url: theirs.url }, guest.session)
    expect(turned.body.data.webhook).toMatchObject({ url: theirs.url, ownerLeft: false })
  }
  for (const { path } of webhooks.rotated)
    expect((await app.request('POST', `${path}/rotate`, { headers: guest.session })).status).toBe(200)
})
afterEach(async () => {
  await ours.close()
  await theirs.close()
})

/** Commits an event of each sort, and waits until the owner's own webhooks have it. */
const happen = async () => {
  const before = ours.deliveries.length
  const { change: made } = (await owner.call('POST', '/records', { kind: 'person', fields: { name: 'Ada' } })).body.data
  await owner.call('POST', `/changes/${made.id}/revert`, { reason: 'wrong' })
  await ours.received(before + 2)
}

const remove = (extra: object = {}) =>
  callOrganizations(app, owner, 'remove-member', {
    ...{ memberIdOrEmail: guest.email, organizationId: owner.organizationId, revokeBrainKeys: true },
    ...extra,
  })

const lastMail = async (email: string): Promise<string> => {
  const { rows } = await app.database.pool.query(
    'select body from mail_outbox where recipient = $1 order by id desc limit 1',
    [email],
  )
  return rows[0].body
}

const toLines = (listed: readonly Webhook[], host: string) =>
  listed.map(({ id, brain }) => `- webhook ${id} of ${brain ? `the Brain ${brain}` : 'the organization'}, to ${host}\n`)

const expectPaused = async (mail: string) => {
  for (const line of toLines(webhooks.turned, new URL(theirs.url).host)) expect(mail).toContain(line)
  for (const line of toLines(webhooks.rotated, new URL(ours.url).host)) expect(mail).toContain(line)
  for (const { id } of webhooks.kept) expect(mail).not.toContain(id)
  await happen()
  expect(theirs.deliveries).toEqual([])
  expect(ours.deliveries).toHaveLength(2)
}

test('D-13 the webhooks of others that a removed member turned or rotated are paused, and named with their hosts', async () => {
  const { status, body } = await remove()
  expect([status, body.revoked.webhooks]).toEqual([200, []])
  const paused = [...webhooks.turned, ...webhooks.rotated].map(({ id, brain }) => [id, brain])
  const named = body.paused.webhooks.map(({ id, brain }: Webhook) => [id, brain])
  expect(named.sort()).toEqual(paused.sort())
  await expectPaused(await lastMail(owner.email))
})

test('D-13 END-01 the same ends when the member deletes their account', async () => {
  const body = { confirm: guest.email, password: 'correct horse battery' }
  const { 'x-organization-id': _organization, ...session } = guest.session
  const deleted = await app.request('DELETE', '/v1/account', { headers: session, body })
  expect([deleted.status, deleted.body.error]).toEqual([200, undefined])
  await expectPaused(await lastMail(owner.email))
})

test('AUT-12 the same ends when someone else had used an account that was never proven', async () => {
  await app.database.pool.query('update "user" set proven_at = null where email = $1', [guest.email])
  const headers = { origin: publicUrl }
  await app.request('POST', '/api/auth/request-password-reset', { headers, body: { email: guest.email } })
  const token = mailedLink(app, guest.email).searchParams.get('token')
  const reset = { token, newPassword: 'chosen by the owner' }
  expect((await app.request('POST', '/api/auth/reset-password', { headers, body: reset })).status).toBe(200)
  await expectPaused(await lastMail(guest.email))
})

test('D-13 a webhook whose owner left goes on once someone sends its address, with the events in between', async () => {
  await remove()
  await happen()
  for (const { path } of [...webhooks.turned, ...webhooks.rotated]) {
    expect((await change(path, { paused: true })).body.data.webhook).toMatchObject({ paused: true, ownerLeft: true })
    expect(await change(path, { paused: false })).toMatchObject({ status: 409, body: { error: { kind: 'conflict' } } })
  }
  expect(theirs.deliveries).toEqual([])
  const again = await startReceiver()
  for (const { path } of webhooks.turned) {
    const resumed = await change(path, { url: again.url, paused: false })
    expect(resumed.body.data.webhook).toMatchObject({ paused: false, ownerLeft: false })
  }
  await again.received(2)
  for (const { path } of webhooks.rotated)
    expect((await change(path, { url: ours.url })).body.data.webhook).toMatchObject({ paused: true, ownerLeft: false })
  for (const { path } of webhooks.rotated)
    expect((await change(path, { paused: false })).body.data.webhook).toMatchObject({ paused: false })
  await ours.received(4)
  await again.close()
})

test('OWH-06 D-66 a webhook of the organization that is paused sends nothing, not what is sent again either, until it is resumed', async () => {
  const path = webhooks.kept[1]?.path ?? ''
  await happen()
  const list = async () => (await app.request('GET', `${path}/deliveries`, { key: owner.key })).body.data.deliveries
  // The outcome is stored after the receiver's answer.
  await expect.poll(async () => (await list())[0]?.state).toBe('delivered')
  const [first] = await list()
  expect((await change(path, { paused: true })).body.data.webhook.paused).toBe(true)
  const again = await app.request('POST', `${path}/deliveries/${first.id}/redeliver`, { key: owner.key })
  expect(again.body.data.delivery).toMatchObject({ state: 'pending', nextAttemptAt: null })
  const before = theirs.deliveries.length
  const { change: made } = (await owner.call('POST', '/records', { kind: 'person', fields: { name: 'Bob' } })).body.data
  await owner.call('POST', `/changes/${made.id}/revert`, { reason: 'wrong' })
  // The webhook that the guest turned gets what this one does not.
  await theirs.received(before + 2)
  const sent = () => ours.deliveries.filter(({ headers }) => headers['webhook-id'] === first.id).length
  expect(sent()).toBe(1)
  expect((await change(path, { paused: false })).body.data.webhook.paused).toBe(false)
  await expect.poll(sent).toBe(2)
})
