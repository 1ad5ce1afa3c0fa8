import { expect, test } from 'vitest'
import { createMember, publicUrl, signUp } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

// The decisions of administrators about requests for access, and the sign-up of approved people.

const app = useOwnApp()
const admin = useMember(app)

const administer = (method: string, path: string, body?: object) =>
  app.request(method, `/v1/admin/${path}`, { key: admin.key, ...(body && { body }) })

const list = async (query = '') =>
  (await administer('GET', `access-requests?order=desc&limit=500${query}`)).body.data.requests

const ask = async (email: string, message?: string) => {
  await app.request('POST', '/v1/access-requests', { body: { email, ...(message && { message }) } })
  return (await list()).find((one: { email: string }) => one.email === email)
}

const lastMail = async (to: string) => {
  const { rows } = await app.database.pool.query(
    'select subject, body from mail_outbox where recipient = $1 order by id desc limit 1',
    [to],
  )
  return rows[0]
}

const readTier = async (email: string) => {
  const { rows } = await app.database.pool.query(
    `select tier from organization join "user" on "user".id = personal_of where email = $1`,
    [email],
  )
  return rows[0]?.tier
}

test('ADM-07 an approved request emails a link whose code gives the tier to the person who signs up with it, once', async () => {
  const asked = await ask('ada@example.com', 'Please.')
  expect(asked).toMatchObject({ state: 'waiting', message: 'Please.', code: null, account: null, decidedAt: null })
  const { status, body } = await administer('POST', `access-requests/${asked.id}/approve`, { tier: 'enterprise' })
  expect(status).toBe(200)
  expect(body.data.request).toMatchObject({
    ...{ state: 'approved', tier: 'enterprise', decidedBy: expect.any(String), decidedAt: expect.any(String) },
    code: { usesLeft: 1, expiresAt: expect.any(String) },
  })
  const { body: text } = await lastMail('ada@example.com')
  const link = new URL(/\S+\/sign-up\S+/.exec(text)?.[0] ?? '')
  expect(link.origin).toBe(publicUrl)
  expect(Object.fromEntries(link.searchParams)).toEqual({
    code: body.data.request.code.code,
    email: 'ada@example.com',
  })
  const signUpWith = (email: string) =>
    app.request('POST', '/api/auth/sign-up/email', {
      headers: { origin: publicUrl },
      body: { email, password: 'correct horse battery', name: 'Ada', inviteCode: link.searchParams.get('code') },
    })
  expect((await signUpWith('ada@example.com')).status).toBe(200)
  expect((await signUpWith('other@example.com')).status).toBe(200)
  expect([await readTier('ada@example.com'), await readTier('other@example.com')]).toEqual(['enterprise', 'free'])
  const [now] = (await list('&state=approved')).filter(({ id }: { id: string }) => id === asked.id)
  expect(now).toMatchObject({ code: { usesLeft: 0 }, account: { organization: { tier: 'enterprise' } } })
})

test('ADM-07 a refused request keeps its reason and emails it, unless the notification is turned off', async () => {
  const reported = await ask('reported@example.com')
  const refused = await administer('POST', `access-requests/${reported.id}/refuse`, { reason: ' We are full. ' })
  expect(refused.body.data.request).toMatchObject({ state: 'refused', reason: 'We are full.', tier: null, code: null })
  expect((await lastMail('reported@example.com')).body).toContain('We are full.')
  const quiet = await ask('quiet@example.com')
  await administer('POST', `access-requests/${quiet.id}/refuse`, { reason: 'Noise.', mail: false })
  expect(await lastMail('quiet@example.com')).toBeUndefined()
  expect((await administer('POST', `access-requests/${quiet.id}/refuse`, { reason: '  ' })).status).toBe(400)
})

test('ADM-07 a decision is for every request of its address that waits, and is made once, also of two at once', async () => {
  await ask('many@example.com', 'First.')
  const second = await ask('many@example.com', 'Second.')
  const decide = () => administer('POST', `access-requests/${second.id}/approve`)
  const answers = await Promise.all([decide(), decide(), decide()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('already_decided')
  const mine = (await list()).filter(({ email }: { email: string }) => email === 'many@example.com')
  expect(mine.map(({ state, tier }: { state: string; tier: string }) => [state, tier])).toEqual([
    ['approved', 'business'],
    ['approved', 'business'],
  ])
  const { rows } = await app.database.pool.query(`select from invitation_codes where label = 'many@example.com'`)
  expect(rows).toHaveLength(1)
  expect((await administer('POST', 'access-requests/evt_none/approve')).status).toBe(404)
})

test('ADM-07 an account that has the address already gets the tier itself, with an entry in its audit log', async () => {
  const member = await createMember(app)
  const asked = await ask(member.email)
  expect(asked.account).toMatchObject({ organization: { id: member.organizationId, tier: 'free' } })
  const { body } = await administer('POST', `access-requests/${asked.id}/approve`, { tier: 'business' })
  expect(body.data.request).toMatchObject({ code: null, account: { organization: { tier: 'business' } } })
  expect(await readTier(member.email)).toBe('business')
  const audit = await app.request('GET', '/v1/audit?action=tier.set', { key: member.key })
  expect(audit.body.data.entries).toHaveLength(1)
  expect((await lastMail(member.email)).body).toContain('/sign-in')
})

test('ADM-07 requests are listed by state, and a sign-up is none', async () => {
  await signUp(app, 'plain@example.com')
  const asked = await ask('listed@example.com')
  const waiting = await list('&state=waiting')
  expect(waiting[0].id).toBe(asked.id)
  expect(waiting.every(({ state }: { state: string }) => state === 'waiting')).toBe(true)
  expect((await list('&state=refused')).map(({ id }: { id: string }) => id)).not.toContain(asked.id)
  expect((await administer('GET', 'access-requests?state=lost')).status).toBe(400)
})
