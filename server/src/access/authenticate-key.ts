import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { markKeysUsed } from '../features/accounts/keys/key-queries.ts'
import { hashToken, tokenKind } from '../features/accounts/keys/token.ts'
import type { Actor } from '../shared/actor.ts'
import type { Clock } from '../shared/clock.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import {
  type FoundAgentsGrant,
  type FoundBrainGrant,
  findAgentsGrant,
  findAgentsGrants,
  findBrainGrant,
  findBrainGrants,
} from './app-queries.ts'
import { createLookUp } from './look-up.ts'
import { limitCapabilities, toPersonalAccess } from './personal-access.ts'
import type { ActingApp, BrainPrincipal, ManagementPrincipal } from './principal.ts'
import {
  type FoundBrainKey,
  type FoundManagementKey,
  findBrainKey,
  findBrainKeys,
  findManagementKey,
  findManagementKeys,
  type RequestedKey,
  toRequestedSet,
} from './queries.ts'

// A request's key is looked up after the request has arrived and never cached, so a revocation acts on the next request on
// every node. Requests that arrive during look-ups share the next one.

const managementPrincipal = (row: FoundManagementKey): ManagementPrincipal => ({
  kind: 'management',
  actor: { type: 'key', id: row.keyId, userId: row.userId },
  userId: row.userId,
  keyCreatedAt: row.keyCreatedAt,
  organization: { id: row.keyOrganizationId, name: row.organizationName, tier: row.tier, verified: row.verified },
  ...toPersonalAccess(row, row.userId),
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
  organization: { id: row.organizationId, name: row.organizationName, tier: row.tier, verified: row.verified },
  capabilities: limitCapabilities(row.capabilities, row.brainRole),
  brain: row,
})

/** The app of a grant. Its capabilities are those of the grant, as far as its token and the role of its member go. */
const actingApp = ({ capabilities, scopes, appName }: FoundBrainGrant | FoundAgentsGrant): ActingApp => ({
  name: appName,
  capabilities: capabilities.filter((name) => scopes.includes(name)),
})

const brainGrantPrincipal = (row: FoundBrainGrant): BrainPrincipal => {
  const granted = actingApp(row)
  const app = { ...granted, capabilities: limitCapabilities(granted.capabilities, row.brainRole) }
  return { ...brainPrincipal(row), capabilities: app.capabilities, app }
}

/** Looks up the grants of apps. An app has no key, so most nodes never prepare these statements. */
const createAppLookUps = ({ prepared, clock }: { prepared: RunPrepared; clock: Clock }) => {
  const at = () => ({ now: clock.now().toISOString() })
  const ofBrain = createLookUp<RequestedKey, FoundBrainGrant>({
    one: (requested) => prepared(findBrainGrant({ ...requested, ...at() })),
    many: (requested) => prepared(findBrainGrants({ requested: toRequestedSet(requested), ...at() })),
  })
  const ofAgents = createLookUp<RequestedKey, FoundAgentsGrant>({
    one: (requested) => prepared(findAgentsGrant({ ...requested, ...at() })),
    many: (requested) => prepared(findAgentsGrants({ requested: toRequestedSet(requested), ...at() })),
  })
  /** A token of a Brain is unknown at every other one, and at the agents: it is not for them. */
  return async (requested: RequestedKey): Promise<BrainPrincipal | ManagementPrincipal | undefined> => {
    if (requested.handle !== undefined) {
      const row = await ofBrain(requested)
      return row && brainGrantPrincipal(row)
    }
    const row = await ofAgents(requested)
    return row && { ...managementPrincipal(row), app: actingApp(row) }
  }
}

export type KeyAuthentication = {
  /**
   * Returns the principal of this token if it is valid now. `handle` is the Brain in the request's path; `hash` is the token's, in
   * hexadecimal, if it is known.
   */
  authenticate(
    token: string,
    handle: string | undefined,
    hash?: string,
  ): Promise<ManagementPrincipal | BrainPrincipal | undefined>
  /** Stores when keys were last used, about once a minute. */
  recordUse(): Promise<void>
}

/** Authenticates keys. */
export const createKeyAuthentication = (deps: { db: Db; prepared: RunPrepared; clock: Clock }): KeyAuthentication => {
  const { prepared, clock } = deps
  const managementKey = createLookUp<RequestedKey, FoundManagementKey>({
    one: (requested) => prepared(findManagementKey({ ...requested, now: clock.now().toISOString() })),
    many: (requested) =>
      prepared(findManagementKeys({ requested: toRequestedSet(requested), now: clock.now().toISOString() })),
  })
  const brainKey = createLookUp<RequestedKey, FoundBrainKey>({
    one: ({ hash }) => prepared(findBrainKey({ hash, now: clock.now().toISOString() })),
    many: (requested) =>
      prepared(findBrainKeys({ requested: toRequestedSet(requested), now: clock.now().toISOString() })),
  })
  const findApp = createAppLookUps(deps)
  const used = new Set<string>()
  const markUsed = async () => {
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
  let storing = Promise.resolve()
  return {
    authenticate: async (token, handle, hash = hashToken(token).toString('hex')) => {
      const kind = tokenKind(token)
      if (kind === undefined) return undefined
      // A text that cannot be a handle names no Brain, and PostgreSQL might refuse the whole set for it.
      const named = handle === undefined ? undefined : handleSchema.safeParse(handle).data
      const requested = { hash, handle: named }
      if (kind === 'nat') {
        const principal = await findApp(requested)
        if (principal) used.add(principal.actor.id)
        return principal
      }
      const row = kind === 'nsk' ? await managementKey(requested) : await brainKey(requested)
      if (!row) return undefined
      used.add(row.keyId)
      return 'capabilities' in row ? brainPrincipal(row) : managementPrincipal(row)
    },
    recordUse: () => {
      // One after the other, so that a caller knows that all earlier use is stored, even by a store that already runs.
      storing = storing.catch(() => undefined).then(markUsed)
      return storing
    },
  }
}
