import { z } from 'zod'
import { changeRef } from './changes.ts'
import { contentId, largeBodyLimit, pageQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { documentSource, newDocument } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'

/** What a snapshot holds at most: items, and UTF-16 units of their texts. A larger source is split into several. */
export const snapshotLimits = { items: 20_000, textLength: 64 * 1024 * 1024 } as const

/** A document as its source has it. Its id must be its own in the whole Brain, not in the source alone. */
export const snapshotItem = newDocument
  .omit({ source: true })
  .extend({ id: contentId, uri: documentSource.shape.uri, externalId: documentSource.shape.externalId })

/**
 * `open` takes more items; `planned` is complete; `unchanged` is complete and found that nothing differs, so that nothing
 * is left to do; `applied` was applied.
 */
export const snapshotStatus = z.enum(['open', 'planned', 'unchanged', 'applied'])

/** How many documents an apply would add, update and retire, and how many are as they should be. */
export const planCounts = z.object({ add: z.int(), update: z.int(), retire: z.int(), unchanged: z.int() })

/** Retiring more than `mostRetired` of the source's `served` documents needs `allowRetire`. */
export const retireGuard = z.object({ served: z.int(), mostRetired: z.int(), needsAllowRetire: z.boolean() })

/** A snapshot of a source with its plan. `conflicts` counts items whose id is another source's; they stop an apply. */
export const snapshot = z.object({
  snapshot: z.string(),
  source: z.string(),
  planRevision: z.int().min(1),
  status: snapshotStatus,
  complete: z.boolean(),
  counts: planCounts,
  conflicts: z.int(),
  guard: retireGuard,
  createdAt: timestamp,
  plannedAt: timestamp,
  appliedAt: timestamp.nullable(),
})
export type Snapshot = z.infer<typeof snapshot>

/** What a plan does with one document. */
export const planOp = z.enum(['add', 'update', 'retire', 'unchanged', 'conflict'])
export type PlanOp = z.infer<typeof planOp>

/** One document of a plan: `baseVersion` is the version that is served, `otherSource` whose a conflicting one is. */
export const planItem = z.object({
  id: z.string(),
  op: planOp,
  title: z.string().nullable(),
  baseVersion: z.int().nullable(),
  otherSource: z.string().nullable(),
})

const path = '/v1/brains/{handle}/sources/{source}/snapshots' as const
const none = { error: `A request has at most ${snapshotLimits.items} items.` }

/**
 * Plans what a source's documents become. Without `snapshot` it opens a new one; with it, items are added to an open one
 * (an id that was sent before is replaced) and planRevision rises. Once `complete` is true the items are all that the
 * source has: only then are documents planned for retirement, and no items can follow. Sending no items to a complete
 * snapshot plans it anew.
 */
export const planSnapshot = defineEndpoint({
  method: 'POST',
  path,
  summary: "Plan what a source's documents become, from all of it or a part",
  access: { capabilities: ['write'] },
  body: z.object({
    items: z.array(snapshotItem).max(snapshotLimits.items, none),
    complete: z.boolean(),
    snapshot: z.string().min(1).max(100).optional(),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  status: [201, 200],
  result: z.object({ snapshot, stateVersion }),
})

/**
 * Applies a plan as one change: landed (200), or staged (202) where the Brain wants review. A plan that is not the one that
 * was shown, or that does not fit the Brain any more, is 409 `stale_plan` with the revision and counts that hold now.
 * Repeating it answers the same, and so does a plan whose writes wait for review already. A plan that changes nothing has
 * no change.
 */
export const applySnapshot = defineEndpoint({
  method: 'POST',
  path: `${path}/{snapshot}/apply`,
  summary: 'Apply a plan as one change',
  access: { capabilities: ['write'] },
  body: z.object({
    planRevision: z.int().min(1),
    allowRetire: z.boolean().optional().meta({ description: 'Retire more than the guard lets pass' }),
  }),
  idempotencyKey: 'header',
  status: [200, 202],
  result: z.object({
    outcome: z.enum(['landed', 'staged']),
    change: changeRef.nullable(),
    stateVersion: stateVersion.nullable(),
    snapshot,
  }),
})

/** Reads a snapshot and a page of its plan by document id. Items are dropped some days after the apply. */
export const getSnapshot = defineEndpoint({
  method: 'GET',
  path: `${path}/{snapshot}`,
  summary: 'Read a snapshot and its plan',
  access: { capabilities: ['read'] },
  query: z.object({ op: planOp.optional(), ...pageQuery }),
  status: [200],
  list: 'items',
  result: z.object({ snapshot, items: z.array(planItem), ...pageResult, stateVersion }),
})

/** Lists a source's snapshots, oldest first. Those that are not applied within some days are forgotten. */
export const listSnapshots = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a source's snapshots",
  access: { capabilities: ['read'] },
  query: z.object(pageQuery),
  status: [200],
  list: 'snapshots',
  result: z.object({ snapshots: z.array(snapshot), ...pageResult, stateVersion }),
})
