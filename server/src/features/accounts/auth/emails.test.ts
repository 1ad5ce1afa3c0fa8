import { beforeAll, expect, test } from 'vitest'
import { mailedLink, publicUrl, signUp } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { callOrganizations, confirmAddress } from '../../../test/organizations.ts'

// The emails to people who may not have asked for them.

const app = useOwnApp({ NOEMA_DAILY_INVITATIONS: '12' })
type Person = Awaited<ReturnType<typeof signUp>>
let host: Person

const confirmed = async () => {
  const person = await signUp(app)
  await confirmAddress(app, person)
  return person
}

beforeAll(async () => {
  host = await confirmed()
})

const headers = { origin: publicUrl }
const ask = (path: string, email: string) => app.request('POST', `/api/auth/${path}`, { headers, body: { email } })
const emails = async (email: string, kind: string): Promise<{ subject: string; body: string }[]> =>
  (
    await app.database.pool.query(
      'select subject, body from mail_outbox where recipient = $1 and kind = $2 order by id',
      [email, kind],
    )
  ).rows
const invite = (by: Person, email: string) =>
  callOrganizations(app, by, 'invite-member', { email, role: 'member', organizationId: by.organizationId })
const times = (count: number) => Array.from({ length: count })

test('an address gets five links for a new password an hour, for any number of requests', async () => {
  const { email } = await confirmed()
  const answers = await Promise.all(times(12).map(() => ask('request-password-reset', email)))
  const unknown = await ask('request-password-reset', 'nobody@example.com')
  for (const { status, body } of answers)
    expect({ status, body }).toEqual({ status: unknown.status, body: unknown.body })
  expect(await emails(email, 'password')).toHaveLength(5)
  app.clock.advance({ minutes: 61 })
  await ask('request-password-reset', email)
  expect(await emails(email, 'password')).toHaveLength(6)
})

test('an address gets five confirming links an hour, and links for a new password all the same', async () => {
  const { email } = await signUp(app)
  const answers = await Promise.all(times(9).map(() => ask('send-verification-email', email)))
  expect(answers.map(({ status }) => status)).toEqual(times(9).map(() => 200))
  expect(await emails(email, 'confirmation')).toHaveLength(5)
  await ask('request-password-reset', email)
  expect(await emails(email, 'password')).toHaveLength(1)
})

test('an address gets five invitations an hour, from whomever', async () => {
  const other = await confirmed()
  for (const by of [host, other, host, other, host, other, host]) await invite(by, 'often@example.com')
  expect(await emails('often@example.com', 'invitation')).toHaveLength(5)
})

test('SUR-04 an account that has sent its invitations of a day is 429 with Retry-After, also when it asks at once', async () => {
  const busy = await confirmed()
  const answers = await Promise.all(times(15).map((_, index) => invite(busy, `invited${index}@example.com`)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(12)
  const [refused] = answers.filter(({ status }) => status !== 200)
  expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } })
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  ['PayPal security: verify at https://evil.example/login now', false],
  ['call +1-900-555-0199', false],
  ['www.evil.example', false],
  ['ask boss@evil.example', false],
  ['evil.example', false],
  ['Plain & Simple, Ltd 2', true],
])('an invitation to %s has no words of the inviter in its subject, and no link of theirs', async (name, isShown) => {
  const inviter = await confirmed()
  const body = { organizationId: inviter.organizationId, data: { name } }
  expect((await callOrganizations(app, inviter, 'update', body)).status).toBe(200)
  await app.request('POST', '/api/auth/update-user', { headers: inviter.session, body: { name } })
  const to = `guest-of-${inviter.email}`
  await invite(inviter, to)
  const [letter] = await emails(to, 'invitation')
  expect(letter?.subject).toBe('Invitation to an organization')
  expect(letter?.body.includes(name)).toBe(isShown)
  expect(letter?.body).toContain(`${inviter.email} invites you`)
  expect(letter?.body.match(/https?:\S+/g)).toEqual([mailedLink(app, to).href])
})

test('the time of a request for a new password does not reveal whether the address has an account', async () => {
  const known = await confirmed()
  for (const email of [known.email, 'unknown@example.com']) {
    const start = performance.now()
    await ask('request-password-reset', email)
    expect(performance.now() - start).toBeGreaterThan(245)
  }
})

test('without a mail server an email is readable while its link works, and purged later', async () => {
  const { email } = await signUp(app)
  const purge = async () => {
    await app.app.workers.find(({ name }) => name === 'forget old mail')?.run()
    return emails(email, 'confirmation')
  }
  expect((await purge())[0]?.body).toContain('/verify-email?token=')
  app.clock.advance({ minutes: 23 * 60 })
  expect((await purge())[0]?.body).toContain('/verify-email?token=')
  app.clock.advance({ minutes: 61 })
  expect(await purge()).toEqual([{ subject: 'Confirm your address', body: '' }])
  app.clock.advance({ days: 30 })
  expect(await purge()).toEqual([])
})
