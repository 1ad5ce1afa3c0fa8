import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ConnectorTool } from '@noema/contracts/connectors.ts'
import type { Limits } from '../../../config/config.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import { type ConnectorAccess, listSecrets, maskSecrets } from './access.ts'
import { ConnectorFailure, withServer } from './mcp-client.ts'

/** At most this much of one answer is read. */
const maxBytes = 4 * 1024 * 1024

/** The outcome of calling a connector's tool: an answer, or the server's error as text. */
export type ServerAnswer = { output: unknown; isError: boolean }

type Part = CallToolResult['content'][number]

/** A part of an answer as a model can read it. Other parts than text are named and left out. */
const toReadable = (part: Part): unknown => {
  if (part.type === 'text') return part.text
  if (part.type === 'resource' && 'text' in part.resource) return { uri: part.resource.uri, text: part.resource.text }
  if (part.type === 'resource_link') return { uri: part.uri, name: part.name }
  return { type: part.type, note: 'This is no text and was left out.' }
}

const toAnswer = ({ content = [], structuredContent, isError = false }: CallToolResult): ServerAnswer => {
  if (structuredContent !== undefined && !isError) return { output: structuredContent, isError }
  const parts = content.map(toReadable)
  const isText = parts.every((part) => typeof part === 'string')
  if (isText) return { output: parts.join('\n'), isError }
  return { output: isError ? JSON.stringify(parts) : parts, isError }
}

const notKnown = ' It is not known whether the call took effect.'

/**
 * Calls a tool of a connector's server. The answer is untrusted data, without the headers of the request. An unreachable server
 * is an answer, too; only the reason of `signal` is thrown.
 */
export const callServer = async (
  deps: { outbound: Outbound; limits: Pick<Limits, 'connectorCalls'> },
  { access, tool }: { access: ConnectorAccess; tool: ConnectorTool },
  input: JsonObject,
  { operationId, signal }: { operationId: string; signal: AbortSignal },
): Promise<ServerAnswer> => {
  const { name, inputSchema, isRepeatable } = tool
  // A server may know by it that a call came before.
  const params = { name, arguments: input, _meta: { 'noema/operation': operationId } }
  const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } }
  try {
    const limits = { seconds: deps.limits.connectorCalls.seconds, maxBytes, signal }
    const result = await withServer(deps, access, limits, (client, options) =>
      client.callTool(params, { ...options, toolDefinition }),
    )
    const { output, isError } = toAnswer(result)
    return { output: maskSecrets(output, listSecrets(access.headers)), isError }
  } catch (error) {
    if (!(error instanceof ConnectorFailure)) throw error
    return { output: error.message + (error.isUnknown && !isRepeatable ? notKnown : ''), isError: true }
  }
}
