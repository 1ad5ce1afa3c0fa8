import { z } from 'zod'
import { actor, json, listQuery, pageResult, stateVersion, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors, decisionErrors, writeErrors } from './error-codes.ts'

/** What was decided about a change. */
export const decision = z.enum(['pending', 'approved', 'rejected', 'superseded'])
export type Decision = z.infer<typeof decision>

/** Whether a change was applied to the Brain. */
export const application = z.enum(['not_applied', 'scheduled', 'blocked', 'applied', 'cancelled'])
export type Application = z.infer<typeof application>

/** A change as the response to a write names it. */
export const changeRef = z.object({ id: z.string(), decision, application })
export type ChangeRef = z.infer<typeof changeRef>

/**
 * What every content write returns. `landed` (200, or 201 if it created something): `stateVersion` is the state that it made.
 * `staged` (202): it waits for review and `stateVersion` is null. A write that changes nothing returns `landed` with the
 * change that made the current version.
 */
export const writeResult = {
  outcome: z.enum(['landed', 'staged']),
  change: changeRef,
  stateVersion: stateVersion.nullable(),
  missing: z
    .array(z.string())
    .optional()
    .meta({ description: 'The ids that links or objects name and no record has; they are written nevertheless' }),
}

/** Names the change that a write corrects. */
export const corrects = z.string().min(1).max(100).optional()

/**
 * Warnings for a reviewer: a text that exists already, invisible characters, an untrusted source; `unchecked` where the item
 * could not be examined for them.
 */
export const changeFlag = z.enum(['duplicate_text', 'hidden_characters', 'unverified_source', 'unchecked'])
export type ChangeFlag = z.infer<typeof changeFlag>

/** What one item of a change is about. */
export const changeTarget = z.object({
  type: z.enum(['record', 'statement', 'document', 'schema']),
  id: z.string(),
  kind: z.string().optional(),
})

/**
 * What an item of a schema change does. `strengthening` may refuse what was accepted before; then `violations` counts the
 * current records that would not comply, and `violationsAtLeast` says that counting stopped there.
 */
const evolution = {
  tag: z.enum(['weakening', 'strengthening']),
  violations: z.int(),
  violationsAtLeast: z.boolean(),
}

/**
 * One operation of a change, with the item before and after it; null if there was or is none. `cut`: they are left out,
 * because other items fill the 16 MiB of an answer already, or are not kept; read the item itself by its id.
 */
export const changeItem = z.object({
  item: z.string(),
  op: z.string(),
  target: changeTarget,
  before: z.record(z.string(), json).nullable(),
  after: z.record(z.string(), json).nullable(),
  flags: z.array(changeFlag),
  cut: z.literal(true).optional(),
  tag: evolution.tag.optional(),
  violations: evolution.violations.optional(),
  violationsAtLeast: evolution.violationsAtLeast.optional(),
})

/**
 * An item of a schema change, as its proposal returns it. The target's id is a kind, `kind.field` or `kind->predicate`. A
 * caller without read gets no counts, which would tell of what the records hold; the change has them for its reviewers.
 */
export const changeSchemaItem = z.object({
  item: z.string(),
  op: z.string(),
  target: changeTarget,
  tag: evolution.tag,
  violations: evolution.violations.optional(),
  violationsAtLeast: evolution.violationsAtLeast.optional(),
})
export type ChangeSchemaItem = z.infer<typeof changeSchemaItem>

/** A change as the queue lists it. */
export const changeSummary = z.object({
  id: z.string(),
  decision,
  application,
  stagedBy: z.string().meta({ description: 'The id of the key, or of the user whose session it was' }),
  stagedByActor: actor.optional(),
  createdAt: timestamp,
  reason: z.string().nullable(),
  baseStateVersion: stateVersion,
  stateVersion: stateVersion.nullable(),
  supersedes: z.string().optional(),
  corrects: z.string().optional(),
  decidedBy: z.string().optional(),
  decidedByActor: actor.optional(),
  decidedAt: timestamp.optional(),
  decisionReason: z.string().optional(),
  publishAt: timestamp.optional(),
  blockedBy: z.string().optional().meta({ description: 'Why an approved change could not be applied' }),
  itemCount: z.int(),
})
export type ChangeSummary = z.infer<typeof changeSummary>

/** A change with what it would do, or did. `outdated`: its base has changed; `conflicts`: the items affected by that. */
export const changeDetail = changeSummary.extend({
  outdated: z.boolean(),
  conflicts: z.array(z.string()),
  items: z.array(changeItem),
})

const path = '/v1/brains/{handle}/changes' as const
const access = { capabilities: ['review'] } as const
const settled = z.object({
  change: changeSummary,
  staged: z.array(changeSummary),
  stateVersion: stateVersion.nullable(),
})
const reason = z.string().min(1).max(2000).optional()

/** Lists changes by id. */
export const listChanges = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List changes, by decision and application',
  access,
  query: z.object({ decision: decision.optional(), application: application.optional(), ...listQuery }),
  status: [200],
  list: 'changes',
  result: z.object({ changes: z.array(changeSummary), ...pageResult }),
})

/** Reads a change with what it does, before and after. */
export const getChange = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a change',
  access,
  status: [200],
  result: z.object({ change: changeDetail, stateVersion }),
})

/**
 * Approves or rejects a pending change. Naming some `items` splits it: they are decided as a change of their own, and the rest
 * becomes a new pending change. An approved change is published at once unless `publish` is false or a time.
 */
export const decideChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/decide`,
  summary: 'Approve or reject a change, or some of its items',
  access,
  body: z.object({
    decision: z.enum(['approved', 'rejected']),
    items: z.array(z.string()).min(1).optional(),
    edits: z.record(z.string(), z.object({ fields: z.record(z.string(), json) })).optional(),
    reason,
    publish: z
      .union([z.boolean(), timeInput], { error: 'publish is true, false or an ISO 8601 date-time.' })
      .default(true),
  }),
  idempotencyKey: 'header',
  errors: [...decisionErrors, 'already_decided'],
  status: [200],
  result: settled,
})

/** Publishes an approved change now. */
export const publishChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/publish`,
  summary: 'Publish an approved change now',
  access,
  idempotencyKey: 'header',
  errors: decisionErrors,
  status: [200],
  result: settled,
})

/** Cancels an approved change that is not applied. */
export const cancelChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel an approved change that is not applied',
  access,
  body: z.object({ reason }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: [...writeErrors, 'not_open'],
  status: [200],
  result: settled,
})

/** Rebases a change that is not applied onto the current state; it then waits for a decision again. */
export const rebaseChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rebase`,
  summary: 'Rebase a change onto the current state',
  access,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'not_open', 'stale_schema', 'duplicates'],
  status: [200],
  result: settled,
})

/**
 * Reverts an applied change by a new change, which is applied or waits for review like any write and names what it corrects.
 * Later writes by others are kept; if they changed the same item, the response is 409 `changed_since`.
 */
export const revertChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/revert`,
  summary: 'Revert an applied change',
  access: { capabilities: ['write', 'review'] },
  body: z.object({ reason }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'changed_since', 'not_applied', 'nothing_to_revert'],
  status: [200, 202],
  result: z.object({ ...writeResult, corrects: z.string() }),
})
