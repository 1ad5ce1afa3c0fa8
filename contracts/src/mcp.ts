import { z } from 'zod'
import { json, largeBodyLimit } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const version = z.literal('2.0')

/** One JSON-RPC 2.0 message each way, not wrapped in `data`; the response to a notification is 202 without a body. */
const rpc = {
  method: 'POST',
  jsonRpc: true,
  body: z.object({
    jsonrpc: version,
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string(),
    params: z.record(z.string(), json).optional(),
  }),
  bodyLimit: largeBodyLimit,
  status: [200, 202],
  result: z.object({
    jsonrpc: version,
    id: z.union([z.string(), z.number(), z.null()]),
    result: z.record(z.string(), json).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: json.optional() }).optional(),
  }),
} as const

/**
 * The Brain's server of the Model Context Protocol: streamable HTTP, without sessions. One JSON-RPC 2.0 message each way,
 * not wrapped in `data`; the response to a notification is 202 without a body. A wrong credential or Brain gets the usual
 * response (401, 404). What a tool refuses is reported in its result, as the error that an endpoint would return.
 */
export const mcp = defineEndpoint({
  ...rpc,
  path: '/v1/brains/{handle}/mcp',
  summary: 'Use a Brain through the Model Context Protocol',
  // Any key of the Brain may connect; it sees the tools that its capabilities allow. A browser's session may not: no page
  // should speak to models in the name of who is signed in.
  access: { capabilities: [], keysOnly: true },
})

/**
 * The organization's server of the Model Context Protocol, spoken as that of a Brain: its tools start runs of agents, read and
 * cancel them, and answer what they ask.
 */
export const organizationMcp = defineEndpoint({
  ...rpc,
  path: '/v1/mcp',
  summary: 'Use the agents of the organization through the Model Context Protocol',
  access: 'management',
  wait: true,
})

/** Both, under the names that the API's reference has for them: clients of the protocol use them, not the SDK. */
export const mcpEndpoints = [
  { name: 'brain.mcp', endpoint: mcp },
  { name: 'mcp', endpoint: organizationMcp },
] as const
export type McpEndpointName = (typeof mcpEndpoints)[number]['name']
