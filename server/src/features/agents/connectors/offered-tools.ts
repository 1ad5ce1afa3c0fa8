import { type ConnectorTool, maxConnectorTools, maxToolSchemaBytes } from '@noema/contracts/connectors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import { isJsonObject } from '../../../shared/text/json.ts'
import { type ConnectorAccess, listSecrets, maskSecrets } from './access.ts'
import { withServer } from './mcp-client.ts'

// What a server offers, made small enough to be kept and to be shown to models: words and schemas of a stranger.

const maxBytes = 2 * 1024 * 1024
const maxPages = 16
const maxNameLength = 128
const maxDescriptionLength = 2_000
const maxSchemaDepth = 32
const maxAllBytes = 256 * 1024

const isUsableName = (name: string): boolean => name.length <= maxNameLength && /^[\x21-\x7e]+$/.test(name)

/** Whether a value is not nested deeper than so. */
const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inside) => isShallow(inside, depth - 1))
}

type Offered = {
  name: string
  description?: string | undefined
  inputSchema: unknown
  annotations?: { idempotentHint?: boolean | undefined; readOnlyHint?: boolean | undefined } | undefined
}

const toTool = ({ name, description = '', inputSchema, annotations }: Offered): ConnectorTool | undefined => {
  if (!isUsableName(name) || !isJsonObject(inputSchema) || inputSchema.type !== 'object') return undefined
  if (!isShallow(inputSchema, maxSchemaDepth)) return undefined
  if (Buffer.byteLength(JSON.stringify(inputSchema)) > maxToolSchemaBytes) return undefined
  return {
    name,
    description: description.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxDescriptionLength),
    inputSchema,
    isRepeatable: annotations?.idempotentHint === true || annotations?.readOnlyHint === true,
  }
}

/** What of an offer is kept: as many tools, of different names, as may be, and as much of their JSON. */
const selectTools = (offered: readonly Offered[]): { tools: ConnectorTool[]; omitted: number } => {
  const tools = new Map<string, ConnectorTool>()
  let bytes = 0
  for (const one of offered) {
    const tool = tools.size < maxConnectorTools && !tools.has(one.name) ? toTool(one) : undefined
    const size = Buffer.byteLength(JSON.stringify(tool ?? null))
    if (!tool || bytes + size > maxAllBytes) continue
    bytes += size
    tools.set(tool.name, tool)
  }
  return { tools: [...tools.values()], omitted: offered.length - tools.size }
}

/** Asks a server for its tools, page by page, and no further than can be kept. Throws a ConnectorFailure. */
export const askForTools = async (
  deps: { outbound: Outbound },
  access: ConnectorAccess,
  seconds: number,
): Promise<{ tools: ConnectorTool[]; omitted: number }> => {
  const offered = await withServer(deps, access, { seconds, maxBytes }, async (client, options) => {
    const all: Offered[] = []
    let params = {}
    for (let page = 0; page < maxPages && all.length <= maxConnectorTools; page++) {
      // The client's own `listTools` would keep what it reads, and log names that a stranger chose.
      const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options)
      all.push(...tools)
      if (nextCursor === undefined) break
      params = { cursor: nextCursor }
    }
    return all
  })
  const { tools, omitted } = selectTools(offered)
  return { tools: maskSecrets(tools, listSecrets(access.headers)) as ConnectorTool[], omitted }
}
