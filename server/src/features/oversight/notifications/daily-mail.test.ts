import { beforeEach, expect, test } from 'vitest'
import { createMember, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { runPass } from '../../../test/run-pass.ts'
import { createDailyMail } from './send-daily-mail.ts'
import { asReader } from './use-notifications.fixture.ts'

// No node works in the background: a test sends what is due.
const app = useOwnApp({ NOEMA_ROLES: 'http' })
let owner: TestMember
let reader: ReturnType<typeof asReader>
beforeEach(async () => {
  owner = await createMember(app)
  reader = asReader(app, owner.session)
})

const pass = (deps = app.app.deps) => runPass(deps, createDailyMail(deps))
const set = (settings: object) => reader.call('PATCH', '/settings', settings)
const mint = (name: string) => {
  const expiresAt = new Date(app.clock.now().getTime() + 10 * 86_400_000).toISOString()
  return app.request('POST', '/v1/keys', { headers: owner.session, body: { name, expiresAt } })
}
const mails = async (email = owner.email) => {
  const { rows } = await app.database.pool.query(
    `select subject, body, headers from mail_outbox where recipient = $1 and subject like 'Noema: %' order by id`,
    [email],
  )
  return rows as { subject: string; body: string; headers: Record<string, string> }[]
}
/** Moves the clock to the next time that a clock in Berlin shows this hour. */
const advanceTo = (hour: number) => {
  const shown = () =>
    Number(new Intl.DateTimeFormat('en-GB', { hour: 'numeric', timeZone: 'Europe/Berlin' }).format(app.clock.now()))
  app.clock.advance({ minutes: 60 })
  do app.clock.advance({ minutes: 30 })
  while (shown() !== hour)
}

test('NTF-07 people get no mail unless they asked for it and confirmed their address', async () => {
  expect((await reader.call('GET', '/settings')).data.settings).toEqual({ mail: false, hour: 8, timezone: 'UTC' })
  await mint('secret-name')
  app.clock.advance({ days: 1 })
  await pass()
  expect(await mails()).toEqual([])
  const stranger = await createMember(app, { verified: false })
  const refused = await asReader(app, stranger.session).call('PATCH', '/settings', { mail: true })
  expect(refused).toMatchObject({ status: 409, error: { kind: 'conflict' } })
  expect((await set({ timezone: 'Europe/Nowhere' })).status).toBe(400)
  expect((await set({ hour: 24 })).status).toBe(400)
})

test('NTF-07 a daily mail comes at the hour that a person chose, when something is new, and names nothing of it', async () => {
  const chosen = { mail: true, hour: 7, timezone: 'Europe/Berlin' }
  expect((await set(chosen)).data.settings).toEqual(chosen)
  expect((await reader.call('GET', '/settings')).data.settings).toEqual(chosen)
  advanceTo(7)
  await pass()
  expect(await mails()).toEqual([])
  await mint('secret-name')
  await mint('secret-other')
  await pass()
  expect(await mails()).toEqual([])
  advanceTo(7)
  await pass()
  await pass()
  const sent = await mails()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.subject).toBe('Noema: 2 new notifications')
  expect(sent[0]?.body).toContain('- 2 keys expire soon')
  expect(JSON.stringify(sent)).not.toContain('secret')
  advanceTo(7)
  await pass()
  expect(await mails()).toHaveLength(1)
  await mint('third')
  await reader.mark({ ids: (await reader.list()).map(({ id }) => id) })
  advanceTo(7)
  await pass()
  expect(await mails()).toHaveLength(1)
})

test('NTF-07 the link of a mail ends it by one POST without a sign-in; opening it changes nothing', async () => {
  await set({ mail: true })
  await mint('one')
  app.clock.advance({ days: 1 })
  await pass()
  const [{ headers = {}, body = '' } = {}] = await mails()
  expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const url = new URL(headers['List-Unsubscribe']?.slice(1, -1) ?? '')
  expect(body).toContain(url.href)
  const post = (search: string) =>
    fetch(`${app.base}${url.pathname}${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
  const opened = await fetch(`${app.base}${url.pathname}${url.search}`)
  expect([opened.status, opened.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
  expect((await post('?token=x')).status).toBe(404)
  expect((await post(`${url.search.slice(0, -4)}AAAA`)).status).toBe(404)
  expect((await reader.call('GET', '/settings')).data.settings.mail).toBe(true)
  for (const _ of [1, 2]) expect((await post(url.search)).status).toBe(200)
  expect((await reader.call('GET', '/settings')).data.settings.mail).toBe(false)
  await mint('two')
  app.clock.advance({ days: 1 })
  await pass()
  expect(await mails()).toHaveLength(1)
})

test('NTF-08 over several nodes a mail is sent once, also by the one that takes over from a node that died', async () => {
  const node = await app.startNode()
  await set({ mail: true })
  await mint('one')
  app.clock.advance({ days: 1 })
  await Promise.all([pass(), pass(node.app.deps), pass(), pass(node.app.deps)])
  expect(await mails()).toHaveLength(1)
  await mint('two')
  app.clock.advance({ days: 1 })
  // A node that leases and is never heard of again.
  const dying = createDailyMail(app.app.deps)
  const running = { free: 8, maxOfOrganization: 8, organizations: [], owners: [] }
  const now = app.clock.now()
  const until = new Date(now.getTime() + 60_000)
  const { rows } = await dying.lease({ keys: [owner.organizationId], lease: 'dying', now, until, running })
  expect(rows).toHaveLength(1)
  await pass(node.app.deps)
  expect(await mails()).toHaveLength(1)
  app.clock.advance({ minutes: 2 })
  await pass(node.app.deps)
  expect(await mails()).toHaveLength(2)
  // It comes back, and finds that the mail is not its own to send any more.
  const [row] = rows
  expect(row && (await dying.storeOutcomes([{ row, outcome: { news: [] } }]))).toEqual([false])
  await node.close()
})

test('NTF-08 a former member gets no mail', async () => {
  const guest = await joinOrganization(app, owner, 'admin')
  await asReader(app, guest.session).call('PATCH', '/settings', { mail: true })
  await mint('one')
  await app.request('POST', '/api/auth/organization/remove-member', {
    headers: owner.session,
    body: { memberIdOrEmail: guest.email, organizationId: owner.organizationId },
  })
  app.clock.advance({ days: 1 })
  await pass()
  expect(await mails(guest.email)).toEqual([])
})

test('NTF-07 the page of the link counts requests by their address, as all that needs no key does', async () => {
  const opened = await fetch(`${app.base}/unsubscribe?token=x`)
  expect(opened.headers.get('ratelimit-policy')).toContain('"address"')
})
