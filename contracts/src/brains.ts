import { z } from 'zod'
import { actor, deleted, itemId, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors, writeErrors } from './error-codes.ts'
import { openTo } from './open-to.ts'
import { schemaName } from './schemas.ts'

/** A Brain's name in its organization: `[a-z0-9][a-z0-9-]{0,62}`. */
export const handle = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'A handle has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')
  .describe('The name of the Brain in addresses. It is its identity.')

/** `direct`: writes are applied. `review`: writes wait for a decision. */
export const brainMode = z
  .enum(['direct', 'review'])
  .describe('The mode of writes: `direct` applies them, `review` lets them wait for a decision.')

/** `held`: can be read but not written. `deleted`: no longer there, and its handle can be used again. */
export const availability = z.enum(['active', 'held', 'deleted'])

/** The writes that wait for review even in direct mode, and whether a change needs a reviewer other than its writer. */
export const reviewRules = z
  .object({
    always: z
      .array(z.enum(['record.delete', 'document.retire', 'statement.retract']))
      .optional()
      .describe('The operations that always wait for review.'),
    requireOtherReviewer: z
      .boolean()
      .optional()
      .describe('If true, people cannot decide changes that they proposed themselves.'),
    requireEval: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('An eval of this Brain that changes have to pass; null for none.'),
  })
  .describe('The writes that always need review, and who may decide.')

export const hold = z
  .object({
    reason: z.string().describe('Why, for people.'),
    since: timestamp,
    by: z.string().describe('The id of who did it.'),
    byActor: actor.optional().describe('Who did it.'),
  })
  .describe(
    'The hold of a Brain: its reason, since when, and who placed it: the id of a key, or of the `byActor` that is ' +
      'not one.',
  )
export type Hold = z.infer<typeof hold>

export const brain = z
  .object({
    id: itemId,
    handle,
    name: z.string().nullable().describe('The name, for people.'),
    purpose: z.string().nullable().describe('The purpose of the Brain, also for agents.'),
    mode: brainMode,
    availability: availability.describe('Whether the Brain can be used.'),
    stateVersion,
    schemaVersion: z.int().min(0).describe('The version of the schema.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe('A Brain: one knowledge store with its own stream of events.')
export type Brain = z.infer<typeof brain>

export const brainDetail = brain
  .extend({
    reviewRules,
    hold: hold.nullable().describe('Why and since when the Brain is on hold; null if it is not.'),
    counts: z
      .object({
        records: z.int().min(0).describe('How many records there are.'),
        statements: z.int().min(0).describe('How many statements there are.'),
        documents: z.int().min(0).describe('How many documents there are.'),
        pendingChanges: z.int().min(0).describe('How many changes wait for a decision.'),
      })
      .describe('How many of each there are.'),
    lastWriteAt: timestamp.nullable().describe('When the Brain was last written to; null if never.'),
    /**
     * The backlog of the search index: events that are not indexed yet (their content is found by words nevertheless), and
     * passages that are not found by meaning yet. Both are 0 if the index is complete.
     */
    indexing: z
      .object({
        pendingEvents: z.int().min(0).describe('How many events are still to be indexed.'),
        pendingPassages: z.int().min(0).describe('How many passages are still to be embedded.'),
        secondsLeft: z
          .int()
          .min(0)
          .nullable()
          .describe('About how many seconds embedding them takes; null where the node does not know'),
      })
      .describe('How much is still to be indexed for search.'),
  })
  .describe(
    'A Brain as its readers see it: also its review rules, why it is held (null if it is not), how much of ' +
      'everything is current how many changes are pending, when its content was last written (null if never), and what ' +
      'its search index has still to do.',
  )

export type BrainDetail = z.infer<typeof brainDetail>

/** A Brain as a caller without `read` sees it. */
export const brainAddress = brain.pick({ handle: true, mode: true, availability: true })

const name = z.string().min(1).max(200).describe('The name, for people.')
const purpose = z.string().max(2000).describe('The purpose of the Brain, also for agents.')
const brainResult = z.object({ brain: brain.describe('The Brain.') }).describe('The Brain, as it is now.')

export const putBrain = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}',
  summary: 'Create a Brain, or update its name and purpose',
  description:
    'Creates a Brain, or updates the name and purpose of the one that has this handle. A repeat changes nothing. ' +
    '`mode`, `openTo` and `schema` (the organization schema to fork) are used at creation only. Who creates a Brain for ' +
    '`members` is its manager.',
  access: 'management',
  makesBrain: true,
  body: z.object({
    name: name.optional(),
    purpose: purpose.optional(),
    mode: brainMode.optional(),
    openTo: openTo.optional(),
    schema: schemaName.optional().describe('The name of the organization schema to begin from. Only for a new Brain.'),
  }),
  bodyOptional: true,
  errors: [...writeErrors, 'not_found', 'brain_cap', 'handle_taken'],
  status: [200, 201],
  result: brainResult,
})

export const getBrain = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}',
  summary: 'Read a Brain',
  description: 'Reads a Brain: its name, purpose, mode, versions and rules, its hold, and how much it holds.',
  access: { capabilities: ['read'] },
  status: [200],
  result: z.object({ brain: brainDetail.describe('The Brain.') }),
})

export const listBrains = defineEndpoint({
  method: 'GET',
  path: '/v1/brains',
  summary: 'List the Brains of the organization',
  description: "Lists the Brains of the key's organization by handle.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'brains',
  result: z.object({ brains: z.array(brain).describe('The Brains of this page.'), ...pageResult }),
})

export const patchBrain = defineEndpoint({
  method: 'PATCH',
  path: '/v1/brains/{handle}',
  summary: 'Change the mode, name, purpose or review rules of a Brain',
  description:
    "Changes a Brain's mode, name, purpose or review rules. Agents read its name and purpose, so only a " +
    'management key or a member changes them; a Brain key gets 403. A Brain key without read gets the ' +
    'handle, mode and availability.',
  access: { capabilities: ['admin'] },
  body: z.object({
    mode: brainMode.optional(),
    name: name.optional(),
    purpose: purpose.optional(),
    reviewRules: reviewRules.optional(),
  }),
  errors: writeErrors,
  status: [200],
  result: z.object({ brain: z.union([brain, brainAddress]).describe('The Brain.') }),
})

export const deleteBrain = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}',
  summary: 'Delete a Brain and everything in it',
  description: 'Deletes a Brain at once. Its rows are erased in the background, and its handle can be used again.',
  access: 'management',
  errors: [...lockErrors, 'brain_held'],
  status: [200],
  result: z.object({
    deleted,
    erased: z
      .object({
        records: z.int().describe('How many records there are.'),
        statements: z.int().describe('How many statements there are.'),
        documents: z.int().describe('How many documents there are.'),
      })
      .describe('The counts of everything that was erased.'),
  }),
})
