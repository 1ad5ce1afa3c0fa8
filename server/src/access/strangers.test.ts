import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestMember } from '../test/app.ts'
import { endsCaller } from '../test/endpoints/all.ts'
import { useOwnApp } from '../test/harness.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'
import { callEverything, type Reported } from '../test/secrets/call-everything.ts'
import { type Planted, plant } from '../test/secrets/plant.ts'

// Strangers to an organization, administrators of the service included, call everything about its data: no answer, header
// or error contains any of it.

const app = useOwnApp()
let [administrator, owner, stranger] = [{} as TestMember, {} as TestMember, {} as TestMember]
beforeAll(async () => {
  // The first account is the administrator's.
  administrator = await createMember(app)
  owner = await createMember(app)
  stranger = await createMember(app)
  planted = await plant(app, owner, 'planted')
})

// No caller here may change any of it.
let planted = {} as Planted
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/**
 * These create a Brain of the same handle in the caller's own organization, which then returns what they sent, or delete
 * the caller.
 */
const leftOut = ['brains.put', 'packs.install', ...endsCaller]

const leaks = (reported: readonly Reported[]) =>
  reported.flatMap(({ name, secrets }) => (secrets.length > 0 ? [`${name}: ${secrets.join(' ')}`] : []))

const formerMember = async () => {
  const guest = await joinOrganization(app, owner, 'admin')
  await removeMember(app, owner, guest)
  return guest.session
}

const callers: Record<string, () => Promise<Record<string, string>> | Record<string, string>> = {
  nobody: () => ({}),
  "the session of another organization's owner": () => stranger.session,
  "another organization's management key": () => bearer(stranger.key),
  'a session that names an organization which is not its own': () => ({
    ...stranger.session,
    'x-organization-id': owner.organizationId,
  }),
  'the session of an administrator of the service': () => administrator.session,
  "an administrator's session that names the organization": () => ({
    ...administrator.session,
    'x-organization-id': owner.organizationId,
  }),
  "an administrator's management key": () => bearer(administrator.key),
  'the session of somebody who was an admin and was removed': formerMember,
}

test.each(Object.entries(callers))(
  'SUR-11 D-05 D-17 %s sees nothing of an organization’s data',
  async (_name, find) => {
    expect(leaks(await callEverything(app, planted, await find(), leftOut))).toEqual([])
  },
)

test('AUT-03 D-05 a key of another Brain of the organization sees nothing of the organization or of the Brain', async () => {
  const other = await addBrain(app, owner, 'neighbour')
  const key = await other.mintKey(['read', 'write', 'review', 'admin'])
  expect(leaks(await callEverything(app, planted, bearer(key), endsCaller))).toEqual([])
})

test('AUD-01 NTF-05 the audit log, notifications and what administrators read hold nothing of what Brains hold', async () => {
  const reported = await callEverything(app, planted, owner.session, endsCaller)
  const about = reported.filter(({ name }) => /^(audit|notifications|admin)\b/.test(name))
  expect(about.filter(({ status }) => status === 200).length).toBeGreaterThan(4)
  const held = about.flatMap(({ secrets }) => secrets)
  expect(held.some((secret) => secret.startsWith('zqorganization-'))).toBe(true)
  expect(held.filter((secret) => /^zq(content|structure|demand|reader|sealed)-/.test(secret))).toEqual([])
})
