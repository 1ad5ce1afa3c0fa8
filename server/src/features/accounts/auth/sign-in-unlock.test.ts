import { beforeEach, expect, test } from 'vitest'
import { createMember, publicUrl, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

// The owner of an account that too many wrong passwords have locked gets in by a mailed link (L9).

const app = useOwnApp({ NOEMA_ROLES: 'http', NOEMA_TRUSTED_PROXIES: '127.0.0.1' })
const password = 'correct horse battery'
const home = '203.0.113.7'
let owner: TestMember
let guesses = 0

const post = (path: string, body: object, from = home) =>
  app.request('POST', `/api/auth${path}`, { headers: { origin: publicUrl, 'x-forwarded-for': from }, body })
const signIn = (given: string, from = home) => post('/sign-in/email', { email: owner.email, password: given }, from)
const readMails = async (email: string): Promise<string[]> => {
  await app.app.accounts.idle()
  const text = `select body from mail_outbox where recipient = $1 and kind = 'sign_in' order by id`
  return (await app.database.pool.query(text, [email])).rows.map(({ body }) => body)
}
const readToken = async (): Promise<string> =>
  /\/sign-in\?unlock=([\w-]+)/.exec((await readMails(owner.email)).at(-1) ?? '')?.[1] ?? ''

/** Guesses from as many networks as it takes to lock the account for all that are new to it. */
const lock = async () => {
  const from = () => `198.51.${Math.floor(guesses / 200)}.${(guesses++ % 200) + 1}`
  await Promise.all(Array.from({ length: 101 }, () => signIn('wrong password', from())))
  expect((await signIn(password)).status).toBe(429)
}

beforeEach(async () => {
  owner = await createMember(app)
})

test('AUT-19 a link by mail lets the owner of a locked account sign in from their network, once, with the password', async () => {
  await lock()
  expect((await post('/request-sign-in-unlock', { email: owner.email })).status).toBe(200)
  const token = await readToken()
  expect((await signIn(password)).status).toBe(429)
  const opened = await post('/unlock-sign-in', { token })
  expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []])
  expect((await signIn('wrong password')).status).toBe(401)
  expect((await signIn(password, '203.0.113.99')).status).toBe(429)
  expect((await signIn(password)).status).toBe(200)
  expect(await post('/unlock-sign-in', { token }, '203.0.113.99')).toMatchObject({
    status: 400,
    body: { code: 'INVALID_TOKEN' },
  })
  expect((await signIn(password, '203.0.113.99')).status).toBe(429)
})

test('AUT-19 the link does not lift the limit of wrong passwords from its own network', async () => {
  await lock()
  await post('/request-sign-in-unlock', { email: owner.email })
  await post('/unlock-sign-in', { token: await readToken() })
  const answers = []
  for (let n = 0; n < 11; n++) answers.push((await signIn('wrong password')).status)
  expect(answers).toEqual([...Array(10).fill(401), 429])
})

test('AUT-19 the link works for 15 minutes, and once when it is opened twice at the same moment', async () => {
  await post('/request-sign-in-unlock', { email: owner.email })
  const token = await readToken()
  const twice = await Promise.all([1, 2].map(() => post('/unlock-sign-in', { token })))
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 400])
  await post('/request-sign-in-unlock', { email: owner.email })
  const late = await readToken()
  app.clock.advance({ minutes: 16 })
  expect((await post('/unlock-sign-in', { token: late })).body.code).toBe('INVALID_TOKEN')
  expect((await post('/unlock-sign-in', { token: 'guessed' })).body.code).toBe('INVALID_TOKEN')
})

test('AUT-19 the answer does not say whether an address has an account, and an address gets few such mails', async () => {
  const answers = [
    await post('/request-sign-in-unlock', { email: owner.email }),
    await post('/request-sign-in-unlock', { email: 'nobody@example.com' }),
  ]
  expect(answers[0]).toMatchObject({ status: 200, body: answers[1]?.body })
  expect(await readMails('nobody@example.com')).toEqual([])
  for (let n = 0; n < 8; n++) await post('/request-sign-in-unlock', { email: owner.email })
  expect(await readMails(owner.email)).toHaveLength(5)
})
