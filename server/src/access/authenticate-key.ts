import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { markKeysUsed } from '../features/accounts/keys/key-queries.ts'
import { hashToken, type TokenPrefix, tokenKind } from '../features/accounts/keys/token.ts'
import type { Actor } from '../shared/actor.ts'
import type { Clock } from '../shared/clock.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import { createLookUp } from './look-up.ts'
import { toOrganization } from './organization.ts'
import type { BrainPrincipal, ManagementPrincipal } from './principal.ts'
import {
  type FoundBrainKey,
  type FoundManagementKey,
  findBrainKey,
  findBrainKeys,
  findManagementKey,
  findManagementKeys,
  toWantedSet,
  type WantedKey,
} from './queries.ts'

// A request's key is looked up after the request has arrived and never remembered, so a revocation acts on the next
// request on every node. Requests that arrive while look-ups are under way share the next one.

const managementPrincipal = (row: FoundManagementKey): ManagementPrincipal => ({
  kind: 'management',
  actor: { type: 'key', id: row.keyId, userId: row.userId },
  userId: row.userId,
  keyCreatedAt: row.keyCreatedAt,
  organization: toOrganization(row, row.keyOrganizationId),
  brain: row.brainId === null ? undefined : row,
})

const brainKeyActor = ({ keyId, userId, line, rotatedBy }: FoundBrainKey): Actor => ({
  type: 'key',
  id: keyId,
  ...(userId === null ? {} : { userId }),
  ...(line === null ? {} : { line }),
  ...(rotatedBy === null || rotatedBy.length === 0 ? {} : { rotatedBy }),
})

const brainPrincipal = (row: FoundBrainKey): BrainPrincipal => ({
  kind: 'brain',
  actor: brainKeyActor(row),
  organization: toOrganization(row, row.organizationId),
  capabilities: row.capabilities,
  brain: row,
})

export type KeyAuthentication = {
  /** Who holds this token, if it works now. `handle` is the Brain that the request's path names. */
  authenticate(token: string, handle: string | undefined): Promise<ManagementPrincipal | BrainPrincipal | undefined>
  /** Writes down when keys were last used, which is done about once a minute. */
  noteUse(): Promise<void>
}

/** Finds out who holds a key. */
export const createKeyAuthentication = (deps: { db: Db; prepared: RunPrepared; clock: Clock }): KeyAuthentication => {
  const { prepared, clock } = deps
  const managementKey = createLookUp<WantedKey, FoundManagementKey>({
    one: (wanted) => prepared(findManagementKey({ ...wanted, now: clock.now() })),
    many: (wanted) => prepared(findManagementKeys({ wanted: toWantedSet(wanted), now: clock.now() })),
  })
  const brainKey = createLookUp<WantedKey, FoundBrainKey>({
    one: ({ hash }) => prepared(findBrainKey({ hash, now: clock.now() })),
    many: (wanted) => prepared(findBrainKeys({ wanted: toWantedSet(wanted), now: clock.now() })),
  })
  const used = new Set<string>()
  const find = async (kind: TokenPrefix, wanted: WantedKey) => {
    if (kind === 'nsk') {
      const row = await managementKey(wanted)
      return row && managementPrincipal(row)
    }
    const row = await brainKey(wanted)
    return row && brainPrincipal(row)
  }
  const noteOnce = async () => {
    if (used.size === 0) return
    const ids = [...used]
    used.clear()
    try {
      await markKeysUsed(deps.db, ids, deps.clock.now())
    } catch (error) {
      for (const id of ids) used.add(id)
      throw error
    }
  }
  let noting = Promise.resolve()
  return {
    authenticate: async (token, handle) => {
      const kind = tokenKind(token)
      if (kind === undefined) return undefined
      // What cannot be a handle names no Brain, and no text that PostgreSQL refuses reaches the set of others.
      const named = handleSchema.safeParse(handle).data
      const principal = await find(kind, { hash: hashToken(token).toString('hex'), handle: named })
      if (principal) used.add(principal.actor.id)
      return principal
    },
    noteUse: () => {
      // One after the other: whoever asks is told when what was used before is noted, be it by the one under way.
      noting = noting.catch(() => undefined).then(noteOnce)
      return noting
    },
  }
}
