import { z } from 'zod'
import { itemVersion, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { schemaKind, schemaKinds } from './schema-kinds.ts'

// Organization schemas, which Brains can be forked from. Every change makes a new version; versions never change.

/** An organization schema's name: `[a-z0-9][a-z0-9-]{0,62}`. */
export const schemaName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'A schema name has 1 to 63 of a-z, 0-9 and -, and does not begin with -.')

/** One version of an organization schema. */
export const schemaOrigin = z.object({
  schema: z.string().describe('The name of the organization schema.'),
  version: z.int().describe('The version of the organization schema.'),
})
export type SchemaOrigin = z.infer<typeof schemaOrigin>

const organizationSchema = z.object({
  name: schemaName.describe('The name, for people.'),
  version: itemVersion,
  kinds: z.array(schemaKind).describe('The kinds of records.'),
  createdAt: timestamp,
})

const result = z
  .object({ schema: organizationSchema.describe('The schema.') })
  .describe('The schema of the organization.')

export const putOrganizationSchema = defineEndpoint({
  method: 'PUT',
  path: '/v1/schemas/{name}',
  summary: 'Create an organization schema, or its next version',
  description: 'Creates the next version of an organization schema. If the kinds are the same, no version is created.',
  access: 'management',
  body: z.object({ kinds: schemaKinds }),
  errors: ['too_many_schemas'],
  status: [200, 201],
  result,
})

export const getOrganizationSchema = defineEndpoint({
  method: 'GET',
  path: '/v1/schemas/{name}',
  summary: 'Read an organization schema',
  description: 'Reads an organization schema, the newest version or the one that `version` names.',
  access: 'management',
  query: z.object({
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'version is a whole number, 1 or more.')
      .transform(Number)
      .optional()
      .describe('This version instead of the current one.'),
  }),
  status: [200],
  result,
})

export const listOrganizationSchemas = defineEndpoint({
  method: 'GET',
  path: '/v1/schemas',
  summary: 'List the schemas of the organization',
  description: "Lists the organization's schemas by name, each with its newest version.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'schemas',
  result: z.object({
    schemas: z.array(organizationSchema.omit({ kinds: true })).describe('The schemas of this page.'),
    ...pageResult,
  }),
})
