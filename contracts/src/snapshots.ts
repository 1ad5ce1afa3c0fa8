import { z } from 'zod'
import { changeRef } from './changes.ts'
import { contentId, largeBodyLimit, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { documentSource, newDocument } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors } from './error-codes.ts'

/** The limits of a snapshot: items, and UTF-16 units of their texts. A larger source has to be split. */
export const snapshotLimits = { items: 20_000, textLength: 64 * 1024 * 1024 } as const

/** A document as its source has it. Its id must be unique in the whole Brain, not only in the source. */
export const snapshotItem = newDocument
  .omit({ source: true })
  .extend({ id: contentId, uri: documentSource.shape.uri, externalId: documentSource.shape.externalId })

/**
 * `open` accepts more items; `planned` is complete; `unchanged` is complete and nothing differs, so there is nothing to do;
 * `applied` was applied.
 */
export const snapshotStatus = z.enum(['open', 'planned', 'unchanged', 'applied'])

/** How many documents applying it would add, update and retire, and how many are up to date. */
export const planCounts = z.object({ add: z.int(), update: z.int(), retire: z.int(), unchanged: z.int() })

/** Retiring more than `mostRetired` of the source's `served` documents needs `allowRetire`. */
export const retireGuard = z.object({ served: z.int(), mostRetired: z.int(), needsAllowRetire: z.boolean() })

/** A snapshot of a source with its plan. `conflicts` counts items whose id belongs to another source; they prevent applying it. */
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

/** One document of a plan: `baseVersion` is the current version, `otherSource` the source of a conflicting one. */
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
 * Plans the update of a source's documents. Without `snapshot` it opens a new one; with it, items are added to an open one
 * (an id that was sent before is replaced) and planRevision increases. `complete: true` says that the source has no other
 * documents: only then are retirements planned, and no items can follow. Sending no items to a complete snapshot plans it
 * again.
 */
export const planSnapshot = defineEndpoint({
  method: 'POST',
  path,
  summary: "Plan the update of a source's documents, from all of them or a part",
  access: { capabilities: ['write'] },
  body: z.object({
    items: z.array(snapshotItem).max(snapshotLimits.items, none),
    complete: z.boolean(),
    snapshot: z.string().min(1).max(100).optional(),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: [...addErrors, 'snapshot_too_large', 'snapshot_complete', 'snapshot_finished'],
  status: [201, 200],
  result: z.object({ snapshot, stateVersion }),
})

/**
 * Applies a plan as one change: applied (200), or staged (202) if the Brain requires review. If the plan is not the one that
 * was shown, or no longer matches the Brain, the response is 409 `stale_plan` with the current revision and counts. A repeat
 * returns the same, and so does a plan whose writes are pending already. A plan that changes nothing has no change.
 */
export const applySnapshot = defineEndpoint({
  method: 'POST',
  path: `${path}/{snapshot}/apply`,
  summary: 'Apply a plan as one change',
  access: { capabilities: ['write'] },
  body: z.object({
    planRevision: z.int().min(1),
    allowRetire: z.boolean().optional().meta({ description: 'Retire more documents than the guard allows' }),
  }),
  idempotencyKey: 'header',
  errors: [...addErrors, 'stale_plan', 'source_conflict', 'retire_guard', 'snapshot_finished'],
  status: [200, 202],
  result: z.object({
    outcome: z.enum(['landed', 'staged']),
    change: changeRef.nullable(),
    stateVersion: stateVersion.nullable(),
    snapshot,
  }),
})

/** Reads a snapshot and a page of its plan, by document id. Items are deleted some days after it was applied. */
export const getSnapshot = defineEndpoint({
  method: 'GET',
  path: `${path}/{snapshot}`,
  summary: 'Read a snapshot and its plan',
  access: { capabilities: ['read'] },
  query: z.object({ op: planOp.optional(), ...listQuery }),
  status: [200],
  list: 'items',
  result: z.object({ snapshot, items: z.array(planItem), ...pageResult, stateVersion }),
})

/** Lists a source's snapshots. Those that are not applied within some days are deleted. */
export const listSnapshots = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a source's snapshots",
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'snapshots',
  result: z.object({ snapshots: z.array(snapshot), ...pageResult, stateVersion }),
})
