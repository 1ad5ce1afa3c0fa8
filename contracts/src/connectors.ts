import { z } from 'zod'
import { actor, deletedResult, displayName, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { testErrors } from './error-codes.ts'
import { isObject } from './json.ts'
import { sentHeaders } from './providers.ts'

// Connectors: servers of the Model Context Protocol (streamable HTTP) whose tools agents may be given.

/** Maximum number of connectors of one organization. */
export const maxConnectors = 50

/** Maximum number of stored tools of one connector, and maximum size of the JSON text of one tool's inputSchema. */
export const maxConnectorTools = 128
export const maxToolSchemaBytes = 32 * 1024

/** A connector's name. Models see its tools with this name as a prefix. */
export const connectorName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,29}$/, 'A connector name has 1 to 30 of a-z, 0-9, _ and -, and begins with a-z.')
  .describe('The name, for people.')

/** The endpoint of an MCP server: https on a public host. */
const url = z
  .string()
  .min(1)
  .max(2048)
  .refine((text) => !text.includes('#'), 'A URL of a connector has no fragment.')
  .describe('The address.')

export const connectorTool = z
  .object({
    name: displayName,
    description: z.string().describe('The purpose, in a sentence or two.'),
    inputSchema: z.custom<{ [name: string]: unknown }>(isObject).meta({ type: 'object', description: 'A JSON Schema' }),
    outputSchema: z
      .custom<{ [name: string]: unknown }>(isObject)
      .optional()
      .meta({ type: 'object', description: 'The JSON Schema of the result, if the tool declares one.' }),
    isRepeatable: z.boolean().describe('True if the tool says that calling it twice does no harm.'),
  })
  .describe(
    "A tool as its server offered it. Name, description and schema are the server's words. `isRepeatable`: the " +
      'server says that a call may be made twice (`idempotentHint` or `readOnlyHint`), so an interrupted one is made ' +
      'again.',
  )
export type ConnectorTool = z.infer<typeof connectorTool>

export const connector = z
  .object({
    id: itemId,
    name: displayName,
    url: z.string().describe('The address.'),
    headers: z.array(z.string()).describe('Headers to send. Their values are stored encrypted and never shown.'),
    problem: z.string().nullable().describe('Why it cannot be used, where that is known'),
    toolCount: z.int().nullable().describe('How many tools the server offered last; null if it was never asked.'),
    toolsAt: timestamp.nullable().describe('When its server was last asked for its tools'),
    serverVersion: z.string().nullable().describe('The version that its server last gave of itself.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    createdBy: actor.describe('Who set it last'),
  })
  .describe(
    'A connector. The values of its headers are never answered, only their names. `toolCount` is null until its ' +
      'server was asked for the first time.',
  )
export type Connector = z.infer<typeof connector>

export const connectorWithTools = connector
  .extend({ tools: z.array(connectorTool).nullable().describe('The tools.') })
  .describe('A connector with the tools that its server offered last.')

const path = '/v1/connectors' as const

export const createConnector = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Set up a connector to an MCP server',
  description:
    'Keeps a connector. Its server is asked for its tools at the first test, or when a run first needs them.',
  access: 'management',
  body: z.object({ name: connectorName, url, headers: sentHeaders.optional() }),
  errors: ['name_taken', 'too_many_connectors'],
  status: [201],
  result: z.object({ connector: connector.describe('The connector.') }),
})

export const listConnectors = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's connectors",
  description: "Lists an organization's connectors by id.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'connectors',
  result: z.object({ connectors: z.array(connector).describe('The connectors.'), ...pageResult }),
})

export const getConnector = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a connector and its tools',
  description: 'Reads a connector with the tools that its server offered last.',
  access: 'management',
  status: [200],
  result: z.object({ connector: connectorWithTools.describe('The connector.') }),
})

export const patchConnector = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a connector',
  description:
    'Changes a connector; what is left out stays. Headers are replaced as a whole, null removes them. A `url` of ' +
    'another origin or path needs the headers again, so that none goes to a server that it was not given for. With a new ' +
    '`url` or new headers its tools are forgotten until its server is asked again.',
  access: 'management',
  body: z.object({
    name: connectorName.optional(),
    url: url.optional(),
    headers: sentHeaders
      .nullable()
      .optional()
      .describe('Headers to send. Their values are stored encrypted and never shown.'),
  }),
  errors: ['name_taken'],
  status: [200],
  result: z.object({ connector: connector.describe('The connector.') }),
})

export const deleteConnector = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a connector',
  description: 'Deletes a connector with its headers. Runs of agents that have its tools fail at their next step.',
  access: 'management',
  status: [200],
  result: deletedResult,
})

/**
 * The result of a test: the tools that the server offers, or the reason for their absence. `omitted` tools are too many, or
 * have a name or a schema that cannot be shown to models.
 */
export const connectorTest = z.object({
  ok: z.boolean().describe('True if it works.'),
  error: z.string().nullable().describe('The error; null if there was none.'),
  tools: z.array(connectorTool).nullable().describe('The tools.'),
  omitted: z.int().min(0).describe('How many entries are left out.'),
  milliseconds: z.int().min(0).describe('How long it took, in milliseconds.'),
})
export type ConnectorTest = z.infer<typeof connectorTest>

export const testConnector = defineEndpoint({
  method: 'POST',
  path: `${path}/{id}/test`,
  summary: 'Ask an MCP server for its tools',
  description:
    "Asks a connector's server for its tools now, and keeps them. A failure of the server is an answer, too.",
  access: 'management',
  errors: [...testErrors, 'unreadable_secret'],
  status: [200],
  result: connectorTest,
})
