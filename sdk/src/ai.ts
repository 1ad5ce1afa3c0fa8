import { isObject } from '@noema/contracts/json.ts'
import { dynamicTool, jsonSchema, type ToolSet } from 'ai'
import { type BrainOrigin, findBrainOrigin } from './brain-origins.ts'
import type { BrainClient } from './client.ts'
import { NoemaError } from './errors.ts'
import { sendToolMessage } from './tool-calls.ts'

type Data = Record<string, unknown>

/** The default tools of a model: search, read, and propose. */
const usualNames = ['knowledge_search', 'knowledge_context', 'knowledge_query', 'knowledge_read', 'knowledge_write']

/** Options for a model's use of a Brain. */
export type BrainToolsOptions = {
  /** The tools of the Brain's MCP server to give, by name; those to search, read and write when left out. */
  names?: readonly string[] | undefined
  /** True if the model's writes wait for review in any mode of the Brain; the default. */
  proposes?: boolean | undefined
}

const writing = 'knowledge_write'
const proposal = ' What you write is a proposal: it waits for review.'

/** A model does not get arguments that the caller sets. */
const withoutSettled = (schema: unknown, settled: readonly string[]): Data => {
  if (!isObject(schema) || !isObject(schema.properties)) return { type: 'object', properties: {} }
  const left = Object.entries(schema.properties).filter(([name]) => !settled.includes(name))
  return { ...schema, properties: Object.fromEntries(left) }
}

const toText = ({ content }: Data): string =>
  (Array.isArray(content) ? content : []).map((part) => (isObject(part) ? String(part.text) : '')).join('\n')

const makeTool = (origin: BrainOrigin, listed: Data, proposes: boolean) => {
  const name = String(listed.name)
  const isWriting = name === writing
  const settled = isWriting ? ['idempotencyKey', ...(proposes ? ['review'] : [])] : []
  const isReading = isObject(listed.annotations) && listed.annotations.readOnlyHint === true
  return dynamicTool({
    description: String(listed.description) + (isWriting && proposes ? proposal : ''),
    inputSchema: jsonSchema(withoutSettled(listed.inputSchema, settled)),
    execute: async (input, { toolCallId, abortSignal }) => {
      const given = isObject(input) ? input : {}
      const own = isWriting ? { idempotencyKey: toolCallId, ...(proposes ? { review: true } : {}) } : {}
      const params = { name, arguments: { ...given, ...own } }
      const options = { signal: abortSignal, isRepeatable: isReading || isWriting }
      return toText(await sendToolMessage(origin, { method: 'tools/call', params }, options))
    },
  })
}

/**
 * Tools for the AI SDK (`generateText`, `streamText`, agents) on a Brain: those of its MCP server, under their names and
 * with the service's own descriptions, as far as the key's capabilities allow. A model's writes wait for review, unless
 * `proposes` is false; a call that the SDK repeats writes once. A refusal is the tool's answer, which the model reads.
 * Takes the client of a Brain, from `createClient().brain(handle)`. Rejects with an `ApiError` if the key has no access.
 */
export const brainTools = async (
  brain: BrainClient,
  { names = usualNames, proposes = true }: BrainToolsOptions = {},
): Promise<ToolSet> => {
  const origin = findBrainOrigin(brain)
  if (!origin) throw new NoemaError('brainTools takes the client of a Brain: createClient().brain(handle).')
  const { tools } = await sendToolMessage(origin, { method: 'tools/list', params: {} }, { isRepeatable: true })
  const listed = (Array.isArray(tools) ? tools : []).filter(isObject)
  const selected = listed.filter(({ name }) => names.includes(String(name)))
  return Object.fromEntries(selected.map((tool) => [String(tool.name), makeTool(origin, tool, proposes)]))
}
