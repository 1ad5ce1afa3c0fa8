import { z } from 'zod'
import { json, largeBodyLimit } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const version = z.literal('2.0').describe('The version of JSON-RPC.')

/** One JSON-RPC 2.0 message each way, not wrapped in `data`; the response to a notification is 202 without a body. */
const rpc = {
  method: 'POST',
  jsonRpc: true,
  body: z
    .object({
      jsonrpc: version,
      id: z
        .union([z.string(), z.number()])
        .optional()
        .describe('The id of the message. Without it, the message is a notification.'),
      method: z.string().describe('The method of JSON-RPC, such as tools/call.'),
      params: z.record(z.string(), json).optional().describe('The parameters of the method.'),
    })
    .describe('A JSON-RPC 2.0 request, or a notification, which has no `id`.'),
  bodyLimit: largeBodyLimit,
  status: [200, 202],
  result: z
    .object({
      jsonrpc: version,
      id: z
        .union([z.string(), z.number(), z.null()])
        .describe('The id of the message that this answers; null if that could not be read.'),
      result: z.record(z.string(), json).optional().describe('The result of the method.'),
      error: z
        .object({
          code: z.int().describe('The code of JSON-RPC, such as -32602.'),
          message: z.string().describe('The problem and the next step. The wording may change.'),
          data: json.optional(),
        })
        .optional()
        .describe('The error.'),
    })
    .describe('A JSON-RPC 2.0 answer: `result` or `error`.'),
} as const

export const mcp = defineEndpoint({
  ...rpc,
  path: '/v1/brains/{handle}/mcp',
  summary: 'Use a Brain through the Model Context Protocol',
  description:
    "The Brain's server of the Model Context Protocol: streamable HTTP, without sessions. One JSON-RPC 2.0 message " +
    'each way, not wrapped in `data`; the response to a notification is 202 without a body. A wrong credential or ' +
    'Brain gets the usual response (401, 404). A refusal of a tool is in its result, as the error that an endpoint ' +
    'would return.',
  // Any key of the Brain may connect; it sees the tools that its capabilities allow.
  access: { capabilities: [] },
})

export const organizationMcp = defineEndpoint({
  ...rpc,
  path: '/v1/mcp',
  summary: 'Use the agents of the organization through the Model Context Protocol',
  description:
    "The organization's server of the Model Context Protocol, spoken as that of a Brain: its tools start runs of " +
    'agents, read and cancel them, and answer what they ask.',
  access: 'management',
  wait: true,
})

/** Both, under the names that the API's reference has for them: clients of the protocol use them, not the SDK. */
export const mcpEndpoints = [
  { name: 'brain.mcp', endpoint: mcp },
  { name: 'mcp', endpoint: organizationMcp },
] as const
export type McpEndpointName = (typeof mcpEndpoints)[number]['name']
