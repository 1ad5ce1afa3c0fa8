import { randomBytes } from 'node:crypto'
import { defineEndpoint } from '@noema/contracts/endpoint.ts'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { defineBinding } from '../api/binding.ts'
import { newToken } from '../features/accounts/keys/token.ts'
import { createBrain, createMember, type TestBrain } from '../test/app.ts'
import { allEndpoints, endpointRows, endsCaller } from '../test/endpoints/all.ts'
import type { Needs } from '../test/endpoints/row.ts'
import { useOwnApp } from '../test/harness.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'
import { readState, type SampleCall, sampleCall } from '../test/sample-calls.ts'
import { serveBindings } from '../test/serve-bindings.ts'

// Who may call what: every endpoint by every sort of caller.

type Credential =
  | { kind: 'nobody' | 'invalid' | 'management' | 'foreign management' | 'other Brain' }
  | { kind: 'session' | 'foreign session' | 'outsider' | 'session without organization' | 'session without origin' }
  | { kind: 'Brain'; holds: readonly string[] }

const success = 200

/** What a signed-in browser gets: as much as a management key of the organization that it names, and /v1/keys (D-13b). */
const sessionStatus = (need: Needs, { kind }: Credential, foreign: number): number => {
  if (kind === 'session without origin') return 403
  if (need === 'any credential' || need === 'account') return success
  // The member signed up first, which makes them the administrator.
  if (need === 'administrator') return kind.startsWith('session') ? success : 403
  if (kind === 'session without organization') return 400
  if (kind === 'outsider') return 403
  return kind === 'foreign session' ? foreign : success
}

/** What is open to all is so to whoever says truly who they are, and to whoever does not say it. */
const publicStatus = ({ kind }: Credential): number => {
  if (kind === 'invalid') return 401
  return kind === 'session without origin' ? 403 : success
}

/** The answer that the rules give: 200 stands for every success. */
const expectedStatus = (need: Needs, credential: Credential, foreign: number): number => {
  const { kind } = credential
  if (need === 'nobody') return publicStatus(credential)
  if (kind === 'nobody' || kind === 'invalid') return 401
  if (kind.includes('session') || kind === 'outsider') return sessionStatus(need, credential, foreign)
  if (need === 'any credential') return success
  if (need === 'session' || need === 'account') return 403
  if (kind === 'management') return success
  if (need === 'administrator') return 403
  if (kind === 'foreign management') return foreign
  if (need === 'management') return 401
  if (credential.kind !== 'Brain') return 404
  return need.every((one) => credential.holds.includes(one)) ? success : 403
}

const all = ['read', 'write', 'review', 'admin'] as const
const capabilitySets = Array.from({ length: 16 }, (_, bits) => all.filter((_name, index) => bits & (1 << index)))

// Every identity calls at once here, which is more than one webhook is tested at once.
const app = useOwnApp({ NOEMA_MAX_WEBHOOK_TESTS: '200/200/200' })
let brain: TestBrain
type Member = Awaited<ReturnType<typeof createMember>>
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

const removedMember = async () => {
  const guest = await joinOrganization(app, brain)
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  await removeMember(app, brain, guest)
  return { session: guest.session, key: minted.body.data.secret as string }
}

/** Browsers: of a member, of a stranger in their own organization, and of those whom a check must refuse. */
const sessions = (stranger: Member, removed: { session: Member['session'] }): typeof credentials => {
  const { 'x-organization-id': organization, ...unnamed } = brain.session
  const { origin: _left, ...withoutOrigin } = brain.session
  const rows: [string, Record<string, string>, Credential['kind']][] = [
    ['the session of a member', brain.session, 'session'],
    ["the session of another organization's member", stranger.session, 'foreign session'],
    [
      'a session that names an organization not its own',
      { ...stranger.session, 'x-organization-id': organization },
      'outsider',
    ],
    ['the session of a removed member', removed.session, 'outsider'],
    ['a session that names no organization', unnamed, 'session without organization'],
    ['a session without a trusted origin', withoutOrigin, 'session without origin'],
  ]
  return rows.map(([name, headers, kind]) => ({ name, headers, credential: { kind } as Credential }))
}

const otherBrainsKey = async (): Promise<string> => {
  await app.request('PUT', '/v1/brains/other', { key: brain.key })
  const body = { name: 'other', capabilities: all }
  return (await app.request('POST', '/v1/brains/other/keys', { key: brain.key, body })).body.data.secret
}

beforeAll(async () => {
  brain = await createBrain(app, 'subject')
  const invalid: Credential = { kind: 'invalid' }
  const stranger = await createMember(app)
  const [revoked, revokedOnBrain] = await revokedKeys()
  const [expired, expiredOnBrain] = await expiredKeys()
  const removed = await removedMember()
  const keys: [string, string | undefined, Credential][] = [
    ['a malformed key', 'nsk_short', invalid],
    ['a key of no known prefix', randomBytes(25).toString('hex'), invalid],
    ['an unknown management key', newToken('nsk'), invalid],
    ['an unknown Brain key', newToken('nbk'), invalid],
    ['a revoked management key', revoked, invalid],
    ['a revoked Brain key', revokedOnBrain, invalid],
    ['an expired management key', expired, invalid],
    ['a Brain key rotated long ago', expiredOnBrain, invalid],
    ["a removed member's key", removed.key, invalid],
    ['another Brain', await otherBrainsKey(), { kind: 'other Brain' }],
    ['the management key', brain.key, { kind: 'management' }],
    ["another organization's management key", stranger.key, { kind: 'foreign management' }],
  ]
  for (const holds of capabilitySets)
    keys.push([`a Brain key with ${holds.join('+') || 'nothing'}`, await keyWith(holds), { kind: 'Brain', holds }])
  credentials = [
    { name: 'nothing', headers: {}, credential: { kind: 'nobody' } },
    ...sessions(stranger, removed),
    ...keys.map(([name, key = '', credential]) => ({ name, headers: bearer(key), credential })),
  ]
})

const send = async (
  name: string,
  { method, path, body, headers: own }: SampleCall,
  headers: Record<string, string>,
) => {
  const isEnd = endsCaller.includes(name)
  const sent = isEnd ? { confirm: 'not its name' } : body
  const answer = await app.request(method, path, {
    headers: isEnd ? headers : { ...own, ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  // Whoever is let in to what ends them is asked to confirm it.
  const isAsked = isEnd && answer.body.error?.details?.[0]?.path === 'body.confirm'
  return answer.status < 300 || isAsked ? success : answer.status
}

/** The statuses that were answered, or else those that are expected, by the credential's name. */
const byName = (rows: readonly { name: string; status: number }[], answered?: readonly number[]) =>
  Object.fromEntries(rows.map(({ name, status }, index) => [name, answered ? answered[index] : status]))

test('D-17 an endpoint for administrators lets through them alone', async () => {
  const [method, path] = ['GET', '/v1/admin/sample'] as const
  const endpoint = defineEndpoint({
    ...{ method, path, summary: 'Administer', access: 'administrator' },
    ...{ status: [200], result: z.object({}) },
  })
  const served = await serveBindings(app, [defineBinding(endpoint, async () => ({ data: {} }))])
  const rows = credentials.map(({ credential, ...row }) => ({
    ...row,
    status: expectedStatus('administrator', credential, success),
  }))
  const answers = await Promise.all(rows.map(({ headers }) => served.request(method, path, { headers })))
  await served.close()
  const statuses = answers.map(({ status }) => status)
  expect(byName(rows, statuses)).toEqual(byName(rows))
})

/** What another organization is answered where the body names an agent, which it does not have. */
const ofBody: Record<string, number> = { 'runs.start': 404, 'triggers.create': 400, 'schedules.create': 400 }

test.each(allEndpoints)(
  'AUT-02 AUT-03 AUT-04 AUT-05 AUT-06 AUT-07 D-13b SUR-11 $name lets through exactly whom the table names, and a refused call changes nothing',
  async ({ name, endpoint }) => {
    const creates = ['brains.put', 'schemas.put', 'providers.put', 'packs.install']
    const isAboutOne = endpoint.path.includes('{') && !creates.includes(name)
    const foreign = ofBody[name] ?? (isAboutOne ? 404 : success)
    const rows = credentials.map(({ credential, ...row }) => ({
      ...row,
      status: expectedStatus(endpointRows[name].needs, credential, foreign),
    }))
    const refusedCall = await sampleCall(app, brain, { name, endpoint })
    const before = await readState(app, brain)
    const refused = rows.filter(({ status }) => status !== success)
    const refusals = await Promise.all(refused.map(({ headers }) => send(name, refusedCall, headers)))
    expect(byName(refused, refusals)).toEqual(byName(refused))
    expect(await readState(app, brain)).toEqual(before)
    const accepted = rows.filter(({ status }) => status === success)
    // One after the other: what only so many may do at once is no matter of who calls.
    const answers: number[] = []
    for (const { headers } of accepted)
      answers.push(await send(name, await sampleCall(app, brain, { name, endpoint }), headers))
    expect(byName(accepted, answers)).toEqual(byName(accepted))
  },
)
