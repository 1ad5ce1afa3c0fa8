import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { hashToken, tokenKind } from '../features/accounts/keys/keys.ts'
import { createBatcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import type { BrainCaller, ManagementCaller } from './caller.ts'
import {
  type FoundBrainKey,
  type FoundManagementKey,
  findBrainKeys,
  findManagementKeys,
  markKeysUsed,
  type Wanted,
} from './queries.ts'

// A request's key is looked up after the request has arrived and never remembered, so a revocation acts on the next
// request on every node. Requests that arrive while look-ups are under way share the next one.

const maxLookUps = 2
const maxTokens = 200

/**
 * Looks tokens up, many in one statement; requests with the same token about the same Brain are one. `find` answers rows
 * that name the 1-based place of what they answer.
 */
const createLookUp = <Row extends { place: number }>(find: (wanted: readonly Wanted[]) => Promise<Row[]>) => {
  const batcher = createBatcher<{ token: string; handle: string | undefined }, Row | undefined>({
    run: async (asked) => {
      const rows = await find(asked.map(({ token, handle }) => ({ hash: hashToken(token), handle })))
      const byPlace = new Map(rows.map((row) => [row.place, row]))
      return asked.map((_asked, index) => byPlace.get(index + 1))
    },
    maxItems: maxTokens,
    maxBatches: maxLookUps,
    toKey: ({ token, handle }) => `${token} ${handle ?? ''}`,
  })
  return (token: string, handle: string | undefined) => batcher.add({ token, handle })
}

const organizationOf = (row: FoundManagementKey | FoundBrainKey, id: string) => ({
  id,
  name: row.organizationName,
  tier: row.tier,
  verified: row.verified,
})

const managementCaller = (row: FoundManagementKey): ManagementCaller => ({
  kind: 'management',
  keyId: row.keyId,
  userId: row.userId,
  organization: organizationOf(row, row.keyOrganizationId),
  brain: row.brainId === null ? undefined : row,
})

const brainCaller = (row: FoundBrainKey): BrainCaller => ({
  kind: 'brain',
  keyId: row.keyId,
  organization: organizationOf(row, row.organizationId),
  capabilities: row.capabilities,
  brain: row,
})

export type FindCaller = {
  /** Who holds this token, if it works now. `handle` is the Brain that the request's path names. */
  byToken(token: string, handle: string | undefined): Promise<ManagementCaller | BrainCaller | undefined>
  /** Writes down when keys were last used, which is done about once a minute. */
  noteUse(): Promise<void>
}

/** Finds the callers of keys. */
export const createFindCaller = (deps: { db: Db; prepared: RunPrepared; clock: Clock }): FindCaller => {
  const managementKey = createLookUp((wanted) => deps.prepared(findManagementKeys(wanted, deps.clock.now())))
  const brainKey = createLookUp((wanted) => deps.prepared(findBrainKeys(wanted, deps.clock.now())))
  const used = new Set<string>()
  return {
    byToken: async (token, handle) => {
      const kind = tokenKind(token)
      if (kind === undefined) return undefined
      // What cannot be a handle names no Brain, and no text that PostgreSQL refuses reaches the set of others.
      const named = handleSchema.safeParse(handle).data
      const management = kind === 'nsk' ? await managementKey(token, named) : undefined
      const brain = kind === 'nbk' ? await brainKey(token, named) : undefined
      const caller = management ? managementCaller(management) : brain ? brainCaller(brain) : undefined
      if (caller) used.add(caller.keyId)
      return caller
    },
    noteUse: async () => {
      if (used.size === 0) return
      const ids = [...used]
      used.clear()
      await markKeysUsed(deps.db, ids, deps.clock.now())
    },
  }
}
