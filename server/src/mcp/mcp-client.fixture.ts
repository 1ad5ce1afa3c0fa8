import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { TestApp } from '../test/app.ts'

/** The newest revision, whose requests are self-contained, and the earlier ones, which start with `initialize`. */
export type Revision = 'newest' | '2025'

/** Connects the protocol's official client to a Brain, or by the path of another server, over real HTTP. */
export const connectClient = async (
  { base }: Pick<TestApp, 'base'>,
  {
    key,
    handle = 'brain',
    path = `/v1/brains/${handle}/mcp`,
    revision = 'newest',
  }: { key: string; handle?: string; path?: string; revision?: Revision },
) => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: revision === 'newest' ? { pin: '2026-07-28' } : 'legacy' } },
  )
  const url = new URL(base + path)
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, given: object = {}) =>
      (await client.callTool({ name, arguments: { ...given } })) as CallToolResult,
    /** Calls a tool that must succeed, and returns its answer. */
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
    get: async (name: string, given: object = {}): Promise<any> => {
      const { isError, content, structuredContent } = (await client.callTool({
        name,
        arguments: { ...given },
      })) as CallToolResult
      const [text] = content
      if (isError || text?.type !== 'text') throw new Error(`${name}: ${JSON.stringify(content)}`)
      return {
        ...(structuredContent as object),
        textIsTheSame: JSON.stringify(JSON.parse(text.text)) === JSON.stringify(structuredContent),
      }
    },
    close: () => client.close(),
  }
}
