import type { Actor } from '../../../shared/actor.ts'
import { unauthorized } from '../../../shared/errors.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import {
  type EndingBrainKey,
  holdKey,
  holdMember,
  lockManagementKeys,
  revokeBrainKeys,
  revokeManagementKeys,
  selectBrainKeysOfMakers,
} from './revoking-queries.ts'

// Revokes keys together with the access of the person who made them.

type KeysToEnd = {
  userId: string
  organizationIds: readonly string[]
  brainKeys: 'none' | 'made' | 'lines'
}

const liveOnes = (rows: readonly EndingBrainKey[]) =>
  rows.filter(({ wasLive }) => wasLive).map(({ id, name, brain }) => ({ id, name, brain }))

/**
 * Revokes a person's management keys, the grants of their apps and, as requested, the Brain keys that they or those keys minted.
 * Other things can also belong to the returned `makers`.
 */
export const revokeKeysOfPerson = async (
  db: Queryable,
  { userId, organizationIds, brainKeys }: KeysToEnd,
  now: Date,
) => {
  const keyIds = await lockManagementKeys(db, userId, organizationIds)
  const managementKeys = await revokeManagementKeys(db, keyIds, now)
  const made = { makers: [userId, ...keyIds], organizationIds }
  // An app acts for the person who let it in, so it ends with them; a Brain key belongs to its Brain.
  const ended = await revokeBrainKeys(db, { ...made, which: brainKeys === 'none' ? 'grants' : brainKeys }, now)
  const remaining = brainKeys === 'none' ? await selectBrainKeysOfMakers(db, made, now) : []
  return {
    managementKeys,
    brainKeys: liveOnes(ended),
    remainingBrainKeys: liveOnes(remaining),
    makers: [...made.makers, ...ended.map(({ id }) => id)],
  }
}

type AccessScope = { organizationId: string; brainId?: number }

const holds = (tx: Tx, actor: Actor, { organizationId, ...key }: AccessScope & { now?: Date }): Promise<boolean> =>
  actor.type === 'session' ? holdMember(tx, actor.id, organizationId) : holdKey(tx, actor.id, key)

/** True if an actor has access now: for links, which end with the access of their maker. */
export const hasAccess = (db: Db, actor: Actor, scope: AccessScope & { now: Date }): Promise<boolean> =>
  db.transaction().execute((tx) => holds(tx, actor, scope))

/**
 * Holds the caller's access until the transaction ends, so that no one makes something lasting after their access was revoked. Throws
 * 401 if it was.
 */
export const holdAccess = async (tx: Tx, actor: Actor, scope: AccessScope): Promise<void> => {
  if (!(await holds(tx, actor, scope)))
    throw unauthorized('Your access was revoked during this request. Sign in again, or use another key.')
}
