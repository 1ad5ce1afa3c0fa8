import { z } from 'zod'
import { changeRef } from './changes.ts'
import { itemId, largeBodyLimit, listQuery, newContentId, pageResult, stateVersion, timestamp } from './common.ts'
import { documentSource, newDocument, sendsOneText, textOrArtifact } from './documents.ts'
import { defineEndpoint } from './endpoint.ts'
import { addErrors, extractionErrors } from './error-codes.ts'

/** The limits of a snapshot: items, and UTF-16 units of their texts. A larger source has to be split. */
export const snapshotLimits = { items: 20_000, textLength: 64 * 1024 * 1024 } as const

/** A document as its source has it. Its id must be unique in the whole Brain, not only in the source. */
export const snapshotItem = newDocument
  .omit({ source: true })
  .extend({
    ...textOrArtifact,
    id: newContentId,
    uri: documentSource.shape.uri,
    externalId: documentSource.shape.externalId,
  })
  .refine(...sendsOneText)

/** The number of files whose text one request extracts. Files that are documents already, in the same version, do not count. */
export const maxExtractedItems = 5

/**
 * `open` accepts more items; `planned` is complete; `unchanged` is complete and nothing differs, so there is nothing to do;
 * `applied` was applied.
 */
export const snapshotStatus = z.enum(['open', 'planned', 'unchanged', 'applied'])

/** The number of documents that applying it would add, update and retire, and of those that are up to date. */
export const planCounts = z.object({
  add: z.int().describe('How many documents the plan adds.'),
  update: z.int().describe('How many documents the plan updates.'),
  retire: z.int().describe('How many documents the plan retires.'),
  unchanged: z.int().describe('How many documents stay as they are.'),
})

/** Retiring more than `mostRetired` of the source's `served` documents needs `allowRetire`. */
export const retireGuard = z.object({
  served: z.int().describe('How many documents of the source are served now.'),
  mostRetired: z.int().describe('How many documents may be retired without `allowRetire`.'),
  needsAllowRetire: z.boolean().describe('True if applying the plan needs `allowRetire`.'),
})

export const snapshot = z
  .object({
    snapshot: z.string().describe('The id of the snapshot.'),
    source: z.string().describe('The name of the source.'),
    planRevision: z.int().min(1).describe('The revision of the plan. Send it back to apply exactly this plan.'),
    status: snapshotStatus.describe('The current state.'),
    complete: z
      .boolean()
      .describe('True if this is everything that the source has, so that missing documents can be retired.'),
    counts: planCounts.describe('How many of each there are.'),
    conflicts: z.int().describe('How many items of the plan belong to another source.'),
    guard: retireGuard.describe('The limit on retiring many documents at once.'),
    createdAt: timestamp,
    plannedAt: timestamp,
    appliedAt: timestamp.nullable().describe('When it was applied; null until then.'),
  })
  .describe(
    'A snapshot of a source with its plan. `conflicts` counts items whose id belongs to another source; they prevent ' +
      'applying it.',
  )
export type Snapshot = z.infer<typeof snapshot>

/** The effect of a plan on one document. */
export const planOp = z.enum(['add', 'update', 'retire', 'unchanged', 'conflict'])
export type PlanOp = z.infer<typeof planOp>

export const planItem = z
  .object({
    id: itemId,
    op: planOp.describe('The operation.'),
    title: z.string().nullable().describe('The title, for people.'),
    baseVersion: z.int().nullable().describe('The version that the plan is based on; null for a new document.'),
    otherSource: z
      .string()
      .nullable()
      .describe('The source that has this document, if it is not the one that is planned.'),
  })
  .describe(
    'One document of a plan: `baseVersion` is the current version, `otherSource` the source of a conflicting one.',
  )

const path = '/v1/brains/{handle}/sources/{source}/snapshots' as const
const none = { error: `A request has at most ${snapshotLimits.items} items.` }

export const planSnapshot = defineEndpoint({
  method: 'POST',
  path,
  summary: "Plan the update of a source's documents, from all of them or a part",
  description:
    "Plans the update of a source's documents. Without `snapshot` it opens a new one; with it, items are added to an " +
    'open one (an id that was sent before is replaced) and planRevision increases. `complete: true` says that the ' +
    'source has no other documents: only then are retirements planned, and no items can follow. Sending no items to ' +
    'a complete snapshot plans it again. The texts of at most 5 new versions of files are extracted in one request.',
  access: { capabilities: ['write'] },
  body: z.object({
    items: z.array(snapshotItem).max(snapshotLimits.items, none).describe('The items.'),
    complete: z
      .boolean()
      .describe('True if this is everything that the source has, so that missing documents can be retired.'),
    snapshot: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The id of an open snapshot, to which the items are added.'),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: [...addErrors, ...extractionErrors, 'snapshot_too_large', 'snapshot_complete', 'snapshot_finished'],
  status: [201, 200],
  result: z.object({ snapshot: snapshot.describe('The snapshot.'), stateVersion }).describe('The plan.'),
})

export const applySnapshot = defineEndpoint({
  method: 'POST',
  path: `${path}/{snapshot}/apply`,
  summary: 'Apply a plan as one change',
  description:
    'Applies a plan as one change: applied (200), or staged (202) if the Brain requires review. If the plan is not ' +
    'the one that was shown, or no longer matches the Brain, the response is 409 `stale_plan` with the current ' +
    'revision and counts. A repeat returns the same, and so does a plan whose writes are pending already. A plan ' +
    'that changes nothing has no change.',
  access: { capabilities: ['write'] },
  body: z.object({
    planRevision: z.int().min(1).describe('The revision of the plan. Send it back to apply exactly this plan.'),
    allowRetire: z.boolean().optional().describe('Retire more documents than the guard allows'),
  }),
  idempotencyKey: 'header',
  errors: [...addErrors, 'stale_plan', 'source_conflict', 'retire_guard', 'snapshot_finished'],
  status: [200, 202],
  result: z
    .object({
      outcome: z.enum(['landed', 'staged']).describe('The outcome: `landed` is applied, `staged` waits for review.'),
      change: changeRef.nullable().describe('The change.'),
      stateVersion: stateVersion.nullable().describe('The state of the Brain. Each applied change makes the next one.'),
      snapshot: snapshot.describe('The snapshot.'),
    })
    .describe('The outcome of the plan.'),
})

export const getSnapshot = defineEndpoint({
  method: 'GET',
  path: `${path}/{snapshot}`,
  summary: 'Read a snapshot and its plan',
  description:
    'Reads a snapshot and a page of its plan, by document id. Items are deleted some days after it was applied.',
  access: { capabilities: ['read'] },
  query: z.object({ op: planOp.optional().describe('Only items with this operation.'), ...listQuery }),
  status: [200],
  list: 'items',
  result: z.object({
    snapshot: snapshot.describe('The snapshot.'),
    items: z.array(planItem).describe('The items.'),
    ...pageResult,
    stateVersion,
  }),
})

export const listSnapshots = defineEndpoint({
  method: 'GET',
  path,
  summary: "List a source's snapshots",
  description: "Lists a source's snapshots. Those that are not applied within some days are deleted.",
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'snapshots',
  result: z.object({
    snapshots: z.array(snapshot).describe('The snapshots of this page.'),
    ...pageResult,
    stateVersion,
  }),
})
