import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type CallToolResult, createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server'

// An MCP server of a stranger on this machine, by the protocol's own package. It offers what a test says and answers as it says.

type Call = { name: string; input: unknown; meta: unknown; headers: IncomingMessage['headers'] }
type Behaviour = {
  tools: () => Tool[]
  call: (call: Call) => CallToolResult | Promise<CallToolResult>
  /** Answers a request before the protocol does, where it answers true. */
  intercept: (request: IncomingMessage, response: ServerResponse, body: string) => boolean | Promise<boolean>
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const createProtocol = (behaviour: Behaviour, calls: Call[], headers: IncomingMessage['headers']) => {
  const server = new Server({ name: 'stranger', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: behaviour.tools() }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const call = { name: params.name, input: params.arguments, meta: params._meta, headers }
    calls.push(call)
    return behaviour.call(call)
  })
  return server
}

export const object = { type: 'object' as const, properties: {} }

/** Starts a server; a test changes its behaviour as it goes on. */
export const startMcpServer = async (given: Partial<Behaviour> = {}) => {
  const behaviour: Behaviour = {
    tools: () => [{ name: 'echo', description: 'Says it again.', inputSchema: object }],
    call: ({ input }) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
    intercept: () => false,
    ...given,
  }
  const calls: Call[] = []
  const requests: string[] = []
  const http = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const body = await readBody(request)
    if (await behaviour.intercept(request, response, body)) return
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const init = { method: request.method ?? 'GET', headers, ...(body === '' ? {} : { body }) }
    const handler = createMcpHandler(() => createProtocol(behaviour, calls, request.headers))
    const answer = await handler.fetch(new Request('http://stranger/mcp', init))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    behaviour,
    calls,
    requests,
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise<void>((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
}

export type McpServer = Awaited<ReturnType<typeof startMcpServer>>
