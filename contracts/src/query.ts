import { z } from 'zod'
import { cursor, json, limit, listOrder, pageResult, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { consumerId } from './receipts.ts'
import { fieldName, kind, predicate, record } from './records.ts'

/** The maximum number of records returned for links. */
export const maxLinked = 500

/** The conditions on a field: `eq` is equality, `in` any of a list, `exists` whether it has a value at all. */
export const queryOperators = ['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'exists'] as const
export type QueryOperator = (typeof queryOperators)[number]

/**
 * Reads records of one kind. Exact equality of `slug` is always available: `{ slug: "x" }` or `{ slug: { eq: "x" } }`. A
 * field can be used if the schema declares it `indexed` and its index is built; a plain value is short for `eq`. Anything
 * else is 400 `index_not_ready` and names the field. All conditions must be true.
 *
 * Records are ordered by id, or by the field that has a range (`lt`, `lte`, `gt`, `gte`, `exists`). A page may have fewer
 * than `limit` records while `hasMore` is true. `links` adds, in `linked`, the records that the links of `records` lead to
 * (`direction: "out"`), those that link to them (`in`), or both, over one or two steps: each once, nearer ones first, at most
 * 500 and 4 MiB. `truncated`: there were more; `GET …/records?linksTo=` has pages of them. `select` limits the fields of `records`; records in `linked` have all their fields.
 */
export const queryRecords = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/query',
  summary: 'Read records by slug or by indexed fields, with the records they link to',
  access: { capabilities: ['read'] },
  body: z.strictObject({
    kind,
    where: z.record(fieldName, json).optional(),
    select: z.array(fieldName).max(500).optional(),
    links: z
      .strictObject({
        predicate: predicate.optional(),
        direction: z.enum(['out', 'in', 'both'], { error: 'direction is out, in or both.' }).default('out'),
        depth: z.int().min(0, 'depth is 0, 1 or 2.').max(2, 'depth is 0, 1 or 2.').default(1),
      })
      .optional(),
    after: cursor.optional(),
    limit,
    order: listOrder,
    consumerId: consumerId.optional(),
    asOf: z.int('asOf is a stateVersion: a whole number, 0 or more.').min(0).optional(),
  }),
  errors: ['index_not_ready', 'stale_cursor'],
  status: [200],
  list: 'records',
  result: z.object({
    records: z.array(record),
    linked: z.array(record).optional(),
    truncated: z.literal(true).optional(),
    ...pageResult,
    receipt: z.string().meta({ description: 'The receipt of the versions that were returned' }),
    stateVersion,
  }),
})
