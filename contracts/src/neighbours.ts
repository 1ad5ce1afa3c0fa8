import { z } from 'zod'
import { asOf, itemId, json, stateVersion, wholeNumber } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { forModels } from './for-models.ts'
import { kind } from './records.ts'

/** Maximum depth and number of records of one answer, and maximum number of counted relations of one record. */
export const neighbourLimits = { depth: 3, records: 500, perRecord: 250 } as const

const split = z.string().transform((text): string[] => text.split(',').map((part) => part.trim()))

const depthRule = 'depth is 1, 2 or 3.'
const perRecordRule = `perRecord is a whole number from 1 to ${neighbourLimits.perRecord}.`

/**
 * A record of a neighborhood. `distance` is its number of steps, 0 for the requested record. `kind` and `version` are null
 * if a link leads to a missing record. `hidden` counts its neighbors that the answer leaves out, and `hasMore` says that
 * not all were counted; `hidden` is null if none were, for lack of space.
 */
export const neighbour = z.object({
  id: itemId,
  kind: z.string().nullable().describe('The kind.'),
  slug: z.string().nullable().describe('A readable name, unique among the live records of its kind.'),
  version: z.int().min(1).nullable().describe('The version. Each change to the item makes the next one.'),
  fields: z.record(z.string(), json).describe('Those of `select`; none without it'),
  distance: z.int().min(0).describe('How many steps away it is'),
  hidden: z.int().min(0).nullable().describe('How many of its neighbours are left out; null where none were counted'),
  hasMore: z.boolean().describe('True if there is more after this page.'),
})
export type NeighbourRecord = z.infer<typeof neighbour>

/** A connection between two records: a link, or a statement with its id. */
export const relation = z.object({
  type: z.enum(['link', 'statement']).describe('The type.'),
  from: z.string().describe('The id of the record that has the link, or is the subject'),
  to: z.string().describe('The id of the record that the link leads to, or that is the object'),
  predicate: z.string().describe('The name of the relation.'),
  statement: z.string().optional().describe('The id of the statement'),
})
export type Relation = z.infer<typeof relation>

export const listNeighbours = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/records/{id}/neighbours',
  summary: 'Read the records around a record',
  description:
    'Reads a record with the records that are related to it, by links and statements in both directions, over up to ' +
    '`depth` steps, now or `asOf` an earlier stateVersion. Of each record at most `perRecord` neighbours are ' +
    'followed that are not there yet, those that it names itself first, so that a hub does not crowd out the rest. ' +
    'With `kinds`, records of other kinds are neither returned nor gone through.\n\nNearer records come first, with all ' +
    'relations between them. There are at most 500, of at most 4 MiB; `truncated` says that there was no room for more.',
  access: { capabilities: ['read'] },
  query: z.object({
    depth: wholeNumber(depthRule, { min: 1, max: neighbourLimits.depth })
      .default(1)
      .meta(forModels('How many steps away a record may be')),
    perRecord: wholeNumber(perRecordRule, { min: 1, max: neighbourLimits.perRecord })
      .default(25)
      .meta(forModels('How many neighbours of one record are followed')),
    kinds: split
      .pipe(z.array(kind).min(1).max(100))
      .optional()
      .meta(forModels('Only records of these kinds, separated by commas')),
    select: split
      .pipe(z.array(z.string().min(1).max(128)).max(100))
      .optional()
      .meta(forModels('The fields of each record that are returned, separated by commas')),
    asOf,
  }),
  status: [200],
  result: z.object({
    records: z.array(neighbour).describe('The records of this page.'),
    relations: z.array(relation).describe('The links and statements between the records'),
    truncated: z.literal(true).optional().describe('True if not all linked records fit into the answer.'),
    stateVersion,
  }),
})
