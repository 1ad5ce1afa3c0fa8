import { type ConnectorTool, maxConnectorTools, maxToolSchemaBytes } from '@noema/contracts/connectors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import { isJsonObject, type JsonObject } from '../../../shared/text/json.ts'
import { toSafeText } from '../providers/safe-text.ts'
import { type ConnectorAccess, listSecrets, maskSecrets } from './access.ts'
import { withServer } from './mcp-client.ts'

// The tools of a server, cut to a size that can be stored and shown to models. Texts and schemas are untrusted.

const maxBytes = 2 * 1024 * 1024
const maxPages = 16
const maxNameLength = 128
const maxDescriptionLength = 2_000
const maxVersionLength = 200
const maxSchemaDepth = 32
const maxAllBytes = 256 * 1024

const isUsableName = (name: string): boolean => name.length <= maxNameLength && /^[\x21-\x7e]+$/.test(name)

/** True if a value is nested no deeper than this. */
const isShallow = (value: unknown, depth: number): boolean => {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inside) => isShallow(inside, depth - 1))
}

type Offered = {
  name: string
  description?: string | undefined
  inputSchema: unknown
  outputSchema?: unknown
  annotations?: { idempotentHint?: boolean | undefined; readOnlyHint?: boolean | undefined } | undefined
}

/** True if a schema is small enough to store. */
const isKeepable = (schema: unknown): schema is JsonObject =>
  isJsonObject(schema) &&
  isShallow(schema, maxSchemaDepth) &&
  Buffer.byteLength(JSON.stringify(schema)) <= maxToolSchemaBytes

const toTool = (offered: Offered): ConnectorTool | undefined => {
  const { name, description = '', inputSchema, outputSchema, annotations } = offered
  if (!isUsableName(name) || !isKeepable(inputSchema) || inputSchema.type !== 'object') return undefined
  return {
    name,
    description: description.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxDescriptionLength),
    inputSchema,
    // An output schema is shown to readers and never applied, so a large one is left out without its tool.
    ...(isKeepable(outputSchema) ? { outputSchema } : {}),
    isRepeatable: annotations?.idempotentHint === true || annotations?.readOnlyHint === true,
  }
}

/** The part of an offer to keep: tools of different names, up to the limits of their number and their JSON. */
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
): Promise<{ tools: ConnectorTool[]; omitted: number; serverVersion: string | null }> => {
  const { offered, version } = await withServer(deps, access, { seconds, maxBytes }, async (client, options) => {
    const all: Offered[] = []
    let params = {}
    for (let page = 0; page < maxPages && all.length <= maxConnectorTools; page++) {
      // The client's own `listTools` would keep what it reads, and log names that a stranger chose.
      const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options)
      all.push(...tools)
      if (nextCursor === undefined) break
      params = { cursor: nextCursor }
    }
    return { offered: all, version: client.getServerVersion()?.version }
  })
  const { tools, omitted } = selectTools(offered)
  const secrets = listSecrets(access.headers)
  const serverVersion = typeof version === 'string' ? toSafeText(version, secrets).slice(0, maxVersionLength) : ''
  return {
    tools: maskSecrets(tools, secrets) as ConnectorTool[],
    omitted,
    serverVersion: serverVersion === '' ? null : serverVersion,
  }
}
