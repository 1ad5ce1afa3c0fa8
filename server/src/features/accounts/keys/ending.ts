import type { Actor } from '../../../shared/actor.ts'
import { unauthorized } from '../../../shared/errors.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import {
  type EndingBrainKey,
  holdKey,
  holdMember,
  lockManagementKeys,
  revokeBrainKeys,
  revokeManagementKeys,
  selectBrainKeysOfMakers,
} from './ending-queries.ts'

// Keys that end with the access of whoever made them.

type KeysToEnd = {
  userId: string
  organizationIds: readonly string[]
  brainKeys: 'none' | 'made' | 'lines'
}

const liveOnes = (rows: readonly EndingBrainKey[]) =>
  rows.filter(({ wasLive }) => wasLive).map(({ id, name, brain }) => ({ id, name, brain }))

/**
 * Revokes a person's management keys, and the Brain keys that they or those minted as far as is asked. `makers` can have made
 * other things.
 */
export const revokeKeysOfPerson = async (
  db: Queryable,
  { userId, organizationIds, brainKeys }: KeysToEnd,
  now: Date,
) => {
  const keyIds = await lockManagementKeys(db, userId, organizationIds)
  const managementKeys = await revokeManagementKeys(db, keyIds, now)
  const made = { makers: [userId, ...keyIds], organizationIds }
  const ended =
    brainKeys === 'none' ? [] : await revokeBrainKeys(db, { ...made, wholeLines: brainKeys === 'lines' }, now)
  const remaining = brainKeys === 'none' ? await selectBrainKeysOfMakers(db, made, now) : []
  return {
    managementKeys,
    brainKeys: liveOnes(ended),
    remainingBrainKeys: liveOnes(remaining),
    makers: [...made.makers, ...ended.map(({ id }) => id)],
  }
}

/**
 * Keeps whoever makes something lasting from losing their access until the transaction ends, so that nothing is made by
 * who has just lost it. Throws 401 where they have.
 */
export const holdAccess = async (
  tx: Tx,
  actor: Actor,
  place: { organizationId: string; brainId?: number },
): Promise<void> => {
  const isHeld =
    actor.type === 'session'
      ? await holdMember(tx, actor.id, place.organizationId)
      : await holdKey(tx, actor.id, place.brainId)
  if (!isHeld) throw unauthorized('Your access ended while this was made. Sign in again, or use another key.')
}
