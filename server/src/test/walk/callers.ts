import { randomBytes } from 'node:crypto'
import { newToken } from '../../features/accounts/keys/token.ts'
import { createMember, type TestApp, type TestBrain } from '../app.ts'
import type { Needs } from '../endpoints/row.ts'
import { joinOrganization, removeMember } from '../organizations.ts'

// Every sort of caller, and the status that the rules give each of them.

type Credential =
  | { kind: 'nobody' | 'invalid' | 'management' | 'foreign management' | 'other Brain' }
  | { kind: 'session' | 'foreign session' | 'outsider' | 'session without organization' | 'session without origin' }
  | { kind: 'Brain'; holds: readonly string[] }

export type Caller = { name: string; headers: Record<string, string>; credential: Credential }

/** Stands for every success. */
export const success = 200

/** A signed-in browser may do as much as a management key of the organization that it names, and use /v1/keys (D-13b). */
const sessionStatus = (need: Needs, { kind }: Credential, foreign: number): number => {
  if (kind === 'session without origin') return 403
  if (need === 'any credential' || need === 'account') return success
  // The member signed up first, which makes them the administrator.
  if (need === 'administrator') return kind.startsWith('session') ? success : 403
  if (kind === 'session without organization') return 400
  if (kind === 'outsider') return 403
  return kind === 'foreign session' ? foreign : success
}

/** A public endpoint takes every caller but one with a wrong credential. */
const publicStatus = ({ kind }: Credential): number => {
  if (kind === 'invalid') return 401
  return kind === 'session without origin' ? 403 : success
}

/** The status that the rules give; `foreign` is that of another organization. */
export const expectedStatus = (need: Needs, credential: Credential, foreign: number): number => {
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

export const allCapabilities = ['read', 'write', 'review', 'admin'] as const

/** The sets of capabilities that no other Brain key tells more about an endpoint than: none, all, exactly those needed, and all but one. */
const readingSets = (need: Needs): string[] => {
  const needed = typeof need === 'object' ? need : []
  const allBut = needed.map((left) => allCapabilities.filter((one) => one !== left))
  return [[], allCapabilities, needed, ...allBut].map((set) => set.join('+'))
}

/** The callers whose answers from an endpoint are asked for. */
export const findCallers = (callers: readonly Caller[], need: Needs): Caller[] => {
  const sets = readingSets(need)
  return callers.filter(({ credential }) => credential.kind !== 'Brain' || sets.includes(credential.holds.join('+')))
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** A key without capabilities cannot be minted: this one lost its capabilities in the database. */
const keyWith = async (app: TestApp, brain: TestBrain, holds: readonly string[]): Promise<string> => {
  const key = await brain.mintKey(holds.length > 0 ? [...holds] : ['read'])
  if (holds.length === 0) {
    const { body } = await brain.call('GET', '/keys?limit=500')
    const params = [body.data.keys.at(-1).id]
    await app.database.pool.query(`update brain_keys set capabilities = '{}' where id = $1`, params)
  }
  return key
}

const revokedKeys = async (app: TestApp, brain: TestBrain) => {
  const management = await app.request('POST', '/v1/keys', { headers: brain.session, body: { name: 'revoked' } })
  await app.request('DELETE', `/v1/keys/${management.body.data.key.id}`, { headers: brain.session })
  const onBrain = await brain.call('POST', '/keys', { name: 'revoked', capabilities: allCapabilities })
  await brain.call('DELETE', `/keys/${onBrain.body.data.key.id}`)
  return [management, onBrain].map(({ body }) => body.data.secret as string)
}

/** Moves the clock. */
const expiredKeys = async (app: TestApp, brain: TestBrain) => {
  const expiresAt = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString()
  const body = { name: 'expired', expiresAt }
  const management = await app.request('POST', '/v1/keys', { headers: brain.session, body })
  const onBrain = await brain.call('POST', '/keys', { name: 'expired', capabilities: allCapabilities })
  await brain.call('POST', `/keys/${onBrain.body.data.key.id}/rotate`)
  app.clock.advance({ days: 3 })
  return [management, onBrain].map((answer) => answer.body.data.secret as string)
}

const removedMember = async (app: TestApp, brain: TestBrain) => {
  const guest = await joinOrganization(app, brain)
  const minted = await app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'guest' } })
  await removeMember(app, brain, guest)
  return { session: guest.session, key: minted.body.data.secret as string }
}

type Session = TestBrain['session']

/** Browsers: of a member, of a stranger in their own organization, and of those that a check must refuse. */
const sessions = (own: Session, stranger: Session, removed: Session): Caller[] => {
  const { 'x-organization-id': organization, ...unnamed } = own
  const { origin: _left, ...withoutOrigin } = own
  const rows: [string, Record<string, string>, Credential['kind']][] = [
    ['the session of a member', own, 'session'],
    ["the session of another organization's member", stranger, 'foreign session'],
    [
      'a session that names an organization not its own',
      { ...stranger, 'x-organization-id': organization },
      'outsider',
    ],
    ['the session of a removed member', removed, 'outsider'],
    ['a session that names no organization', unnamed, 'session without organization'],
    ['a session without a trusted origin', withoutOrigin, 'session without origin'],
  ]
  return rows.map(([name, headers, kind]) => ({ name, headers, credential: { kind } as Credential }))
}

const otherBrainsKey = async (app: TestApp, brain: TestBrain): Promise<string> => {
  await app.request('PUT', '/v1/brains/other', { key: brain.key })
  const body = { name: 'other', capabilities: allCapabilities }
  return (await app.request('POST', '/v1/brains/other/keys', { key: brain.key, body })).body.data.secret
}

/** Every set of capabilities that some endpoint needs exactly, all but one of, all of or none of. */
const toSets = (needs: readonly Needs[]): string[][] =>
  [...new Set(needs.flatMap(readingSets))].map((set) => (set === '' ? [] : set.split('+')))

/** Every sort of caller of a Brain whose owner is the first account of the app. */
export const createCallers = async (app: TestApp, brain: TestBrain, needs: readonly Needs[]): Promise<Caller[]> => {
  const invalid: Credential = { kind: 'invalid' }
  const stranger = await createMember(app)
  const [revoked, revokedOnBrain] = await revokedKeys(app, brain)
  const [expired, expiredOnBrain] = await expiredKeys(app, brain)
  const removed = await removedMember(app, brain)
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
    ['another Brain', await otherBrainsKey(app, brain), { kind: 'other Brain' }],
    ['the management key', brain.key, { kind: 'management' }],
    ["another organization's management key", stranger.key, { kind: 'foreign management' }],
  ]
  for (const holds of toSets(needs))
    keys.push([
      `a Brain key with ${holds.join('+') || 'nothing'}`,
      await keyWith(app, brain, holds),
      { kind: 'Brain', holds },
    ])
  return [
    { name: 'nothing', headers: {}, credential: { kind: 'nobody' } },
    ...sessions(brain.session, stranger.session, removed.session),
    ...keys.map(([name, key = '', credential]) => ({ name, headers: bearer(key), credential })),
  ]
}
