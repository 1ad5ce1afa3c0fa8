import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { hashToken, tokenKind } from '../features/accounts/keys/keys.ts'
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

type Waiter = { resolve: (found: never) => void; reject: (error: unknown) => void }
type Pending = { wanted: Wanted; waiters: Waiter[] }
const lookUpsAtOnce = 2
const lookUpLimit = 200

/** Looks a set up in one statement and tells everyone who waits, of the find or of the failure. */
const answerAll = async <Row extends { place: number }>(
  set: readonly Pending[],
  find: (wanted: readonly Wanted[]) => Promise<Row[]>,
): Promise<void> => {
  try {
    const rows = await find(set.map(({ wanted }) => wanted))
    const byPlace = new Map(rows.map((row) => [row.place, row]))
    for (const [index, { waiters }] of set.entries())
      for (const { resolve } of waiters) resolve(byPlace.get(index + 1) as never)
  } catch (error) {
    for (const { waiters } of set) for (const { reject } of waiters) reject(error)
  }
}

/**
 * Gathers single look-ups into sets, in which requests with the same key about the same Brain are one. `find` answers
 * rows that name the 1-based place of what they answer.
 */
const gather = <Row extends { place: number }>(find: (wanted: readonly Wanted[]) => Promise<Row[]>) => {
  const waiting = new Map<string, Pending>()
  let underWay = 0
  const next = async (): Promise<void> => {
    const set = [...waiting].slice(0, lookUpLimit)
    if (set.length === 0) return
    for (const [name] of set) waiting.delete(name)
    underWay++
    await answerAll(
      set.map(([, pending]) => pending),
      find,
    )
    underWay--
    if (waiting.size > 0) void next()
  }
  return (token: string, handle: string | undefined): Promise<Row | undefined> =>
    new Promise((resolve, reject) => {
      const name = `${token} ${handle ?? ''}`
      const pending = waiting.get(name) ?? { wanted: { hash: hashToken(token), handle }, waiters: [] }
      pending.waiters.push({ resolve, reject })
      waiting.set(name, pending)
      // What else arrives in this turn of the event loop joins the set.
      if (underWay < lookUpsAtOnce && waiting.size === 1 && pending.waiters.length === 1)
        setImmediate(() => void next())
    })
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
  const managementKey = gather((wanted) => deps.prepared(findManagementKeys(wanted, deps.clock.now())))
  const brainKey = gather((wanted) => deps.prepared(findBrainKeys(wanted, deps.clock.now())))
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
