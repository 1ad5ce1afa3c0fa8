import {
  type CallToolResult,
  createMcpHandler,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { mcp } from '@noema/contracts/mcp.ts'
import type { AppDeps } from '../api/app-deps.ts'
import type { Call } from '../api/binding.ts'
import type { ToolResult } from '../api/tools/call-tool.ts'
import type { listedTool } from '../api/tools/input-schema.ts'
import { MovesToWorker } from '../shared/errors.ts'

// The functions of the protocol's package. It is loaded with the first message: a node without MCP clients never loads it.

/** A server's description of itself and its tools. */
export type ServedTools = {
  instructions: string
  tools: readonly (NonNullable<ReturnType<typeof listedTool>> & { outputSchema?: { type: 'object' } })[]
  /** The skills that it serves, if it does. */
  skills?: { attach(server: McpServer): void } | undefined
  /** Calls one of the tools; undefined where there is none of that name. */
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<ToolResult> | undefined
}

/** A message and the method that it came by. There is none where the method takes no body. */
export type McpMessage = { method: string; message: unknown }

/** Converts a result to the protocol's format and marks failures. */
export const toCallToolResult = ({ isError, texts, data }: ToolResult): CallToolResult => ({
  ...(isError ? { isError } : {}),
  content: texts.map((text) => ({ type: 'text', text })),
  structuredContent: data,
})

/** A server, with the methods of skills where it serves some. */
const openServer = ({ instructions, skills }: ServedTools): Server => {
  const info = { name: 'noema', title: 'Noema', version: 'v1' }
  const options = { capabilities: { tools: {} }, instructions }
  if (!skills) return new Server(info, options)
  const server = new McpServer(info, options)
  skills.attach(server)
  return server.server
}

const createServer = (served: ServedTools): Server => {
  const { tools, call } = served
  const server = openServer(served)
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }))
  server.setRequestHandler('tools/call', async (request) => {
    const { name, arguments: given = {} } = request.params
    const called = call(name, given)
    if (!called) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`)
    return toCallToolResult(await called)
  })
  return server
}

/** Answers a message in its own revision. */
export const answerMessage = (
  deps: AppDeps,
  { headers: sent }: Pick<Call<typeof mcp>, 'headers'>,
  { method, message }: McpMessage,
  served: ServedTools,
): Promise<Response> => {
  const failed = Promise.withResolvers<never>()
  const call: ServedTools['call'] = (name, given) =>
    served.call(name, given)?.catch((error: unknown) => {
      // The protocol's package would answer the error.
      if (error instanceof MovesToWorker) failed.reject(error)
      throw error
    })
  const handler = createMcpHandler(() => createServer({ ...served, call }), {
    // The list of tools changes with the key, not while a client listens.
    maxSubscriptions: 0,
    onerror: (error) => deps.log.debug({ err: error }, 'an MCP message was refused'),
  })
  const headers = Object.entries(sent).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  const answer = async () => {
    const response = await handler.fetch(new Request('http://noema/mcp', { method, headers }), { parsedBody: message })
    // A tool may still run while its answer is a stream.
    const text = await response.text()
    return new Response(text === '' ? null : text, response)
  }
  return Promise.race([answer(), failed.promise])
}
