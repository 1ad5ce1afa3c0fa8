import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember, publicUrl, signUp, type TestApp } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

// The administrators' endpoints over HTTP: requests for access, invitation codes, tiers, and their notifications.

/** A mail server that takes every message, or none. */
const mailServer = { isOpen: true, received: [] as string[], refused: 0, port: 0 }
const smtp = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  logger: false,
  onData(stream, session, done) {
    stream.resume()
    stream.on('end', () => {
      if (!mailServer.isOpen) {
        mailServer.refused++
        return done(new Error('not now'))
      }
      mailServer.received.push(...session.envelope.rcptTo.map(({ address }) => address))
      done()
    })
  },
})

const app = useOwnApp()
const admin = useMember(app)

beforeAll(async () => {
  app.clock.hold()
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const address = smtp.server.address()
  mailServer.port = typeof address === 'object' ? (address?.port ?? 0) : 0
})
afterAll(() => new Promise<void>((resolve) => void smtp.close(() => resolve())))

type Body = Record<string, unknown>
const ask = (body: unknown, { request }: Pick<TestApp, 'request'> = app) =>
  request('POST', '/v1/access-requests', { body })
const administer = (method: string, path: string, body?: Body) =>
  app.request(method, `/v1/admin/${path}`, { key: admin.key, ...(body === undefined ? {} : { body }) })
const listEvents = async (query = ''): Promise<Body[]> => (await administer('GET', `events${query}`)).body.data.events
const makeCode = async (body: Body) => (await administer('POST', 'invitation-codes', body)).body.data.code
const findCode = async (code: string) =>
  (await administer('GET', 'invitation-codes')).body.data.codes.find((one: Body) => one.code === code)

const signUpWith = (email: string, inviteCode: unknown) =>
  app.request('POST', '/api/auth/sign-up/email', {
    headers: { origin: publicUrl },
    body: { email, password: 'correct horse battery', name: 'Somebody', inviteCode },
  })

const readTier = async (email: string): Promise<string | undefined> => {
  const { rows } = await app.database.pool.query(
    `select tier from organization join member on "organizationId" = organization.id
     join "user" on "user".id = "userId" where email = $1`,
    [email],
  )
  return rows[0]?.tier
}

test('ADM-01 anyone asks for access; the administrators read it, and the answer is 201 with submitted true', async () => {
  const answer = await ask({ email: 'ada@example.com', message: 'Please let me in.' })
  expect(answer).toMatchObject({ status: 201, body: { data: { submitted: true } } })
  const [event] = await listEvents('?kind=access_request')
  expect(event).toEqual({
    id: expect.stringMatching(/^evt_/),
    kind: 'access_request',
    summary: 'ada@example.com asks for access',
    detail: { kind: 'access_request', email: 'ada@example.com', message: 'Please let me in.' },
    notificationType: 'email',
    notificationSent: false,
    createdAt: app.clock.now().toISOString(),
  })
})

test.each([
  [{}, 'email'],
  [{ email: 'nobody' }, 'email'],
  [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
  [{ email: 'a@example.com', message: 'x'.repeat(2001) }, 'message'],
  [{ email: 'a@example.com', message: 7 }, 'message'],
])('ADM-01 a request for access %j is 400 and names %s', async (body, path) => {
  const answer = await ask(body)
  expect(answer.status).toBe(400)
  expect(answer.body.error.details[0].path).toBe(`body.${path}`)
})

test('ADM-01 the message may have 2000 characters, and the same address fills no list: five requests of a day are kept', async () => {
  const email = 'Many@example.com'
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      ask({ email: n % 2 ? email : email.toLowerCase(), message: 'x'.repeat(2000) }),
    ),
  )
  expect(answers.map(({ status, body }) => [status, body.data.submitted])).toEqual(answers.map(() => [201, true]))
  const kept = (await listEvents('?kind=access_request&limit=200')).filter(({ summary }) =>
    /many@/i.test(String(summary)),
  )
  expect(kept).toHaveLength(5)
})

test('ADM-02 the tier of an organization counts from its next request on; an unknown one is 404, an unknown tier 400', async () => {
  const member = await createMember(app)
  const set = (tier: string, tenantId = member.organizationId) => administer('PUT', 'billing-tier', { tenantId, tier })
  for (const tier of ['business', 'enterprise', 'staff', 'free']) {
    expect(await set(tier)).toMatchObject({ status: 200, body: { data: { tenantId: member.organizationId, tier } } })
    expect(await readTier(member.email)).toBe(tier)
  }
  expect((await set('business', 'nobody')).status).toBe(404)
  expect((await set('gold')).status).toBe(400)
  expect((await set('free', '')).status).toBe(400)
})

test('ADM-03 a code is made, listed with every field and deleted; a second one of its name is 409, an unknown one 404', async () => {
  const given = { code: 'SPRING 27/ü', label: 'Spring', maxUses: 3, expiresAt: '2027-03-01T12:00:00Z' }
  const made = await administer('POST', 'invitation-codes', given)
  expect(made.status).toBe(201)
  const now = app.clock.now().toISOString()
  const code = {
    ...given,
    id: expect.stringMatching(/^inv_/),
    tier: 'business',
    useCount: 0,
    expiresAt: '2027-03-01T12:00:00.000Z',
    createdBy: expect.any(String),
    ...{ createdAt: now, updatedAt: now },
  }
  expect(made.body.data.code).toEqual(code)
  expect(await findCode(given.code)).toEqual(code)
  const plain = await makeCode({ code: 'plain' })
  expect(plain).toMatchObject({ label: null, maxUses: null, expiresAt: null })
  expect((await administer('POST', 'invitation-codes', { code: 'plain' })).status).toBe(409)
  const path = `invitation-codes/${encodeURIComponent(given.code)}`
  expect(await administer('DELETE', path)).toMatchObject({ status: 200, body: { data: { deleted: true } } })
  expect((await administer('DELETE', path)).status).toBe(404)
  expect(await findCode(given.code)).toBeUndefined()
})

test.each([
  { code: '' },
  { code: 'x'.repeat(101) },
  { code: 'a\u0000b' },
  { code: 'ok', label: 'x'.repeat(201) },
  { code: 'ok', maxUses: 0 },
  { code: 'ok', maxUses: 1.5 },
  { code: 'ok', expiresAt: '2027-03-01T12:00:00+00:00' },
  { code: 'ok', expiresAt: '2027-03-01' },
  { code: 'ok', tier: 'gold' },
])('ADM-03 the code %j is 400', async (body) => {
  expect((await administer('POST', 'invitation-codes', body)).status).toBe(400)
})

test('ADM-03 the list of codes takes no query', async () => {
  expect((await administer('GET', 'invitation-codes?limit=5')).status).toBe(400)
})

test('ADM-03 a code is deleted by 1 to 100 characters: more are 400', async () => {
  expect((await administer('DELETE', `invitation-codes/${'z'.repeat(100)}`)).status).toBe(404)
  const refused = await administer('DELETE', `invitation-codes/${'z'.repeat(101)}`)
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'path.code'])
})

test('D-19 a code gives its tier at sign-up; an unknown, spent, expired or malformed one keeps no one out', async () => {
  await makeCode({ code: 'company', tier: 'enterprise', maxUses: 1 })
  await makeCode({ code: 'usual' })
  await makeCode({ code: 'over', expiresAt: new Date(app.clock.now().getTime() + 1000).toISOString() })
  app.clock.advance({ seconds: 2 })
  const cases = [
    ['one@example.com', 'company', 'enterprise'],
    ['two@example.com', 'company', 'free'],
    ['three@example.com', 'usual', 'business'],
    ['four@example.com', 'over', 'free'],
    ['five@example.com', 'unknown', 'free'],
    ['six@example.com', 'a\u0000b', 'free'],
    ['seven@example.com', { not: 'text' }, 'free'],
    ['eight@example.com', 'x'.repeat(5_000), 'free'],
  ] as const
  for (const [email, code, tier] of cases) {
    expect((await signUpWith(email, code)).status, email).toBe(200)
    expect(await readTier(email), email).toBe(tier)
  }
  expect(await findCode('company')).toMatchObject({ useCount: 1, updatedAt: app.clock.now().toISOString() })
  // A sign-up that is refused counts no use.
  expect((await signUpWith('three@example.com', 'usual')).status).toBe(422)
  expect(await findCode('usual')).toMatchObject({ useCount: 1 })
})

test('D-19 fifty sign-ups at once on a code of ten uses are ten tiers', async () => {
  await makeCode({ code: 'ten', maxUses: 10 })
  const emails = Array.from({ length: 50 }, (_, n) => `crowd-${n}@example.com`)
  const answers = await Promise.all(emails.map((email) => signUpWith(email, 'ten')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
  const tiers = await Promise.all(emails.map(readTier))
  expect(tiers.filter((tier) => tier === 'business')).toHaveLength(10)
  expect(await findCode('ten')).toMatchObject({ useCount: 10 })
  const codes = (await listEvents('?kind=signup&limit=50')).map(({ detail }) => (detail as Body).inviteCode)
  expect(codes.filter((code) => code === 'ten')).toHaveLength(10)
})

test('ADM-04 sign-ups are listed with their person and code; events are newest first, by kind, limit and offset', async () => {
  await makeCode({ code: 'reported' })
  await signUpWith('reported@example.com', 'reported')
  await signUp(app, 'plain@example.com')
  const [plain, reported] = await listEvents('?kind=signup&limit=2')
  expect(plain).toMatchObject({ kind: 'signup', summary: 'plain@example.com signed up', notificationType: null })
  expect(plain?.detail).toEqual({ kind: 'signup', email: 'plain@example.com', userId: expect.any(String) })
  expect(reported?.detail).toMatchObject({ email: 'reported@example.com', inviteCode: 'reported' })
  expect(await listEvents('?kind=signup&limit=1&offset=1')).toEqual([reported])
  await ask({ email: 'last@example.com' })
  expect((await listEvents('?limit=2')).map(({ kind }) => kind)).toEqual(['access_request', 'signup'])
  expect(await listEvents('?offset=100000')).toEqual([])
})

test.each(['limit=0', 'limit=201', 'offset=-1', 'kind=login', 'after=x'])(
  'ADM-04 events with %s are 400',
  async (query) => {
    expect((await administer('GET', `events?${query}`)).status).toBe(400)
  },
)

test('ADM-04 notificationSent is true only after an email has left, even if its row would be purged', async () => {
  const env = {
    NOEMA_SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    NOEMA_ADMIN_EMAILS: 'chief@example.com,second@example.com',
  }
  const node = await app.startNode(env)
  try {
    const work = (name: string) => node.workers.find((worker) => worker.name === name)?.run()
    const find = async () => (await listEvents('?kind=access_request&limit=1'))[0]
    mailServer.isOpen = false
    await ask({ email: 'waits@example.com' }, node)
    await work('deliver mail')
    await expect.poll(() => mailServer.refused).toBe(2)
    expect(await find()).toMatchObject({ notificationType: 'email', notificationSent: false })
    mailServer.isOpen = true
    const isSent = async () => {
      app.clock.advance({ minutes: 2 })
      await work('deliver mail')
      return (await find())?.notificationSent
    }
    await expect.poll(isSent).toBe(true)
    await expect
      .poll(() => mailServer.received)
      .toEqual(expect.arrayContaining(['chief@example.com', 'second@example.com']))
    app.clock.advance({ days: 40 })
    await work('forget old mail')
    expect(await find()).toMatchObject({ notificationSent: true })
  } finally {
    await node.close()
  }
})
