import { z } from 'zod'
import { cursor, fieldName, json, limit, listOrder, pageResult, stateResult, withChange } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { previewErrors } from './error-codes.ts'
import { contentFilters } from './filters.ts'
import { consumerId } from './receipts.ts'
import { kind, predicate, record } from './records.ts'

/** The maximum number of records returned for links. */
export const maxLinked = 500

/** The conditions on a field: `eq` is equality, `in` any of a list, `exists` whether it has a value at all. */
export const queryOperators = ['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'exists'] as const
export type QueryOperator = (typeof queryOperators)[number]

/** The most values that a count looks at for one condition or field, twice as many for all; and the most groups in an answer. */
export const maxCounted = 100_000
export const maxGroups = 1_000

/** The lengths of time by which dates are grouped, in UTC. A week begins on Monday. */
export const groupIntervals = ['hour', 'day', 'week', 'month', 'year'] as const

const aggregation = z
  .strictObject({
    by: fieldName.optional().describe('The indexed field whose values are the groups; without it there is one group.'),
    interval: z.enum(groupIntervals).optional().describe('Groups the dates of `by` by this length of time, in UTC.'),
    of: fieldName.optional().describe('The indexed field of numbers to sum up.'),
  })
  .refine(({ by, of }) => by !== undefined || of !== undefined, 'aggregate takes by, of or both.')
  .describe('Return groups in place of records.')

const counted = z.int().min(0).describe('The number of records.')
const isExact = z.boolean().describe('False: there are at least so many.')

const group = z.object({
  key: json
    .nullable()
    .optional()
    .describe('The value; null: it has none. The start of an interval: `2026-03` is a month.'),
  count: counted,
  sum: z.number().nullable().optional().describe('The sum of `of`; null: no values.'),
  avg: z.number().nullable().optional().describe('The mean of `of`.'),
  min: z.number().nullable().optional().describe('The smallest value of `of`.'),
  max: z.number().nullable().optional().describe('The largest value of `of`.'),
})
export type QueryGroup = z.infer<typeof group>

export const queryRecords = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/query',
  summary: 'Read records by slug or by indexed fields, with the records they link to',
  description:
    'Reads records of one kind. Exact equality of `slug` is always available: `{ slug: "x" }` or `{ slug: { eq: "x" ' +
    '} }`. A field can be used if the schema declares it `indexed` and its index is built; a plain value is short ' +
    'for `eq`. Anything else is 400 `index_not_ready` and names the field. All conditions must be true.\n\nRecords are ' +
    'ordered by id, or by the field that has a range (`lt`, `lte`, `gt`, `gte`, `exists`). A page may have fewer ' +
    'than `limit` records while `hasMore` is true. `links` adds, in `linked`, the records that the links of ' +
    '`records` lead to (`direction: "out"`), those that link to them (`in`), or both, over one or two steps: each ' +
    'once, nearer ones first, at most 500 and 4 MiB. `truncated`: there were more; `GET …/records?linksTo=` has ' +
    'pages of them. `source` compares `provenance.source`; `since` and `until` compare `createdAt`. They are checked ' +
    'on at most 1,000 records for each page, and not with `count` or `aggregate`. `select` limits the fields of `records`; records in `linked` have all their fields.\n\n`count` adds ' +
    'the number of all records that match. `aggregate` returns groups of them in place of `records`: the largest first, ' +
    'or with `interval` in the order of time; at most 1,000. A record with several values is in several groups. Both ' +
    'look at 100,000 values for each of at most 4 conditions, and 200,000 in all: beyond, `exact` is false.',
  access: { capabilities: ['read'] },
  body: z.strictObject({
    kind,
    ...contentFilters,
    where: z.record(fieldName, json).optional().describe('The values that fields must have.'),
    select: z.array(fieldName).max(500).optional().describe('The fields to return; all of them without it.'),
    links: z
      .strictObject({
        predicate: predicate.optional(),
        direction: z
          .enum(['out', 'in', 'both'], { error: 'direction is out, in or both.' })
          .default('out')
          .describe('Which links to follow: those that leave, those that arrive, or both.'),
        depth: z
          .int()
          .min(0, 'depth is 0, 1 or 2.')
          .max(2, 'depth is 0, 1 or 2.')
          .default(1)
          .describe('How many links to follow, from 0 to 2.'),
      })
      .optional()
      .describe('Which linked records to return as well.'),
    count: z.boolean().optional().describe('Count all records that match.'),
    aggregate: aggregation.optional(),
    after: cursor.optional(),
    limit: limit.describe('The maximum number of items.'),
    order: listOrder,
    consumerId: consumerId.optional(),
    asOf: z
      .int('asOf is a stateVersion: a whole number, 0 or more.')
      .min(0)
      .optional()
      .describe('Read the Brain as it was at this stateVersion.'),
    change: withChange,
  }),
  errors: [...previewErrors, 'index_not_ready', 'stale_cursor'],
  status: [200],
  list: 'records',
  result: z.object({
    records: z.array(record).describe('The records of this page.'),
    linked: z.array(record).optional().describe('The linked records.'),
    truncated: z.literal(true).optional().describe('True if not all linked records fit into the answer.'),
    count: z.object({ value: counted, exact: isExact }).optional().describe('How many records match.'),
    aggregate: z
      .object({
        groups: z.array(group).describe('The groups.'),
        hasMore: z.boolean().describe('True if there are more groups.'),
        exact: isExact,
      })
      .optional()
      .describe('The groups of the records that match.'),
    ...pageResult,
    receipt: z.string().describe('The receipt of the versions that were returned'),
    ...stateResult,
  }),
})
