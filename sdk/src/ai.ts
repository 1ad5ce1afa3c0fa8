import { dynamicTool, jsonSchema, type LanguageModelMiddleware, type ToolSet } from 'ai'
import type { BrainClient } from './client.ts'
import { type RecallMessage, type RecallOptions, recall } from './retrieval.ts'
import { type BrainTool, type BrainToolsOptions, listBrainTools } from './tools.ts'

export type { BrainToolsOptions } from './tools.ts'

const toAiTool = ({ description, inputSchema, call }: BrainTool) =>
  dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema),
    execute: (input, { toolCallId, abortSignal }) => call(input, { callId: toolCallId, signal: abortSignal }),
  })

/**
 * Tools for the AI SDK (`generateText`, `streamText`, agents) on a Brain: those of its MCP server, under their names and
 * with the service's own descriptions, as far as the key's capabilities allow. A model's writes wait for review, unless
 * `proposes` is false; a call that the SDK repeats writes once. A refusal is the tool's answer, which the model reads.
 * Takes the client of a Brain, from `createClient().brain(handle)`. Rejects with an `ApiError` if the key has no access.
 */
export const brainTools = async (brain: BrainClient, options: BrainToolsOptions = {}): Promise<ToolSet> => {
  const tools = await listBrainTools(brain, options)
  return Object.fromEntries(tools.map((tool) => [tool.name, toAiTool(tool)]))
}

type Prompt = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params']['prompt']

/** The conversation without instructions and tools: these do not say what it is about. */
const toConversation = (prompt: Prompt): RecallMessage[] =>
  prompt.flatMap(({ role, content }) => {
    if (role !== 'user' && role !== 'assistant') return []
    return [{ role, text: content.map((part) => (part.type === 'text' ? part.text : '')).join('') }]
  })

/** Puts the knowledge behind the instructions, ahead of the conversation. */
const insertKnowledge = (prompt: Prompt, content: string): Prompt => {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  return prompt.toSpliced(first === -1 ? prompt.length : first, 0, { role: 'system', content })
}

/**
 * A memory for the AI SDK: `wrapLanguageModel({ model, middleware: brainMemory(brain) })` gives a model that has read what is
 * relevant to the conversation before each of its steps. The knowledge stands behind the instructions as quoted data, and is
 * left out where nothing is relevant. A call rejects with an `ApiError` if the Brain cannot be read.
 */
export const brainMemory = (brain: BrainClient, options: RecallOptions = {}): LanguageModelMiddleware => ({
  transformParams: async ({ params }) => {
    const known = await recall(brain, toConversation(params.prompt), options, { signal: params.abortSignal })
    return known ? { ...params, prompt: insertKnowledge(params.prompt, known.text) } : params
  },
})
