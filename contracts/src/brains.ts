import { z } from 'zod'
import { actor, listQuery, pageResult, stateVersion, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors, writeErrors } from './error-codes.ts'
import { schemaName } from './schemas.ts'

/** A Brain's name in its organization: `[a-z0-9][a-z0-9-]{0,62}`. */
export const handle = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'A handle has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')

/** `direct`: writes are applied. `review`: writes wait for a decision. */
export const brainMode = z.enum(['direct', 'review'])

/** `held`: can be read but not written. `deleted`: no longer there, and its handle can be used again. */
export const availability = z.enum(['active', 'held', 'deleted'])

/** What waits for review even in direct mode, and whether a change needs a reviewer other than its writer. */
export const reviewRules = z.object({
  always: z.array(z.enum(['record.delete', 'document.retire', 'statement.retract'])).optional(),
  requireOtherReviewer: z.boolean().optional(),
})

/** The hold of a Brain: its reason, since when, and who placed it: the id of a key, or of the `byActor` that is not one. */
export const hold = z.object({ reason: z.string(), since: timestamp, by: z.string(), byActor: actor.optional() })
export type Hold = z.infer<typeof hold>

/** A Brain: one knowledge store with its own stream of events. */
export const brain = z.object({
  id: z.string(),
  handle,
  name: z.string().nullable(),
  purpose: z.string().nullable(),
  mode: brainMode,
  availability,
  stateVersion,
  schemaVersion: z.int().min(0),
  createdAt: timestamp,
  updatedAt: timestamp,
})
export type Brain = z.infer<typeof brain>

/**
 * A Brain as its readers see it: also its review rules, why it is held (null if it is not), how much of everything is current
 * how many changes are pending, when its content was last written (null if never), and what its search index has still to do.
 */
export const brainDetail = brain.extend({
  reviewRules,
  hold: hold.nullable(),
  counts: z.object({
    records: z.int().min(0),
    statements: z.int().min(0),
    documents: z.int().min(0),
    pendingChanges: z.int().min(0),
  }),
  lastWriteAt: timestamp.nullable(),
  /**
   * What the search index has still to do: events of the stream that it has not followed yet, whose content is found by its words
   * all the same, and passages that are not found by their meaning yet. Both are 0 when all is done.
   */
  indexing: z.object({ pendingEvents: z.int().min(0), pendingPassages: z.int().min(0) }),
})

export type BrainDetail = z.infer<typeof brainDetail>

/** What a caller without read gets of a Brain: nothing that read grants. */
export const brainAddress = brain.pick({ handle: true, mode: true, availability: true })

const name = z.string().min(1).max(200)
const purpose = z.string().max(2000)
const brainResult = z.object({ brain })

/**
 * Creates a Brain, or updates the name and purpose of the one that has this handle. A repeat changes nothing. `mode`
 * and `schema` (the organization schema to fork) are used at creation only.
 */
export const putBrain = defineEndpoint({
  method: 'PUT',
  path: '/v1/brains/{handle}',
  summary: 'Create a Brain, or update its name and purpose',
  access: 'management',
  makesBrain: true,
  body: z.object({
    name: name.optional(),
    purpose: purpose.optional(),
    mode: brainMode.optional(),
    schema: schemaName.optional(),
  }),
  bodyOptional: true,
  errors: [...writeErrors, 'not_found', 'brain_cap'],
  status: [200, 201],
  result: brainResult,
})

/** Reads a Brain: its name, purpose, mode, versions and rules, its hold, and how much it holds. */
export const getBrain = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}',
  summary: 'Read a Brain',
  access: { capabilities: ['read'] },
  status: [200],
  result: z.object({ brain: brainDetail }),
})

/** Lists the Brains of the key's organization by handle. */
export const listBrains = defineEndpoint({
  method: 'GET',
  path: '/v1/brains',
  summary: 'List the Brains of the organization',
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'brains',
  result: z.object({ brains: z.array(brain), ...pageResult }),
})

/**
 * Changes a Brain's mode, name, purpose or review rules. Its name and purpose are what agents are told of it, so a management
 * key or a member changes them: to a Brain key that is 403. A Brain key without read gets the handle, mode and availability.
 */
export const patchBrain = defineEndpoint({
  method: 'PATCH',
  path: '/v1/brains/{handle}',
  summary: 'Change the mode, name, purpose or review rules of a Brain',
  access: { capabilities: ['admin'] },
  body: z.object({
    mode: brainMode.optional(),
    name: name.optional(),
    purpose: purpose.optional(),
    reviewRules: reviewRules.optional(),
  }),
  errors: writeErrors,
  status: [200],
  result: z.object({ brain: z.union([brain, brainAddress]) }),
})

/** Deletes a Brain at once. Its rows are erased in the background, and its handle can be used again. */
export const deleteBrain = defineEndpoint({
  method: 'DELETE',
  path: '/v1/brains/{handle}',
  summary: 'Delete a Brain and everything in it',
  access: 'management',
  errors: [...lockErrors, 'brain_held'],
  status: [200],
  result: z.object({
    deleted: z.literal(true),
    erased: z.object({ records: z.int(), statements: z.int(), documents: z.int() }),
  }),
})
