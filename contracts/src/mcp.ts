import { z } from 'zod'
import { json, largeBodyLimit } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const version = z.literal('2.0')

/**
 * The Brain's server of the Model Context Protocol: streamable HTTP, without sessions. One JSON-RPC 2.0 message each way,
 * not wrapped in `data`; a notification is answered 202 without a body. A credential or a Brain that is wrong is answered
 * as everywhere (401, 404); what a tool refuses is told inside its result, as the error that an endpoint would answer.
 */
export const mcp = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/mcp',
  summary: 'Speak the Model Context Protocol with a Brain',
  // Any key of the Brain may connect; it is shown the tools that its capabilities open. A browser's session may not: pages
  // of any kind speak MCP with servers on this machine, and none should speak for who is signed in.
  access: { capabilities: [], keysOnly: true },
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
})
