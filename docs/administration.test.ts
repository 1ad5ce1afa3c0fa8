import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// The commands of the page about administration, unchanged and in order. Only the port differs.

const page = readFileSync(new URL('administration.md', import.meta.url), 'utf8')
const newcomer = useNewcomer()

type Organization = { tier: string; owners: { email: string }[] }

const runAll = async (commands: string) => {
  const done = await newcomer.shell.run(commands.replaceAll('http://127.0.0.1:4100', newcomer.base))
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return done
}

const readAnswers = ({ stdout }: { stdout: string }) => {
  const answers = stdout.split('\n').filter((line) => line !== '')
  return answers.map((line) => JSON.parse(line)).map(({ data, error }) => data ?? error)
}

/** The output of each command. */
const run = async (name: string) => readAnswers(await runAll(findCommands(page, name)))

/** Sends a request with the session of the account that signed up later. */
const askAsGuest = async (request: string) => {
  const headers = `-H 'origin: ${newcomer.base}' -H "x-organization-id: $GUEST_ORGANIZATION"`
  return readAnswers(await runAll(`curl -sSw '\\n' -b "$GUEST" ${headers} ${request}`))[0]
}

test('after the first steps of the README a person signs in as the administrator', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const { stderr } = await runAll(findCommands(readme, 'key'))
  const password = /its password, shown once: (\S+)/.exec(stderr)?.[1]
  if (password === undefined) throw new Error(stderr)
  await runAll(`PASSWORD='${password}'`)
  const [whoami] = await run('signin')
  expect(whoami).toMatchObject({ user: { email: 'admin@localhost.localdomain', emailVerified: true } })
  expect(whoami).toMatchObject({ administrator: true })
})

test('a person who signs up later is no administrator', async () => {
  const [whoami] = await run('signup')
  expect(whoami.user).toMatchObject({ email: 'you@example.com', emailVerified: false })
  await runAll(`GUEST_ORGANIZATION=${whoami.organizations[0].id}`)
  expect(await askAsGuest(`${newcomer.base}/v1/admin/health`)).toMatchObject({ kind: 'forbidden' })
})

test('the first account gives tiers and codes', async () => {
  const [given, made, listed] = await run('tiers')
  expect(given).toMatchObject({ tier: 'business' })
  expect(made.code).toMatchObject({ code: 'SPRING', tier: 'business', maxUses: 10, useCount: 0 })
  expect(listed.codes).toEqual([made.code])
})

test('a request for access is among the events of administrators', async () => {
  const [submitted, { events }, { request }, { organizations }] = await run('events')
  expect(submitted).toEqual({ submitted: true })
  expect(events).toMatchObject([{ kind: 'access_request', detail: { email: 'ada@example.com' } }])
  expect(request).toMatchObject({ email: 'ada@example.com', state: 'approved', tier: 'business' })
  const owners = organizations.map(({ tier, owners: [owner] }: Organization) => [owner?.email, tier])
  expect(Object.fromEntries(owners)).toEqual({ 'admin@localhost.localdomain': 'business', 'you@example.com': 'free' })
})

test('the audit log has the acts', async () => {
  const [{ key }, { entries }] = await run('audit')
  expect(entries).toMatchObject([{ action: 'key.minted', target: { id: key.id, name: 'laptop' } }])
})

test('notifications are listed and marked as read', async () => {
  const [{ notifications }, { waiting }, read] = await run('notifications')
  expect(notifications).toMatchObject([{ kind: 'key.expiring', target: { name: 'laptop' }, readAt: null }])
  expect(waiting).toEqual({ unread: 1, changes: 0, tasks: 0 })
  expect(read.waiting.unread).toBe(0)
})

test('a daily mail is for confirmed addresses', async () => {
  const [{ settings }] = await run('mail')
  expect(settings).toMatchObject({ mail: true, hour: 8, timezone: 'Europe/Berlin' })
  const wish = `-X PATCH -H 'content-type: application/json' -d '{"mail": true, "hour": 8, "timezone": "Europe/Berlin"}'`
  const refused = await askAsGuest(`${newcomer.base}/v1/notifications/settings ${wish}`)
  expect(refused).toMatchObject({ kind: 'conflict', code: 'email_not_verified' })
})

test('administrators see the health of the service', async () => {
  const [{ versions, queues }] = await run('health')
  expect(versions.schema.applied).toBe(versions.schema.known)
  expect(queues.length).toBeGreaterThan(5)
})

test('a preview shows the effects of a deletion', async () => {
  const [ofOrganization, ofAccount] = await run('ends')
  expect(ofOrganization.takes).toMatchObject({ brains: 0, managementKeys: 2 })
  expect(ofAccount.organizations).toMatchObject([{ fate: 'deleted' }])
})
