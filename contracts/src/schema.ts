import { z } from 'zod'
import { changeSchemaItem, writeResult } from './changes.ts'
import { listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { schemaErrors } from './error-codes.ts'
import { kind, predicate } from './records.ts'
import { schemaField, schemaKind, schemaKinds, schemaLink } from './schema-kinds.ts'
import { schemaOrigin } from './schemas.ts'

// The schema of a Brain: read, proposed to be changed, and compared with the organization schema that it was forked from.

const schemaVersion = z.int().min(0).meta({ description: 'The nth schema of the Brain; 0 declares nothing' })

/** `version`: read the schema as it was at this schemaVersion. */
const version = z
  .string()
  .regex(/^\d{1,9}$/, 'version is a schemaVersion: a whole number, 0 or more.')
  .transform(Number)
  .optional()

/**
 * What a Brain's records are checked against. Undeclared kinds, and undeclared fields of a kind that is not strict, are
 * accepted and counted (see `emerged`). `baseline`: the organization schema that it was forked from.
 */
export const brainSchema = z.object({
  schemaVersion,
  baseline: schemaOrigin.nullable(),
  kinds: z.array(schemaKind),
})

const title = schemaKind.shape.title.optional()
const strict = z.boolean()
const named = { kind, name: schemaField.shape.name }

/** One step of a schema change, selected by `op`. What it names must exist in the schema after the steps before it. */
export const schemaOperation = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('addKind'),
    kind,
    title,
    description: schemaKind.shape.description.optional(),
    strict: strict.optional(),
    fields: schemaKinds.element.shape.fields.optional(),
    links: schemaKinds.element.shape.links.optional(),
  }),
  z.object({ op: z.literal('addField'), kind, field: schemaField }),
  z.object({ op: z.literal('setField'), kind, field: schemaField }),
  z.object({ op: z.literal('retireField'), ...named }),
  z.object({ op: z.literal('retireKind'), kind }),
  z.object({ op: z.literal('addLink'), kind, link: schemaLink }),
  z.object({ op: z.literal('retireLink'), kind, predicate }),
  z.object({ op: z.literal('setStrict'), kind, strict }),
])
export type SchemaOperation = z.infer<typeof schemaOperation>

const path = '/v1/brains/{handle}/schema' as const

/** What a proposal returns: the pending change, and what each of its items would do. */
const proposed = z.object({ ...writeResult, items: z.array(changeSchemaItem) })

/** Reads the schema of a Brain, now or at an earlier schemaVersion. */
export const getSchema = defineEndpoint({
  method: 'GET',
  path,
  summary: 'Read the schema',
  access: { capabilities: ['read'] },
  query: z.object({ version }),
  status: [200],
  result: z.object({ schema: brainSchema }),
})

/**
 * Proposes a change of the schema. It always waits for a decision, in either mode; publishing it makes the next
 * schemaVersion and a stateVersion. If the Brain's schema is no longer `baseVersion`, the response is 409 `stale_schema`; if
 * it changes later, the change is blocked until it is rebased.
 */
export const evolveSchema = defineEndpoint({
  method: 'POST',
  path: `${path}/evolve`,
  summary: 'Propose a change of the schema',
  access: { capabilities: ['admin'] },
  body: z.object({
    baseVersion: schemaVersion,
    operations: z.array(schemaOperation).min(1).max(500),
    reason: z.string().min(1).max(2000).optional(),
  }),
  idempotencyKey: 'header',
  errors: schemaErrors,
  status: [202],
  result: proposed,
})

/** Proposes to declare emergent structure, with the suggested types or with the one type that `as` names. */
export const promoteEmerged = defineEndpoint({
  method: 'POST',
  path: `${path}/promote`,
  summary: 'Propose to declare emergent kinds and fields',
  access: { capabilities: ['admin'] },
  body: z.object({
    emerged: z.array(z.string().min(1).max(300)).min(1).max(500),
    as: schemaField.shape.type.exclude(['enum']).optional(),
    reason: z.string().min(1).max(2000).optional(),
  }),
  idempotencyKey: 'header',
  errors: schemaErrors,
  status: [202],
  result: proposed,
})

/**
 * A kind, or a field of a kind, that records have and the schema does not declare. `count`: how many records have got it so
 * far; it never decreases. `seen`: the types of its values, `[]` marking lists. It never contains values.
 */
export const emergedStructure = z.object({
  id: z.string(),
  kind: z.string(),
  field: z.string().nullable(),
  suggested: z.object({ type: schemaField.shape.type, many: z.boolean() }).nullable(),
  seen: z.array(z.string()),
  count: z.int(),
  firstSeenAt: timestamp,
  lastSeenAt: timestamp,
})
export type EmergedStructure = z.infer<typeof emergedStructure>

/** Lists emergent structure by kind and field; a kind comes before its fields. */
export const listEmerged = defineEndpoint({
  method: 'GET',
  path: `${path}/emerged`,
  summary: 'List emergent kinds and fields',
  access: { capabilities: ['read'] },
  query: z.object(listQuery),
  status: [200],
  list: 'emerged',
  result: z.object({ emerged: z.array(emergedStructure), ...pageResult }),
})

/** What differs between two schemas: kinds as `kind`, fields as `kind.field`, links as `kind->predicate`. */
const difference = z.object({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
})
export type SchemaDifference = z.infer<typeof difference>

/**
 * The organization schema that a Brain was forked from (null if none), whether that has changed since, and the changes made
 * by the Brain (`local`) and by the organization (`upstream`).
 */
export const getSchemaLineage = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/schema-lineage',
  summary: 'Read which organization schema the Brain was forked from, and what has changed since',
  access: 'management',
  status: [200],
  result: z.object({
    lineage: z.object({
      forkedFrom: schemaOrigin.nullable(),
      baseline: z.object({ currentVersion: z.int().nullable(), moved: z.boolean() }),
      local: difference,
      upstream: difference,
    }),
  }),
})
