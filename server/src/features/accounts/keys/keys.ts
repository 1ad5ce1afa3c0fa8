import type { Capability } from '@noema/contracts/access.ts'
import { capabilities as everyCapability } from '@noema/contracts/access.ts'
import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { BrainKey, ManagementKey, mintBrainKey, mintManagementKey, revokeBrainKey } from '@noema/contracts/keys.ts'
import type { z } from 'zod'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, refuseAt } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { makeFingerprint } from '../../platform/idempotency/idempotency.ts'
import {
  type BrainKeyRow,
  countBrainKeys,
  countManagementKeys,
  insertBrainKey,
  insertManagementKey,
  lockKeyCount,
  markBrainKeyRevoked,
  markManagementKeyRevoked,
  markReplaced,
  type NewKey,
  selectBrainKey,
  selectEndedWith,
  selectMintedBrainKey,
  selectMintedManagementKey,
} from './key-queries.ts'
import { brainKeyView, findManagementKey, managementKeyView, noSuchBrainKey } from './read-keys.ts'
import { holdAccess } from './revoking.ts'
import { hashToken, newToken, shownPrefix, type TokenPrefix } from './token.ts'

// Keys are minted, rotated and revoked here; `access` finds the key of a request. A secret is returned once and stored only as its
// hash (AUT-09).

type Deps = { db: Db; clock: Clock }
type MintingDeps = Deps & { limits: Pick<Limits, 'keys'> }

/** No key that expires, and no grant of an app, works for longer. */
export const maxKeyDays = 365

/** Refuses one key more than there may be, of an organization or a Brain. */
export const checkRoom = (keys: number, { limits }: Pick<MintingDeps, 'limits'>): void => {
  if (keys >= limits.keys)
    throw conflict(`There are ${keys} keys that work here, which is the maximum. Revoke those that are not used.`, {
      code: 'too_many_keys',
    })
}
const dayMilliseconds = 86_400_000
const rotationOverlapMilliseconds = 60_000

type KeyDetails = { name: string; createdBy: string; expiresAt: Date | null; idempotencyKey: string | undefined }

const generateKey = (prefix: TokenPrefix, details: KeyDetails, fingerprint: unknown, now: Date) => {
  const secret = newToken(prefix)
  const key: NewKey = {
    id: newId('key', now),
    hash: hashToken(secret),
    name: details.name,
    prefix: shownPrefix(secret),
    createdBy: details.createdBy,
    createdAt: now,
    expiresAt: details.expiresAt,
    idempotencyKey: details.idempotencyKey ?? null,
    fingerprint: details.idempotencyKey === undefined ? null : makeFingerprint(fingerprint),
  }
  return { secret, key }
}

/** A replay returns the key without its secret; another request under the same idempotency key is refused (D-15b). */
const checkReplay = (found: { fingerprint: Buffer | null } | undefined, key: NewKey): void => {
  if (!found?.fingerprint || !key.fingerprint?.equals(found.fingerprint))
    throw conflict(
      'This idempotencyKey minted a key with another name, capabilities or expiry. Send a new idempotencyKey.',
      {
        code: 'idempotency_key_reused',
      },
    )
}

const checkExpiry = (expiresAt: string | undefined, now: Date): Date | null => {
  if (expiresAt === undefined) return null
  const days = (Date.parse(expiresAt) - now.getTime()) / dayMilliseconds
  if (days < 1 || days > maxKeyDays) {
    const message = `expiresAt must be 1 to ${maxKeyDays} days in the future.`
    throw refuseAt(['expiresAt'], message)
  }
  return new Date(expiresAt)
}

/** Mints a management key for a member of an organization: a signed-in one, or one that the operator names. */
export const mintKey = async (
  deps: MintingDeps,
  member: { organizationId: string; userId: string; actor?: Actor },
  given: BodyOutput<typeof mintManagementKey>,
): Promise<{ key: ManagementKey; secret: string | null }> => {
  const now = deps.clock.now()
  const { organizationId, userId: createdBy } = member
  const { name, idempotencyKey } = given
  // A replay ignores whether the expiry is still in the future: it returns the minted key.
  const replayed =
    idempotencyKey && (await selectMintedManagementKey(deps.db, { organizationId, createdBy }, idempotencyKey))
  const expiresAt = replayed && given.expiresAt ? new Date(given.expiresAt) : checkExpiry(given.expiresAt, now)
  const details = { name, createdBy, expiresAt, idempotencyKey }
  const { secret, key } = generateKey('nsk', details, [name, given.expiresAt ?? null], now)
  const minted = replayed
    ? undefined
    : await deps.db.transaction().execute(async (tx) => {
        if (member.actor) await holdAccess(tx, member.actor, member)
        await lockKeyCount(tx, { organizationId })
        if (idempotencyKey && (await selectMintedManagementKey(tx, { organizationId, createdBy }, idempotencyKey)))
          return undefined
        checkRoom(await countManagementKeys(tx, organizationId, now), deps)
        const made = await insertManagementKey(tx, organizationId, key)
        if (made) {
          const by = member.actor ?? { type: 'system', id: 'operator', userId: createdBy }
          const target = { type: 'management_key', id: made.id, name }
          await addAudit(tx, { organizationId, by, action: 'key.minted', target, after: { expiresAt } }, now)
        }
        return made
      })
  if (minted) return { key: managementKeyView(minted, now), secret }
  const found =
    replayed || (await selectMintedManagementKey(deps.db, { organizationId, createdBy }, idempotencyKey ?? ''))
  checkReplay(found || undefined, key)
  if (!found) throw conflict('This key could not be minted. Try again with a new idempotencyKey.')
  return { key: managementKeyView(found, now), secret: null }
}

/** Revokes a management key; its next request is refused. Members revoke their own, owners and admins any (D-13). */
export const revokeKey = async (
  deps: Deps,
  member: { organizationId: string; userId: string; role: string; actor: Actor },
  id: string,
): Promise<ManagementKey> => {
  const now = deps.clock.now()
  const { organizationId, userId, role, actor: by } = member
  const found = await findManagementKey(deps, organizationId, id)
  if (found.createdBy !== userId && role !== 'owner' && role !== 'admin')
    throw forbidden(
      'Somebody else minted this key. Its minter, an owner or an admin of the organization can revoke it.',
    )
  if (found.revokedAt !== null) return managementKeyView(found, now)
  return deps.db.transaction().execute(async (tx) => {
    const row = await markManagementKeyRevoked(tx, organizationId, id, now)
    const target = { type: 'management_key', id, name: found.name }
    await addAudit(tx, { organizationId, by, action: 'key.revoked', target }, now)
    return managementKeyView(row ?? found, now)
  })
}

const inOrder = (granted: readonly Capability[]): Capability[] =>
  everyCapability.filter((name) => granted.includes(name))

/** The Brain of a key, and the maker. `owner`: whose keys they may change; undefined for all. */
type BrainKeyTarget = { organizationId: string; brainId: number; handle: string; createdBy: Actor; owner?: Viewer }

const toAct = ({ organizationId, handle, createdBy }: BrainKeyTarget, action: AuditAction, key: BrainKeyRow) => ({
  ...{ organizationId, by: createdBy, action },
  target: { type: 'brain_key', id: key.id, name: key.name, brain: handle },
})

/** Mints a key for one Brain. */
export const mintKeyForBrain = async (
  deps: MintingDeps,
  target: BrainKeyTarget,
  given: BodyOutput<typeof mintBrainKey>,
): Promise<{ key: BrainKey; secret: string | null }> => {
  const now = deps.clock.now()
  const { brainId, createdBy } = target
  const { name, idempotencyKey } = given
  const capabilities = inOrder(given.capabilities)
  const details = { name, createdBy: createdBy.id, expiresAt: null, idempotencyKey }
  const { secret, key } = generateKey('nbk', details, [name, capabilities], now)
  const people = createdBy.userId === undefined ? [] : [createdBy.userId]
  const { minted, found } = await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, target)
    await lockKeyCount(tx, { brainId })
    // A repeat finds its key, even if that key was the last one allowed.
    const earlier = idempotencyKey && (await selectMintedBrainKey(tx, brainId, createdBy.id, idempotencyKey))
    if (earlier) return { found: earlier }
    checkRoom(await countBrainKeys(tx, brainId, now), deps)
    const made = await insertBrainKey(tx, brainId, { ...key, capabilities, people, line: null })
    if (made) await addAudit(tx, { ...toAct(target, 'key.minted', made), after: { capabilities } }, now)
    return { minted: made }
  })
  if (minted) return { key: brainKeyView(minted, now), secret }
  checkReplay(found, key)
  if (!found) throw conflict('This key could not be minted. Try again with a new idempotencyKey.')
  return { key: brainKeyView(found, now), secret: null }
}

/** Returns the chain of a replacement: that of the key, and its people together with the person who rotates it. */
const lineAfter = ({ id, line, people }: BrainKeyRow, { userId }: Actor) => ({
  line: line ?? id,
  people: [...new Set([...people, ...(userId === undefined ? [] : [userId])])],
})

/** Mints a replacement with the same name and capabilities; the old secret works for 60 more seconds (KEY-07). */
export const rotateKey = (deps: Deps, target: BrainKeyTarget, id: string) =>
  deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, target.createdBy, target)
    const now = deps.clock.now()
    const { brainId, createdBy } = target
    const old = await selectBrainKey(tx, brainId, id, { lock: true, owner: target.owner })
    if (!old) throw noSuchBrainKey(id)
    const { status } = brainKeyView(old, now)
    if (status !== 'active' || old.replacedBy !== null)
      throw conflict(`This key is ${old.replacedBy ? 'replaced' : status} already. Mint a new one instead.`)
    const details = { name: old.name, createdBy: createdBy.id, expiresAt: null, idempotencyKey: undefined }
    const { secret, key } = generateKey('nbk', details, undefined, now)
    const minted = await insertBrainKey(tx, brainId, {
      ...key,
      ...lineAfter(old, createdBy),
      capabilities: old.capabilities,
    })
    if (!minted) throw conflict('This key could not be replaced. Try again.')
    const worksUntil = new Date(now.getTime() + rotationOverlapMilliseconds)
    await markReplaced(tx, brainId, id, { id: minted.id, worksUntil })
    await addAudit(tx, { ...toAct(target, 'key.rotated', old), after: { replacedBy: minted.id, worksUntil } }, now)
    return { key: brainKeyView(minted, now), secret, previous: { id, worksUntil: worksUntil.toISOString() } }
  })

/** Pauses the webhooks of keys. */
type PauseWebhooks = (tx: Tx, made: Made, brainId: number) => Promise<RevokedBrainKey['paused']['webhooks']>
type RevokedBrainKey = z.infer<typeof revokeBrainKey.result>

/**
 * Revokes a Brain key; its next request is refused. Its webhooks have no other owner, so they are paused, together with those of
 * the keys that it replaced.
 */
export const revokeBrainKeyById = (
  { db, clock, pauseWebhooks }: Deps & { pauseWebhooks: PauseWebhooks },
  target: BrainKeyTarget,
  id: string,
): Promise<RevokedBrainKey> =>
  db.transaction().execute(async (tx) => {
    const now = clock.now()
    const { brainId, organizationId } = target
    const held = await selectBrainKey(tx, brainId, id, { lock: true, owner: target.owner })
    const row = held && (await markBrainKeyRevoked(tx, brainId, id, now))
    if (!row) throw noSuchBrainKey(id)
    if (held.revokedAt !== null) return { key: brainKeyView(row, now), paused: { webhooks: [] } }
    await addAudit(tx, toAct(target, 'key.revoked', row), now)
    const makers = await selectEndedWith(tx, brainId, id, now)
    const webhooks = await pauseWebhooks(tx, { makers, organizationIds: [organizationId] }, brainId)
    return { key: brainKeyView(row, now), paused: { webhooks } }
  })
