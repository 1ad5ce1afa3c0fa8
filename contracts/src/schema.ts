import { z } from 'zod'
import { changeSchemaItem, writeResult } from './changes.ts'
import { itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { schemaErrors } from './error-codes.ts'
import { forModels } from './for-models.ts'
import { kind, predicate } from './records.ts'
import { schemaField, schemaKind, schemaKinds, schemaLink } from './schema-kinds.ts'
import { schemaOrigin } from './schemas.ts'

// The schema of a Brain: read, proposed to be changed, and compared with the organization schema that it was forked from.

const schemaVersion = z.int().min(0).meta(forModels('The nth schema of the Brain; 0 declares nothing'))

/** `version`: read the schema as it was at this schemaVersion. */
const version = z
  .string()
  .regex(/^\d{1,9}$/, 'version is a schemaVersion: a whole number, 0 or more.')
  .transform(Number)
  .optional()

export const brainSchema = z
  .object({
    schemaVersion,
    baseline: schemaOrigin
      .nullable()
      .describe('The organization schema that the Brain began from; null if there is none.'),
    kinds: z.array(schemaKind).describe('The kinds of records.'),
  })
  .describe(
    "The declarations that a Brain's records must follow. Undeclared kinds, and undeclared fields of a kind that is not " +
      'strict, are accepted and counted (see `emerged`). `baseline`: the organization schema that it was forked from.',
  )

const title = schemaKind.shape.title.optional()
const strict = z
  .boolean()
  .describe('If true, records of the kind may have no field or link that the schema does not name.')
const named = { kind, name: schemaField.shape.name }

export const schemaOperation = z
  .discriminatedUnion('op', [
    z.object({
      op: z.literal('addKind').describe('The operation.'),
      kind,
      title: title.describe('The title, for people.'),
      description: schemaKind.shape.description.optional().describe('The purpose, in a sentence or two.'),
      strict: strict.optional(),
      fields: schemaKinds.element.shape.fields.optional().describe('The fields of the new kind.'),
      links: schemaKinds.element.shape.links.optional().describe('The links of the new kind.'),
    }),
    z.object({
      op: z.literal('addField').describe('The operation.'),
      kind,
      field: schemaField.describe('The new declaration of the field.'),
    }),
    z.object({
      op: z.literal('setField').describe('The operation.'),
      kind,
      field: schemaField.describe('The new declaration of the field.'),
    }),
    z.object({ op: z.literal('retireField').describe('The operation.'), ...named }),
    z.object({ op: z.literal('retireKind').describe('The operation.'), kind }),
    z.object({
      op: z.literal('addLink').describe('The operation.'),
      kind,
      link: schemaLink.describe('A named reference to another record.'),
    }),
    z.object({ op: z.literal('retireLink').describe('The operation.'), kind, predicate }),
    z.object({ op: z.literal('setStrict').describe('The operation.'), kind, strict }),
  ])
  .describe(
    'One step of a schema change, selected by `op`. Its names must exist in the schema after the steps before it.',
  )
export type SchemaOperation = z.infer<typeof schemaOperation>

const path = '/v1/brains/{handle}/schema' as const

/** The response to a proposal: the pending change, and the effect of each item. */
const proposed = z
  .object({ ...writeResult, items: z.array(changeSchemaItem).describe('The items.') })
  .describe('The change that proposes the new schema, with its items.')

export const getSchema = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read the schema',
  description: 'Reads the schema of a Brain, now or at an earlier schemaVersion.',
  access: { capabilities: ['read'] },
  query: z.object({ version: version.describe('This version instead of the current one.') }),
  status: [200],
  result: z.object({ schema: brainSchema.describe('The schema.') }),
})

export const evolveSchema = defineEndpoint({
  method: 'POST',
  path: `${path}/evolve`,
  summary: 'Propose a change of the schema',
  description:
    'Proposes a change of the schema. It always waits for a decision, in either mode; publishing it makes the next ' +
    "schemaVersion and a stateVersion. If the Brain's schema is no longer `baseVersion`, the response is 409 " +
    '`stale_schema`; if it changes later, the change is blocked until it is rebased.',
  access: { capabilities: ['admin'] },
  body: z.object({
    baseVersion: schemaVersion,
    operations: z.array(schemaOperation).min(1).max(500).describe('The operations, in their order.'),
    reason: z.string().min(1).max(2000).optional().describe('Why, for people.'),
  }),
  idempotencyKey: 'header',
  errors: schemaErrors,
  status: [202],
  result: proposed,
})

export const promoteEmerged = defineEndpoint({
  method: 'POST',
  path: `${path}/promote`,
  summary: 'Propose to declare emergent kinds and fields',
  description: 'Proposes to declare emergent structure, with the suggested types or with the one type that `as` names.',
  access: { capabilities: ['admin'] },
  body: z.object({
    emerged: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(500)
      .describe('The ids of what to declare: `kind` or `kind/field`.'),
    as: schemaField.shape.type.exclude(['enum']).optional().describe('The type that the field gets.'),
    reason: z.string().min(1).max(2000).optional().describe('Why, for people.'),
  }),
  idempotencyKey: 'header',
  errors: schemaErrors,
  status: [202],
  result: proposed,
})

export const emergedStructure = z
  .object({
    id: itemId,
    kind: z.string().describe('The kind.'),
    field: z.string().nullable().describe('The name of the field.'),
    suggested: z
      .object({ type: schemaField.shape.type, many: z.boolean().describe('True if there may be several values.') })
      .nullable()
      .describe('The declaration that would fit; null if its values differ too much.'),
    seen: z.array(z.string()).describe('The types of the values that were seen.'),
    count: z.int().describe('How many there are.'),
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
  })
  .describe(
    'A kind, or a field of a kind, that records have and the schema does not declare. `count`: how many records have ' +
      'got it so far; it never decreases. `seen`: the types of its values, `[]` marking lists. It never contains ' +
      'values.',
  )
export type EmergedStructure = z.infer<typeof emergedStructure>

export const listEmerged = defineEndpoint({
  method: 'GET',
  path: `${path}/emerged`,
  summary: 'List emergent kinds and fields',
  description: 'Lists emergent structure by kind and field; a kind comes before its fields.',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'emerged',
  result: z.object({
    emerged: z.array(emergedStructure).describe('Structure that records have and the schema does not name.'),
    ...pageResult,
  }),
})

/** The differences between two schemas: kinds as `kind`, fields as `kind.field`, links as `kind->predicate`. */
const difference = z.object({
  added: z.array(z.string()).describe('The added names.'),
  changed: z.array(z.string()).describe('The changed names.'),
  removed: z.array(z.string()).describe('The removed names.'),
})
export type SchemaDifference = z.infer<typeof difference>

export const getSchemaLineage = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/schema-lineage',
  summary: 'Read which organization schema the Brain was forked from, and what has changed since',
  description:
    'The organization schema that a Brain was forked from (null if none), whether that has changed since, and the ' +
    'changes made by the Brain (`local`) and by the organization (`upstream`).',
  access: 'management',
  minRole: 'reader',
  status: [200],
  result: z.object({
    lineage: z
      .object({
        forkedFrom: schemaOrigin.nullable().describe('The organization schema and version that the Brain began from.'),
        baseline: z
          .object({
            currentVersion: z
              .int()
              .nullable()
              .describe('The newest version of the organization schema; null if it is gone.'),
            moved: z.boolean().describe('True if the organization schema has a newer version.'),
          })
          .describe('How far the organization schema has come since.'),
        local: difference.describe('Changes of the Brain since then.'),
        upstream: difference.describe('Changes of the organization since then.'),
      })
      .describe('How the schema of the Brain relates to that of the organization.'),
  }),
})
