import { beforeEach, expect, test } from 'vitest'
import { addBrain, mailedLink, publicUrl, signUp, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { callOrganizations, confirmAddress } from '../../../test/organizations.ts'

// A stranger signs up with another person's address, and prepares the account for the day when its owner uses it.

const app = useOwnApp({ NOEMA_ADMIN_EMAILS: 'ops@example.com' })
const headers = { origin: publicUrl }
const first = 'correct horse battery'
const second = 'chosen by the owner'

type Prepared = Awaited<ReturnType<typeof prepare>>
let victim: Prepared

/** Creates every kind of access that an unconfirmed account can create. */
const prepare = async () => {
  const person = await signUp(app)
  const mint = async (name: string) =>
    (await app.request('POST', '/v1/keys', { headers: person.session, body: { name } })).body.data
  const { secret: key, key: minted } = await mint('prepared')
  const member: TestMember = { ...person, key, keyId: minted.id }
  const brain = await addBrain(app, member, 'brain')
  const bySession = await app.request('POST', `${brain.path}/keys`, {
    headers: person.session,
    body: { name: 'by session', capabilities: ['read'] },
  })
  const rotating = await brain.call('POST', '/keys', { name: 'rotated', capabilities: ['admin', 'read'] })
  const rotated = await brain.call('POST', `/keys/${rotating.body.data.key.id}/rotate`)
  const url = 'http://127.0.0.1:9/hook'
  await brain.call('POST', '/webhooks', { url, types: ['record.accepted'] })
  await brain.call('POST', '/webhooks', { url, types: ['record.accepted'] }, { key: rotated.body.data.secret })
  await app.request('POST', '/v1/webhooks', { key, body: { url, events: ['run.completed'] } })
  await app.request('PUT', '/v1/providers/prepared', { key, body: { kind: 'openai', apiKey: 'sk-of-somebody' } })
  await app.request('POST', '/v1/connectors', { key, body: { name: 'tools', url } })
  const agent = { name: 'Prepared agent', instructions: 'Tell me all.', model: 'prepared/some-model' }
  await app.request('POST', '/v1/agents', { key, body: agent })
  const gone = await mint('revoked already')
  const minor = await app.request('POST', `${brain.path}/keys`, {
    key: gone.secret,
    body: { name: 'x', capabilities: ['read'] },
  })
  await app.request('DELETE', `/v1/keys/${gone.key.id}`, { headers: person.session })
  const secrets = [bySession, rotating, rotated, minor].map(({ body }) => body.data.secret as string)
  return { ...brain, secrets: [key, ...secrets] }
}

beforeEach(async () => {
  victim = await prepare()
})

const open = async ({ email }: { email: string }, cookie?: string, link = mailedLink(app, email)) => {
  const opened = await fetch(app.base + link.pathname + link.search, {
    redirect: 'manual',
    headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site', ...(cookie && { cookie }) },
  })
  expect([opened.status, opened.headers.get('location')]).toEqual([302, `${publicUrl}/`])
}

const resetPassword = async ({ email }: { email: string }) => {
  await app.request('POST', '/api/auth/request-password-reset', { headers, body: { email } })
  const token = mailedLink(app, email).searchParams.get('token')
  const body = { token, newPassword: second }
  expect((await app.request('POST', '/api/auth/reset-password', { headers, body })).status).toBe(200)
}

const signIn = async ({ email }: { email: string }, password: string) => {
  const answer = await app.request('POST', '/api/auth/sign-in/email', { headers, body: { email, password } })
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  return { status: answer.status, session: { ...victim.session, cookie } }
}

const whoami = async (key: string) => (await app.request('GET', '/v1/whoami', { key })).status
const signedIn = async () => (await app.request('GET', '/v1/keys', { headers: victim.session })).status
const webhooks = async (asked: Record<string, string>) => [
  ...(await app.request('GET', `${victim.path}/webhooks`, { headers: asked })).body.data.webhooks,
  ...(await app.request('GET', '/v1/webhooks', { headers: asked })).body.data.webhooks,
]
const mails = async (email: string) =>
  (await app.database.pool.query('select subject, body from mail_outbox where recipient = $1 order by id', [email]))
    .rows

/** No prepared access works any more, and the owner has been notified. */
const expectNothingLeft = async () => {
  expect(await Promise.all(victim.secrets.map(whoami))).toEqual(victim.secrets.map(() => 401))
  expect(await signedIn()).toBe(401)
  const newest = (await mails(victim.email)).at(-1)
  expect(newest?.body).toContain('- 1 session\n')
  expect(newest?.body).toContain(`- management key “prepared” (${victim.keyId})`)
  expect(newest?.body).toContain('- Brain key “rotated”')
  expect(newest?.body.match(/- webhook whk_/g)).toHaveLength(3)
  expect(newest?.body).toContain('- provider prepared\n')
  expect(newest?.body).toContain('- connector tools at 127.0.0.1:9\n')
  expect(newest?.body).toMatch(/- agent “Prepared agent” \(agt_\w+\)\n/)
}

test('AUT-12 an account works before its address is confirmed, with its objects', async () => {
  expect(await Promise.all(victim.secrets.map(whoami))).toEqual(victim.secrets.map(() => 200))
  expect(await signedIn()).toBe(200)
  expect(await webhooks(victim.session)).toHaveLength(3)
})

test('AUT-12 a new password chosen by email confirms an unconfirmed account, and revokes earlier access', async () => {
  await resetPassword(victim)
  await expectNothingLeft()
  expect((await signIn(victim, first)).status).toBe(401)
  const owner = await signIn(victim, second)
  expect(owner.status).toBe(200)
  expect(await webhooks(owner.session)).toEqual([])
  expect((await app.request('GET', '/v1/providers', { headers: owner.session })).body.data.providers).toEqual([])
  expect((await app.request('GET', '/v1/connectors', { headers: owner.session })).body.data.connectors).toEqual([])
})

test('AUT-12 NTF-05 the owner is notified of agents from before, until each is changed or archived', async () => {
  const body = { name: 'Second', instructions: 'Tell me all.', model: 'noema/extractive' }
  await app.request('POST', '/v1/agents', { key: victim.key, body })
  await resetPassword(victim)
  const { session } = await signIn(victim, second)
  const notified = async () => {
    const { notifications } = (await app.request('GET', '/v1/notifications?state=open', { headers: session })).body.data
    return notifications.filter(({ kind }: { kind: string }) => kind === 'agent.unproven')
  }
  const made = await notified()
  const find = (name: string) => made.find(({ target }: { target: { name: string } }) => target.name === name)
  const [first, other] = [find('Prepared agent'), find('Second')]
  expect([first, other]).toMatchObject([{ target: { type: 'agent' } }, { target: { type: 'agent' } }])
  await app.request('DELETE', `/v1/agents/${first.target.id}`, { headers: session })
  await app.request('PATCH', `/v1/agents/${other.target.id}`, { headers: session, body: { instructions: 'Answer.' } })
  expect(await notified()).toEqual([])
})

test('AUT-12 a confirming link that is opened elsewhere revokes earlier access', async () => {
  await open(victim)
  await expectNothingLeft()
  expect((await mails(victim.email)).at(-1)?.body).toContain(`${publicUrl}/forgot-password`)
})

test('AUT-12 another account’s session is no proof that the one who confirms had signed up', async () => {
  const stranger = await signUp(app)
  await open(victim, stranger.cookie)
  await expectNothingLeft()
})

test('AUT-12 the owner who confirms without having signed up ends the rest by choosing a password', async () => {
  await open(victim)
  const attacker = await signIn(victim, first)
  const { secret } = (await app.request('POST', '/v1/keys', { headers: attacker.session, body: { name: 'later' } }))
    .body.data
  await resetPassword(victim)
  expect(await whoami(secret)).toBe(401)
  expect((await app.request('GET', '/v1/keys', { headers: attacker.session })).status).toBe(401)
})

test('AUT-12 confirming in the browser of the sign-up keeps everything, and later passwords revoke no keys', async () => {
  await open(victim, victim.cookie)
  expect(await Promise.all(victim.secrets.map(whoami))).toEqual(victim.secrets.map(() => 200))
  expect(await signedIn()).toBe(200)
  expect(await webhooks(victim.session)).toHaveLength(3)
  expect(await mails(victim.email)).toHaveLength(1)
  await resetPassword(victim)
  expect(await Promise.all(victim.secrets.map(whoami))).toEqual(victim.secrets.map(() => 200))
  expect(await signedIn()).toBe(401)
})

test('AUT-12 keys that are minted while the account is taken back do not outlive it', async () => {
  const minting = Array.from({ length: 30 }, (_, index) => [
    app.request('POST', '/v1/keys', { headers: victim.session, body: { name: `race ${index}` } }),
    app.request('POST', `${victim.path}/keys`, {
      key: victim.key,
      body: { name: `race ${index}`, capabilities: ['read'] },
    }),
  ]).flat()
  const [answers] = await Promise.all([Promise.all(minting), open(victim)])
  const secrets = answers.flatMap(({ body }) => (body.data ? [body.data.secret as string] : []))
  expect(await Promise.all(secrets.map(whoami))).toEqual(secrets.map(() => 401))
})

test('AUT-12 a link that confirms twice ends nothing the second time', async () => {
  const link = mailedLink(app, victim.email)
  await Promise.all([open(victim, undefined, link), open(victim, undefined, link)])
  const { session } = await signIn(victim, first)
  const { secret } = (await app.request('POST', '/v1/keys', { headers: session, body: { name: 'again' } })).body.data
  await open(victim, undefined, link)
  expect(await whoami(secret)).toBe(200)
})

test('D-13 invitations are not listed to a password that someone else may have chosen', async () => {
  const host = await signUp(app)
  await confirmAddress(app, host)
  const body = { email: victim.email, role: 'admin', organizationId: host.organizationId }
  const list = async (session: Record<string, string>) =>
    app.request('GET', '/api/auth/organization/list-user-invitations', { headers: session })
  await open(victim)
  const { id } = (await callOrganizations(app, host, 'invite-member', body)).body
  const attacker = await signIn(victim, first)
  expect(await list(attacker.session)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_NOT_PROVEN' } })
  await resetPassword(victim)
  const owner = await signIn(victim, second)
  expect((await list(owner.session)).body).toMatchObject([{ id }])
})

const administers = async (asked: Record<string, string>) =>
  (await app.request('GET', '/v1/whoami', { headers: asked })).body.data.administrator

test('D-17 objects from before an administrator’s address was proven give no one administrator rights', async () => {
  const ops = await signUp(app, 'ops@example.com')
  const mint = async (asked: Record<string, string>) => {
    const { secret } = (await app.request('POST', '/v1/keys', { headers: asked, body: { name: 'x' } })).body.data
    return { authorization: `Bearer ${secret}` }
  }
  const early = await mint(ops.session)
  expect([await administers(ops.session), await administers(early)]).toEqual([false, false])
  await open(ops)
  const attacker = await signIn(ops, first)
  const session = { ...ops.session, cookie: attacker.session.cookie }
  const late = await mint(session)
  expect([await administers(session), await administers(late)]).toEqual([false, false])
  await resetPassword(ops)
  expect(
    await Promise.all([early, late].map((asked) => app.request('GET', '/v1/whoami', { headers: asked }))),
  ).toMatchObject([{ status: 401 }, { status: 401 }])
  const owner = { ...ops.session, cookie: (await signIn(ops, second)).session.cookie }
  expect([await administers(owner), await administers(await mint(owner))]).toEqual([true, true])
})

test('D-17 a key from before the address was confirmed does not administer, a later one does', async () => {
  const named = await app.startNode({ NOEMA_ADMIN_EMAILS: victim.email })
  const administersThere = async (key: string) =>
    (await named.request('GET', '/v1/whoami', { key })).body.data.administrator
  await confirmAddress(app, victim)
  const { secret } = (await app.request('POST', '/v1/keys', { headers: victim.session, body: { name: 'later' } })).body
    .data
  expect([await administersThere(victim.key), await administersThere(secret)]).toEqual([false, true])
  await named.close()
})
