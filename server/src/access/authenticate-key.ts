import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { markKeysUsed } from '../features/accounts/keys/key-queries.ts'
import { hashToken, tokenKind } from '../features/accounts/keys/token.ts'
import type { Clock } from '../shared/clock.ts'
import type { Db } from '../storage/database.ts'
import { findAgentsGrant, findAgentsGrants, findBrainGrant, findBrainGrants } from './app-queries.ts'
import { createHeadLookUp, createLookUpRunner, type LookUpDeps, type WithBrain } from './heads.ts'
import { createLookUp } from './look-up.ts'
import type { BrainPrincipal, ManagementPrincipal } from './principal.ts'
import {
  findBrainKey,
  findBrainKeys,
  findManagementKey,
  findManagementKeys,
  type LookUpStatements,
  type RequestedKey,
  toRequestedSet,
} from './queries.ts'
import { toAgentsGrant, toBrainGrant, toBrainPrincipal, toManagementPrincipal } from './to-principal.ts'

// A request's key is looked up after the request has arrived and never cached, so a revocation acts on the next request on
// every node. Requests that arrive during look-ups share the next one.

type FindKeys<Row extends object> = {
  one: LookUpStatements<RequestedKey & { now: string }, Row>
  many: LookUpStatements<{ requested: string; now: string }, Row>
}

/** Looks up keys that are valid at the time of the lookup. */
const createKeyLookUp = <Row extends WithBrain>(deps: LookUpDeps & { clock: Clock }, { one, many }: FindKeys<Row>) => {
  const { clock } = deps
  const run = createLookUpRunner(deps)
  return createLookUp<RequestedKey, Row>({
    one: (requested) => run(one, { ...requested, now: clock.now().toISOString() }),
    many: (requested) => run(many, { requested: toRequestedSet(requested), now: clock.now().toISOString() }),
    complete: createHeadLookUp(deps),
  })
}

/** Looks up the grants of apps. An app has no key, so most nodes never prepare these statements. */
const createAppLookUps = (deps: LookUpDeps & { clock: Clock }) => {
  const ofBrain = createKeyLookUp(deps, { one: findBrainGrant, many: findBrainGrants })
  const ofAgents = createKeyLookUp(deps, { one: findAgentsGrant, many: findAgentsGrants })
  /** A token of a Brain is unknown at every other one, and at the agents: it is not for them. */
  return async (requested: RequestedKey): Promise<BrainPrincipal | ManagementPrincipal | undefined> => {
    if (requested.handle === undefined) {
      const row = await ofAgents(requested)
      return row && toAgentsGrant(row)
    }
    const row = await ofBrain(requested)
    return row && toBrainGrant(row)
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
export const createKeyAuthentication = (deps: LookUpDeps & { db: Db; clock: Clock }): KeyAuthentication => {
  const managementKey = createKeyLookUp(deps, { one: findManagementKey, many: findManagementKeys })
  const brainKey = createKeyLookUp(deps, { one: findBrainKey, many: findBrainKeys })
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
      return 'capabilities' in row ? toBrainPrincipal(row) : toManagementPrincipal(row)
    },
    recordUse: () => {
      // One after the other, so that a caller knows that all earlier use is stored, even by a store that already runs.
      storing = storing.catch(() => undefined).then(markUsed)
      return storing
    },
  }
}
