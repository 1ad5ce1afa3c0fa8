import { endpoints } from '@noema/contracts/api.ts'
import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../shared/errors.ts'
import { allEndpoints, endpointRows } from '../test/endpoints/all.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'
import { needsByBody } from '../test/walk/visit.ts'
import { createKeyAuthentication } from './authenticate-key.ts'
import { authorize } from './authorize.ts'
import type { Principal } from './principal.ts'

// Each role of a restricted Brain, endpoint by endpoint: by a management key of the member, and by a Brain key
// that they minted when they could do everything.

const app = useApp()
const brain = useBrain(app)
const path = '/v1/brains/brain'

const capabilities = { reader: ['read'], writer: ['read', 'write'], reviewer: ['read', 'write', 'review'] } as const
const everything = ['read', 'write', 'review', 'admin'] as const
const roles = ['reader', 'writer', 'reviewer', 'manager', 'unnamed', 'owner'] as const
type Role = (typeof roles)[number]

/** The endpoints of a Brain for members alone that need no manager. */
const forReaders = [
  ...['brain.keys.mint', 'brain.keys.list', 'brain.keys.get', 'brain.keys.rotate', 'brain.keys.revoke'],
  ...['brain.schema.lineage', 'brain.access.get', 'brain.members.remove'],
  ...['brain.derivedPages.get', 'brain.derivedPages.list'],
]
/** Those that need no manager, and the role of a writer. */
const forWriters = ['brain.derivedPages.put', 'brain.derivedPages.delete']
/** The endpoints for an owner without a role. */
const forOwners = ['brain.access.get']

type Keys = { management: string; brain: string }
const keys = {} as Record<Role, Keys>
const mint = async (member: { session: Record<string, string> }): Promise<Keys> => {
  const headers = member.session
  const management = await app.request('POST', '/v1/keys', { headers, body: { name: 'mine' } })
  const ofBrain = await app.request('POST', `${path}/keys`, {
    headers,
    body: { name: 'mine', capabilities: everything },
  })
  return { management: management.body.data.secret, brain: ofBrain.body.data.secret }
}

beforeAll(async () => {
  const members: { member: string; role: string }[] = []
  let manager = {} as Awaited<ReturnType<typeof joinOrganization>>
  for (const role of roles) {
    const guest = role === 'owner' ? brain : await joinOrganization(app, brain, role === 'manager' ? 'admin' : 'member')
    keys[role] = await mint(guest)
    if (role === 'manager') manager = guest
    if (role !== 'unnamed' && role !== 'owner') members.push({ member: guest.email, role })
  }
  const restricted = await app.request('PATCH', `${path}/access`, {
    headers: manager.session,
    body: { openTo: 'members', members },
  })
  expect(restricted.body.data.access).toMatchObject({ openTo: 'members', role: 'manager' })
})

const authenticate = (key: string) => createKeyAuthentication(app.app.deps).authenticate(key, 'brain')

/** The status of a refusal, and 200 for a call that passes. */
const ask = async (endpoint: Endpoint, principal: Principal, handle = 'brain') => {
  try {
    await authorize(app.app.deps, endpoint, principal, handle)
    return { status: 200, message: '' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const statuses: Record<string, number> = { unauthorized: 401, forbidden: 403, not_found: 404 }
    return { status: statuses[error.kind], message: error.message.replace(handle, '…') }
  }
}

const ofBrain = () =>
  allEndpoints.filter(
    ({ name, endpoint }) =>
      endpoint.path.includes('/brains/{handle}') && !endpoint.makesBrain && !needsByBody.includes(name),
  )

const expectedOfMember = (name: string, needs: unknown, role: Role): number => {
  if (needs === 'session') return 403
  if (role === 'owner') return forOwners.includes(name) ? 200 : 404
  if (role === 'unnamed') return 404
  if (role === 'manager') return 200
  const held: readonly string[] = capabilities[role]
  const isEnough = Array.isArray(needs)
    ? needs.every((one) => held.includes(one))
    : forReaders.includes(name) || (held.includes('write') && forWriters.includes(name))
  return isEnough ? 200 : 403
}

describe.each(roles)('as %s', (role) => {
  test('ACC-02 a management key does what the role of its member allows, and an unnamed member finds no Brain', async () => {
    const principal = await authenticate(keys[role].management)
    if (!principal) throw new Error('The key is not accepted.')
    const rows = ofBrain()
    expect(rows.length).toBeGreaterThan(60)
    for (const { name, endpoint } of rows) {
      const { needs } = endpointRows[name]
      const answer = await ask(endpoint, principal)
      expect([name, answer.status]).toEqual([name, expectedOfMember(name, needs, role)])
      // The refusal of a Brain that is not open is that of one that is not there.
      if (answer.status === 404) expect(answer).toEqual(await ask(endpoint, principal, 'none'))
    }
  })

  test('ACC-03 a Brain key does no more than the member who minted it may do now', async () => {
    const principal = await authenticate(keys[role].brain)
    if (role === 'unnamed' || role === 'owner') return expect(principal).toBeUndefined()
    if (!principal) throw new Error('The key is not accepted.')
    const held: readonly string[] = role === 'manager' ? everything : capabilities[role]
    for (const { name, endpoint } of ofBrain()) {
      const { needs } = endpointRows[name]
      const isEnough = Array.isArray(needs) && needs.every((one) => held.includes(one))
      expect([name, (await ask(endpoint, principal)).status === 200]).toEqual([name, isEnough])
    }
  })
})

test('ACC-01 a Brain that is open to its organization asks for no role, and limits no one', async () => {
  await app.request('PUT', '/v1/brains/open', { key: keys.manager.management })
  const open = createKeyAuthentication(app.app.deps)
  const principal = await open.authenticate(keys.unnamed.management, 'open')
  if (principal?.kind !== 'management') throw new Error('The key is not accepted.')
  expect(principal).toMatchObject({ brainRole: 'manager', viewer: principal.userId })
  for (const { name, endpoint } of endpoints.filter((one) => one.endpoint.path.includes('/brains/{handle}')))
    expect([name, (await ask(endpoint, principal, 'open')).status]).toEqual([
      name,
      endpoint.access === 'session' ? 403 : 200,
    ])
})
