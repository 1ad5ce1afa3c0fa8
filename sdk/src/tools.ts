import { isObject } from '@noema/contracts/json.ts'
import { type BrainOrigin, findBrainOrigin } from './brain-origins.ts'
import { randomKey } from './call.ts'
import type { BrainClient } from './client.ts'
import { NoemaError } from './errors.ts'
import { sendToolMessage } from './tool-calls.ts'

// The tools of a Brain for models, without any framework: `@noema/sdk/ai` and the packages for other frameworks only put
// these into their framework's form, so that review, idempotency and refusals are the same everywhere.

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

/** The JSON Schema of a tool's arguments. */
export type ToolInputSchema = {
  type: 'object'
  properties: Record<string, object>
  required?: string[] | undefined
  [keyword: string]: unknown
}

/** Options of one call of a tool. */
export type ToolCallOptions = {
  /** The id that the model gave the call: a repeated call with the same id writes once. Random when left out. */
  callId?: string | undefined
  signal?: AbortSignal | undefined
}

/** A tool of a Brain. */
export type BrainTool = {
  name: string
  /** The purpose, written for models. */
  description: string
  inputSchema: ToolInputSchema
  /** True if the tool changes nothing. */
  isReadOnly: boolean
  /**
   * Calls the tool and gives the text that the model reads. A refusal, such as a wrong argument, is such a text. Rejects with
   * a `NoemaError` if the service is unreachable or the key or the Brain is gone, and with the signal's reason on abort.
   */
  call: (args: unknown, options?: ToolCallOptions) => Promise<string>
}

const writing = 'knowledge_write'
const proposal = ' What you write is a proposal: it waits for review.'

/** A model does not get arguments that the caller sets. */
const withoutSettled = (schema: unknown, settled: readonly string[]): ToolInputSchema => {
  if (!isObject(schema) || !isObject(schema.properties)) return { type: 'object', properties: {} }
  const left = Object.entries(schema.properties).flatMap(([name, value]) =>
    isObject(value) && !settled.includes(name) ? [[name, value] as const] : [],
  )
  return { ...schema, type: 'object', properties: Object.fromEntries(left) }
}

const toText = ({ content }: Data): string =>
  (Array.isArray(content) ? content : []).map((part) => (isObject(part) ? String(part.text) : '')).join('\n')

const makeTool = (origin: BrainOrigin, listed: Data, proposes: boolean): BrainTool => {
  const name = String(listed.name)
  const isWriting = name === writing
  const settled = isWriting ? ['idempotencyKey', ...(proposes ? ['review'] : [])] : []
  const isReadOnly = isObject(listed.annotations) && listed.annotations.readOnlyHint === true
  return {
    name,
    description: String(listed.description) + (isWriting && proposes ? proposal : ''),
    inputSchema: withoutSettled(listed.inputSchema, settled),
    isReadOnly,
    call: async (args, { callId = randomKey(), signal } = {}) => {
      const given = isObject(args) ? args : {}
      const own = isWriting ? { idempotencyKey: callId, ...(proposes ? { review: true } : {}) } : {}
      const params = { name, arguments: { ...given, ...own } }
      const options = { signal, isRepeatable: isReadOnly || isWriting }
      return toText(await sendToolMessage(origin, { method: 'tools/call', params }, options))
    },
  }
}

/**
 * Lists the tools of a Brain: those of its MCP server, under their names and with the service's own descriptions, as far as the
 * key's capabilities allow. Takes the client of a Brain, from `createClient().brain(handle)`. Rejects with an `ApiError` if the
 * key has no access.
 */
export const listBrainTools = async (
  brain: BrainClient,
  { names = usualNames, proposes = true }: BrainToolsOptions = {},
): Promise<BrainTool[]> => {
  const origin = findBrainOrigin(brain)
  if (!origin) throw new NoemaError('Tools need the client of a Brain: createClient().brain(handle).')
  const { tools } = await sendToolMessage(origin, { method: 'tools/list', params: {} }, { isRepeatable: true })
  const listed = (Array.isArray(tools) ? tools : []).filter(isObject)
  return listed.filter(({ name }) => names.includes(String(name))).map((tool) => makeTool(origin, tool, proposes))
}
