import { z } from 'zod'
import { changeComment } from './change-comments.ts'
import { changeEval, overrideEval } from './change-evals.ts'
import { actor, fieldName, itemId, json, listQuery, pageResult, stateVersion, timeInput, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors, decisionErrors, gateErrors, writeErrors } from './error-codes.ts'

export const decision = z
  .enum(['pending', 'approved', 'rejected', 'superseded'])
  .describe('The decision about the change.')
export type Decision = z.infer<typeof decision>

export const application = z
  .enum(['not_applied', 'scheduled', 'blocked', 'applied', 'cancelled'])
  .describe('Whether the change was applied to the Brain.')
export type Application = z.infer<typeof application>

export const changeRef = z
  .object({ id: itemId, decision, application })
  .describe('A change as the response to a write names it.')
export type ChangeRef = z.infer<typeof changeRef>

/**
 * The response to every write of content. `landed` (200, or 201 if it created something): `stateVersion` is the state that it made.
 * `staged` (202): it waits for review and `stateVersion` is null. A write that changes nothing returns `landed` with the
 * change that made the current version.
 */
export const writeResult = {
  outcome: z.enum(['landed', 'staged']).describe('The outcome: `landed` is applied, `staged` waits for review.'),
  change: changeRef.describe('The change.'),
  stateVersion: stateVersion.nullable().describe('The state of the Brain. Each applied change makes the next one.'),
  missing: z
    .array(z.string())
    .optional()
    .describe('The ids that links or objects name and no record has; they are written nevertheless'),
}

/** Names the change that a write corrects. */
export const corrects = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('The id of the earlier change that this one corrects.')

/**
 * Warnings about an item of a change: a text that exists already, invisible characters, an untrusted source, a credential, a
 * statement that contradicts another; `unchecked` where the item could not be examined for some of them.
 */
export const changeFlag = z.enum([
  'duplicate_text',
  'hidden_characters',
  'unverified_source',
  'credential',
  'contradicts',
  'near_duplicate_of',
  'unchecked',
])
export type ChangeFlag = z.infer<typeof changeFlag>

/** The place or the counterpart of a flag. */
export const changeFinding = z
  .object({
    flag: changeFlag.describe('The flag.'),
    path: z.string().optional().describe('The field that has the credential, such as `fields.token`.'),
    credential: z.string().optional().describe('The kind of credential, such as `github_token`. Never the credential.'),
    statement: z.string().optional().describe('The id of the statement that says otherwise.'),
    item: z
      .object({ type: z.enum(['record', 'document']).describe('The type.'), id: itemId })
      .optional()
      .describe('The item that says nearly the same.'),
  })
  .describe('What a flag is about: a field, or another item.')
export type ChangeFinding = z.infer<typeof changeFinding>

export const changeTarget = z
  .object({
    type: z.enum(['record', 'statement', 'document', 'schema']).describe('The type.'),
    id: itemId,
    kind: z.string().optional().describe('The kind.'),
  })
  .describe('The target of one item of a change.')

// The effect of an item of a schema change. `strengthening` may refuse what was accepted before; then `violations` counts the
// current records that would not comply, and `violationsAtLeast` says that counting stopped there.
const evolution = {
  tag: z
    .enum(['weakening', 'strengthening'])
    .describe('Whether a schema change accepts more (`weakening`) or less (`strengthening`) than before.'),
  violations: z.int(),
  violationsAtLeast: z.boolean(),
}

export const changeItem = z
  .object({
    item: z.string().describe('The id of the item within the change.'),
    op: z.string().describe('The operation.'),
    target: changeTarget.describe('The item that it is about.'),
    before: z.record(z.string(), json).nullable().describe('The item before the change; null if there was none.'),
    after: z.record(z.string(), json).nullable().describe('The item after the change; null if it is gone.'),
    flags: z.array(changeFlag).describe('Warnings, as the Brain is now.'),
    findings: z
      .array(changeFinding)
      .optional()
      .describe('What the flags are about, where they are about a part of it.'),
    cut: z
      .literal(true)
      .optional()
      .describe('True if the contents are left out, because the answer would be too large.'),
    tag: evolution.tag
      .optional()
      .describe('Whether a schema change accepts more (`weakening`) or less (`strengthening`) than before.'),
    violations: evolution.violations.optional().describe('How many current records would not comply.'),
    violationsAtLeast: evolution.violationsAtLeast
      .optional()
      .describe('True if counting stopped, so that there may be more.'),
  })
  .describe(
    'One operation of a change, with the item before and after it; null if there was or is none. `cut`: they are ' +
      'left out, because other items fill the 16 MiB of an answer already, or are not kept; read the item itself by ' +
      'its id.',
  )

export const changeSchemaItem = z
  .object({
    item: z.string().describe('The id of the item within the change.'),
    op: z.string().describe('The operation.'),
    target: changeTarget.describe('The item that it is about.'),
    tag: evolution.tag,
    violations: evolution.violations.optional().describe('How many current records would not comply.'),
    violationsAtLeast: evolution.violationsAtLeast
      .optional()
      .describe('True if counting stopped, so that there may be more.'),
  })
  .describe(
    "An item of a schema change, as its proposal returns it. The target's id is a kind, `kind.field` or " +
      '`kind->predicate`. A caller without read gets no counts, which would reveal the content of records; the change ' +
      'has them for its reviewers.',
  )
export type ChangeSchemaItem = z.infer<typeof changeSchemaItem>

export const changeSummary = z
  .object({
    id: itemId,
    decision,
    application,
    stagedBy: z.string().describe('The id of the key, or of the user whose session it was'),
    stagedByActor: actor.optional().describe('Who proposed it.'),
    createdAt: timestamp,
    reason: z.string().nullable().describe('Why, for people.'),
    baseStateVersion: stateVersion,
    stateVersion: stateVersion.nullable().describe('The state of the Brain. Each applied change makes the next one.'),
    supersedes: z.string().optional().describe('The id of the change that this one replaces.'),
    corrects: z.string().optional().describe('The id of the earlier change that this one corrects.'),
    decidedBy: z.string().optional().describe('The id of the key or user that decided.'),
    decidedByActor: actor.optional().describe('Who decided.'),
    decidedAt: timestamp.optional(),
    decisionReason: z.string().optional().describe('Why it was decided so.'),
    publishAt: timestamp.optional(),
    blockedBy: z.string().optional().describe('Why an approved change could not be applied'),
    itemCount: z.int().describe('How many items the change has.'),
    eval: changeEval.optional().describe('The eval that the Brain requires.'),
  })
  .describe('A change as the queue lists it.')
export type ChangeSummary = z.infer<typeof changeSummary>

export const changeDetail = changeSummary
  .extend({
    outdated: z.boolean().describe('True if the state that the change is based on has changed since.'),
    conflicts: z.array(z.string()).describe('The ids of the items that later changes have touched.'),
    items: z.array(changeItem).describe('The items.'),
    comments: z.array(changeComment).describe('What people and agents wrote about it, the oldest first.'),
  })
  .describe(
    'A change with what it would do, or did. `outdated`: its base has changed; `conflicts`: the items affected by ' +
      'that.',
  )

const path = '/v1/brains/{handle}/changes' as const
const access = { capabilities: ['review'] } as const
const settled = z
  .object({
    change: changeSummary.describe('The change.'),
    staged: z.array(changeSummary).describe('New changes that wait for a decision.'),
    stateVersion: stateVersion.nullable().describe('The state of the Brain. Each applied change makes the next one.'),
  })
  .describe('The change as it is now, and new changes that wait for a decision.')
const reason = z.string().min(1).max(2000).optional()

export const listChanges = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List changes, by decision and application',
  description: 'Lists changes by id.',
  access,
  query: z.object({
    decision: decision.optional().describe('Only changes with this decision.'),
    application: application.optional().describe('Only changes in this state of application.'),
    ...listQuery,
  }),
  status: [200],
  list: 'changes',
  result: z.object({ changes: z.array(changeSummary).describe('The changes of this page.'), ...pageResult }),
})

export const getChange = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a change',
  description: 'Reads a change with its items before and after.',
  access,
  status: [200],
  result: z.object({ change: changeDetail.describe('The change.'), stateVersion }),
})

export const decideChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/decide`,
  summary: 'Approve or reject a change, or some of its items',
  description:
    'Approves or rejects a pending change. Naming some `items` splits it: they are decided as a change of their own, ' +
    'and the rest becomes a new pending change. An approved change is published at once unless `publish` is false or ' +
    'a time.',
  access,
  body: z.object({
    decision: z.enum(['approved', 'rejected']).describe('Your decision.'),
    items: z.array(z.string()).min(1).optional().describe('The items.'),
    edits: z
      .record(z.string(), z.object({ fields: z.record(fieldName, json).describe('The fields and their values.') }))
      .optional()
      .describe('New field values for items, by item: the reviewer changes what is approved.'),
    reason: reason.describe('Why, for people.'),
    publish: z
      .union([z.boolean(), timeInput], { error: 'publish is true, false or an ISO 8601 date-time.' })
      .default(true)
      .describe('Whether an approved change is applied: at once (true), later by hand (false), or at a time.'),
    overrideEval: overrideEval.optional(),
  }),
  idempotencyKey: 'header',
  errors: [...decisionErrors, ...gateErrors, 'already_decided'],
  status: [200],
  result: settled,
})

export const publishChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/publish`,
  summary: 'Publish an approved change now',
  description: 'Publishes an approved change now.',
  access,
  idempotencyKey: 'header',
  errors: decisionErrors,
  status: [200],
  result: settled,
})

export const cancelChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/cancel`,
  summary: 'Cancel an approved change that is not applied',
  description: 'Cancels an approved change that is not applied.',
  access,
  body: z.object({ reason: reason.describe('Why, for people.') }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: [...writeErrors, 'not_open'],
  status: [200],
  result: settled,
})

export const rebaseChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/rebase`,
  summary: 'Rebase a change onto the current state',
  description: 'Rebases a change that is not applied onto the current state; it then waits for a decision again.',
  access,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'not_open', 'stale_schema', 'duplicates'],
  status: [200],
  result: settled,
})

export const revertChange = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/revert`,
  summary: 'Revert an applied change',
  description:
    'Reverts an applied change by a new change, which is applied or waits for review like any write and names what ' +
    'it corrects. Later writes by others are kept; if they changed the same item, the response is 409 ' +
    '`changed_since`.',
  access: { capabilities: ['write', 'review'] },
  body: z.object({ reason: reason.describe('Why, for people.') }),
  bodyOptional: true,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'changed_since', 'not_applied', 'nothing_to_revert'],
  status: [200, 202],
  result: z
    .object({ ...writeResult, corrects: z.string().describe('The id of the earlier change that this one corrects.') })
    .describe('The change that reverts the other one.'),
})
