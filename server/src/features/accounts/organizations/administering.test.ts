import { expect, test } from 'vitest'
import { createMember, signUp } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'

// The operator's view of organizations and of mail.

const app = useOwnApp()
const brain = useBrain(app)

const administer = (path: string) => app.request('GET', `/v1/admin/${path}`, { key: brain.key })

test('ADM-05 the operator lists every organization with its tier, owners and how much it has, in pages and by owner', async () => {
  const [one, two] = [await createMember(app), await createMember(app)]
  const { organizations } = (await administer('organizations?limit=500')).body.data
  const ids = organizations.map(({ id }: { id: string }) => id)
  expect(ids).toEqual([brain.organizationId, one.organizationId, two.organizationId].sort())
  const mine = organizations.find(({ id }: { id: string }) => id === brain.organizationId)
  expect(mine).toMatchObject({ tier: 'free', members: 1, brains: 1, owners: [{ email: brain.email }] })
  const owned = (await administer(`organizations?owner=${encodeURIComponent(one.email.toUpperCase())}`)).body.data
  expect(owned.organizations.map(({ id }: { id: string }) => id)).toEqual([one.organizationId])
  const first = (await administer('organizations?limit=2')).body.data
  expect(first).toMatchObject({ hasMore: true })
  const rest = (await administer(`organizations?limit=2&after=${first.cursor}`)).body.data
  expect([...first.organizations, ...rest.organizations]).toEqual(organizations)
})

test('D-12 without a mail server the operator reads emails; with one, their text is hidden', async () => {
  const { email } = await signUp(app)
  const newest = async (request = app.request) =>
    (await request('GET', '/v1/admin/mail?order=desc&limit=1', { key: brain.key })).body.data.mail[0]
  expect(await newest()).toMatchObject({
    ...{ to: email, subject: 'Confirm your address', state: 'stored', attempts: 0, lastError: null, sentAt: null },
    text: expect.stringContaining('/api/auth/verify-email?token='),
  })
  const node = await app.startNode({ NOEMA_SMTP_URL: 'smtp://127.0.0.1:9' })
  const shown = await newest(node.request)
  await node.close()
  expect(shown).toMatchObject({ to: email, text: null, state: 'failed' })
})

test('ADM-05 organizations are found by id, by a part of name, slug or address, by tier and by state', async () => {
  const member = await createMember(app)
  const list = async (query: string): Promise<string[]> =>
    (await administer(`organizations?limit=500&${query}`)).body.data.organizations.map(({ id }: { id: string }) => id)
  const { organization } = (await administer(`organizations/${member.organizationId}`)).body.data
  for (const q of [member.organizationId, organization.slug, member.email.toUpperCase()])
    expect(await list(`q=${encodeURIComponent(q)}`), q).toEqual([member.organizationId])
  expect(await list('q=SOMEBO')).toContain(member.organizationId)
  expect(await list('q=%25')).toEqual([])
  expect(await list('tier=enterprise')).toEqual([])
  await app.request('PUT', '/v1/admin/billing-tier', {
    key: brain.key,
    body: { tenantId: member.organizationId, tier: 'enterprise' },
  })
  expect(await list('tier=enterprise')).toEqual([member.organizationId])
  await app.request('DELETE', '/v1/organization', { headers: member.session, body: { confirm: organization.slug } })
  expect(await list('tier=enterprise')).toEqual([])
  expect(await list('state=ended')).toEqual([member.organizationId])
  expect((await administer('organizations?state=lost')).status).toBe(400)
})

test('ADM-08 one organization is read with its members, its caps and their use, over all organizations of its owner', async () => {
  const { body } = await administer(`organizations/${brain.organizationId}`)
  await brain.call('POST', '/records', { kind: 'note' })
  const after = (await administer(`organizations/${brain.organizationId}`)).body.data
  expect(after).toMatchObject({
    organization: { id: brain.organizationId, state: 'active', slug: expect.any(String) },
    members: [{ email: brain.email, role: 'owner', emailVerified: true }],
    ...{ caps: 'free', countedTogether: 1, protected: true },
    use: { brains: { used: 1, max: 1000 }, dailyRuns: { used: 0, max: 10_000 } },
  })
  expect(after.use.dailyWrites.used).toBe(body.data.use.dailyWrites.used + 1)
  const unverified = await createMember(app, { verified: false })
  const other = (await administer(`organizations/${unverified.organizationId}`)).body.data
  expect(other).toMatchObject({ caps: 'unverified', protected: false })
  expect((await administer('organizations/nobody')).status).toBe(404)
})

test('ADM-09 the tiers are returned with their limits, and the ones of new accounts', async () => {
  const { tiers } = (await administer('tiers')).body.data
  expect(tiers.map(({ tier, isDefault }: { tier: string; isDefault: boolean }) => [tier, isDefault])).toEqual([
    ...[
      ['unverified', false],
      ['free', true],
      ['business', false],
      ['enterprise', false],
      ['staff', false],
    ],
  ])
  expect(tiers[1]).toMatchObject({ brains: 1000, dailyWrites: 1_000_000, rate: { perSecond: expect.any(Number) } })
  expect(tiers[4]).toMatchObject({ brains: null, dailyWrites: null, rate: null })
})

test('ADM-10 an email that was given up is tried once more while its text is useful, or logged again without a mail server', async () => {
  const { email } = await signUp(app)
  const find = async (request = app.request, query = '') =>
    (await request('GET', `/v1/admin/mail?order=desc&limit=500${query}`, { key: brain.key })).body.data.mail.find(
      ({ to }: { to: string }) => to === email,
    )
  const { id } = await find()
  const retry = (request = app.request) => request('POST', `/v1/admin/mail/${id}/retry`, { key: brain.key })
  const before = app.logLines.length
  expect(await retry()).toMatchObject({ status: 200, body: { data: { mail: { id, state: 'stored' } } } })
  expect(app.logLines.slice(before).join()).toContain('/api/auth/verify-email?token=')
  const node = await app.startNode({ NOEMA_SMTP_URL: 'smtp://127.0.0.1:9' })
  expect(await find(node.request, '&state=failed')).toMatchObject({ id, nextAttemptAt: null })
  expect(await retry(node.request)).toMatchObject({
    status: 200,
    body: { data: { mail: { id, state: 'pending', nextAttemptAt: expect.any(String), text: null } } },
  })
  expect(await retry(node.request)).toMatchObject({ status: 409, body: { error: { code: 'mail_not_retried' } } })
  expect(await find(node.request, '&state=failed')).toBeUndefined()
  await app.database.pool.query(`update mail_outbox set next_attempt_at = null, body = '' where id = $1`, [id])
  expect(await retry(node.request)).toMatchObject({ status: 409, body: { error: { code: 'mail_not_retried' } } })
  expect((await node.request('POST', '/v1/admin/mail/msg_none/retry', { key: brain.key })).status).toBe(404)
  await node.close()
})
