import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// The commands of the page about administration, unchanged and in order. Only the port differs.

const page = readFileSync(new URL('administration.md', import.meta.url), 'utf8')
const newcomer = useNewcomer()

/** The output of each command. */
const run = async (name: string) => {
  const commands = findCommands(page, name).replaceAll('http://127.0.0.1:4100', newcomer.base)
  const done = await newcomer.shell.run(commands)
  expect(done, done.stderr).toMatchObject({ status: 0 })
  const answers = done.stdout.split('\n').filter((line) => line !== '')
  return answers.map((line) => JSON.parse(line)).map(({ data, error }) => data ?? error)
}

test('a person signs up and is the signed-in user', async () => {
  const [whoami] = await run('signup')
  expect(whoami.user).toMatchObject({ email: 'you@example.com', emailVerified: false })
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
  expect(organizations).toMatchObject([{ tier: 'business', owners: [{ email: 'you@example.com' }] }])
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
  const [refused] = await run('mail')
  expect(refused).toMatchObject({ kind: 'conflict', code: 'email_not_verified' })
})

test('administrators see the health of the service', async () => {
  const [{ versions, queues }] = await run('health')
  expect(versions.schema.applied).toBe(versions.schema.known)
  expect(queues.length).toBeGreaterThan(5)
})

test('a preview shows the effects of a deletion', async () => {
  const [ofOrganization, ofAccount] = await run('ends')
  expect(ofOrganization.takes).toMatchObject({ brains: 0, managementKeys: 1 })
  expect(ofAccount.organizations).toMatchObject([{ fate: 'deleted' }])
})
