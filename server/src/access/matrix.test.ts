import { randomBytes } from 'node:crypto'
import { endpoints } from '@noema/contracts/api.ts'
import { mcp } from '@noema/contracts/mcp.ts'
import { beforeAll, expect, test } from 'vitest'
import { newToken } from '../features/accounts/keys/token.ts'
import { createBrain, createMember, type TestBrain } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'
import { type SampleCall, sampleCall, sampledEndpoints, stateOf } from '../test/sample-calls.ts'

// Who may call what, written down once more by hand: the same table as the contracts', so that neither moves alone.

type Needs = 'any credential' | 'session' | 'management key' | readonly string[]

const needs: Record<string, Needs> = {
  whoami: 'any credential',
  'keys.mint': 'session',
  'keys.list': 'session',
  'keys.revoke': 'session',
  'brains.put': 'management key',
  'brains.get': ['read'],
  'brains.list': 'management key',
  'brains.patch': ['admin'],
  'brains.delete': 'management key',
  'webhooks.create': 'management key',
  'webhooks.list': 'management key',
  'webhooks.delete': 'management key',
  'webhooks.test': 'management key',
  'webhooks.rotate': 'management key',
  'webhooks.deliveries': 'management key',
  'webhooks.redeliver': 'management key',
  'schemas.put': 'management key',
  'schemas.get': 'management key',
  'schemas.list': 'management key',
  'brain.hold': 'management key',
  'brain.release': 'management key',
  'brain.export': 'management key',
  'brain.import': 'management key',
  'brain.keys.mint': 'management key',
  'brain.keys.list': 'management key',
  'brain.keys.rotate': 'management key',
  'brain.keys.revoke': 'management key',
  'brain.records.create': ['write'],
  'brain.records.put': ['write'],
  'brain.records.patch': ['write'],
  'brain.records.delete': ['write'],
  'brain.records.get': ['read'],
  'brain.records.list': ['read'],
  'brain.records.history': ['read'],
  'brain.statements.assert': ['write'],
  'brain.statements.retract': ['write'],
  'brain.statements.get': ['read'],
  'brain.statements.list': ['read'],
  'brain.documents.put': ['write'],
  'brain.documents.retire': ['write'],
  'brain.documents.get': ['read'],
  'brain.documents.list': ['read'],
  'brain.documents.versions': ['read'],
  'brain.batch': ['write'],
  'brain.snapshots.plan': ['write'],
  'brain.snapshots.apply': ['write'],
  'brain.snapshots.get': ['read'],
  'brain.snapshots.list': ['read'],
  'brain.changes.list': ['review'],
  'brain.changes.get': ['review'],
  'brain.changes.decide': ['review'],
  'brain.changes.publish': ['review'],
  'brain.changes.cancel': ['review'],
  'brain.changes.rebase': ['review'],
  'brain.changes.revert': ['write', 'review'],
  'brain.schema.get': ['read'],
  'brain.schema.evolve': ['admin'],
  'brain.schema.promote': ['admin'],
  'brain.schema.emerged': ['read'],
  'brain.schema.lineage': 'management key',
  'brain.events.list': ['read'],
  // Any key of the Brain connects; what it is shown are the tools that it may use.
  'brain.mcp': [],
  'brain.search': ['read'],
  'brain.context': ['read'],
  'brain.query': ['read'],
  'brain.receipts.get': ['read'],
  'brain.receipts.list': ['read'],
  'brain.webhooks.create': ['read', 'admin'],
  'brain.webhooks.list': ['admin'],
  'brain.webhooks.delete': ['admin'],
  'brain.webhooks.test': ['admin'],
  'brain.webhooks.rewind': ['admin'],
  'brain.webhooks.rotate': ['admin'],
  'brain.webhooks.deliveries': ['admin'],
}

type Credential =
  | { kind: 'nobody' | 'invalid' | 'management' | 'foreign management' | 'other Brain' | 'session' }
  | { kind: 'Brain'; holds: readonly string[] }

const success = 200

/** The answer that the rules give: 200 stands for every success. */
const expectedStatus = (need: Needs, credential: Credential, isAboutOne: boolean): number => {
  const { kind } = credential
  if (kind === 'nobody' || kind === 'invalid') return 401
  if (need === 'any credential') return success
  if (kind === 'session') return need === 'session' ? success : 401
  if (need === 'session') return 403
  if (kind === 'management') return success
  if (kind === 'foreign management') return isAboutOne ? 404 : success
  if (need === 'management key') return 401
  if (credential.kind !== 'Brain') return 404
  return need.every((one) => credential.holds.includes(one)) ? success : 403
}

const all = ['read', 'write', 'review', 'admin'] as const
const capabilitySets = Array.from({ length: 16 }, (_, bits) => all.filter((_name, index) => bits & (1 << index)))

const app = useApp()
let brain: TestBrain
let credentials: { name: string; headers: Record<string, string>; credential: Credential }[]

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** A key without capabilities cannot be minted; this is what remains of one whose capabilities were taken in the database. */
const keyWith = async (holds: readonly string[]): Promise<string> => {
  const key = await brain.mintKey(holds.length > 0 ? [...holds] : ['read'])
  if (holds.length === 0) {
    const { body } = await brain.call('GET', '/keys?limit=500')
    const params = [body.data.keys.at(-1).id]
    await app.database.pool.query(`update brain_keys set capabilities = '{}' where id = $1`, params)
  }
  return key
}

const revokedKeys = async () => {
  const management = await app.request('POST', '/v1/keys', { headers: brain.session, body: { name: 'revoked' } })
  await app.request('DELETE', `/v1/keys/${management.body.data.key.id}`, { headers: brain.session })
  const onBrain = await brain.call('POST', '/keys', { name: 'revoked', capabilities: all })
  await brain.call('DELETE', `/keys/${onBrain.body.data.key.id}`)
  return [management, onBrain].map(({ body }) => body.data.secret as string)
}

const expiredKeys = async () => {
  const expiresAt = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString()
  const body = { name: 'expired', expiresAt }
  const management = await app.request('POST', '/v1/keys', { headers: brain.session, body })
  const onBrain = await brain.call('POST', '/keys', { name: 'expired', capabilities: all })
  await brain.call('POST', `/keys/${onBrain.body.data.key.id}/rotate`)
  app.clock.advance({ days: 3 })
  return [management, onBrain].map(({ body }) => body.data.secret as string)
}

const removedMembersKey = async (): Promise<string> => {
  const guest = await joinOrganization(app, brain)
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  await removeMember(app, brain, guest)
  return minted.body.data.secret
}

const otherBrainsKey = async (): Promise<string> => {
  await app.request('PUT', '/v1/brains/other', { key: brain.key })
  const body = { name: 'other', capabilities: all }
  return (await app.request('POST', '/v1/brains/other/keys', { key: brain.key, body })).body.data.secret
}

beforeAll(async () => {
  brain = await createBrain(app, 'subject')
  const invalid: Credential = { kind: 'invalid' }
  const [revoked, revokedOnBrain] = await revokedKeys()
  const [expired, expiredOnBrain] = await expiredKeys()
  const keys: [string, string | undefined, Credential][] = [
    ['a malformed key', 'nsk_short', invalid],
    ['a key of no known prefix', randomBytes(25).toString('hex'), invalid],
    ['an unknown management key', newToken('nsk'), invalid],
    ['an unknown Brain key', newToken('nbk'), invalid],
    ['a revoked management key', revoked, invalid],
    ['a revoked Brain key', revokedOnBrain, invalid],
    ['an expired management key', expired, invalid],
    ['a Brain key rotated long ago', expiredOnBrain, invalid],
    ["a removed member's key", await removedMembersKey(), invalid],
    ['another Brain', await otherBrainsKey(), { kind: 'other Brain' }],
    ['the management key', brain.key, { kind: 'management' }],
    ["another organization's management key", (await createMember(app)).key, { kind: 'foreign management' }],
  ]
  for (const holds of capabilitySets)
    keys.push([`a Brain key with ${holds.join('+') || 'nothing'}`, await keyWith(holds), { kind: 'Brain', holds }])
  credentials = [
    { name: 'nothing', headers: {}, credential: { kind: 'nobody' } },
    { name: 'the session cookie', headers: brain.session, credential: { kind: 'session' } },
    ...keys.map(([name, key = '', credential]) => ({ name, headers: bearer(key), credential })),
  ]
})

const send = async ({ method, path, body, headers: own }: SampleCall, headers: Record<string, string>) => {
  const answer = await app.request(method, path, {
    headers: { ...own, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return answer.status < 300 ? success : answer.status
}

/** The statuses that were answered, or else those that are expected, by the credential's name. */
const byName = (rows: readonly { name: string; status: number }[], answered?: readonly number[]) =>
  Object.fromEntries(rows.map(({ name, status }, index) => [name, answered ? answered[index] : status]))

test('every endpoint has its place in the table of access and a sample call', () => {
  expect(endpoints.map(({ name }) => name).filter((name) => !Object.hasOwn(needs, name))).toEqual([])
  const sampled = sampledEndpoints.map(({ name }) => name)
  expect(endpoints.map(({ name }) => name).filter((name) => !sampled.includes(name))).toEqual([])
})

test.each([...sampledEndpoints, { name: 'brain.mcp', endpoint: mcp }])(
  'AUT-02 AUT-03 AUT-04 AUT-05 AUT-06 AUT-07 SUR-11 $name lets through exactly whom the table names, and a refused call changes nothing',
  async ({ name, endpoint }) => {
    const creates = ['brains.put', 'schemas.put']
    const isAboutOne = endpoint.path.includes('{') && endpoint.path !== '/v1/keys/{id}' && !creates.includes(name)
    const rows = credentials.map(({ credential, ...row }) => ({
      ...row,
      status: expectedStatus(needs[name] ?? 'any credential', credential, isAboutOne),
    }))
    const refusedCall = await sampleCall(app, brain, { name, endpoint })
    const before = await stateOf(app, brain)
    const refused = rows.filter(({ status }) => status !== success)
    const refusals = await Promise.all(refused.map(({ headers }) => send(refusedCall, headers)))
    expect(byName(refused, refusals)).toEqual(byName(refused))
    expect(await stateOf(app, brain)).toEqual(before)
    const accepted = rows.filter(({ status }) => status === success)
    const answers = await Promise.all(
      accepted.map(async ({ headers }) => send(await sampleCall(app, brain, { name, endpoint }), headers)),
    )
    expect(byName(accepted, answers)).toEqual(byName(accepted))
  },
)
