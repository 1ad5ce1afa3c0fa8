import { createTool, type Tool } from '@mastra/core/tools'
import type { BrainClient } from '@noema/sdk'
import { type BrainTool, type BrainToolsOptions, listBrainTools } from '@noema/sdk/tools'

const toMastraTool = ({ name, description, inputSchema, call }: BrainTool): Tool =>
  createTool({
    id: name,
    description,
    inputSchema,
    execute: (input, context) => call(input, { callId: context?.agent?.toolCallId, signal: context?.abortSignal }),
  })

/**
 * Tools of a Brain for Mastra agents and workflows, by name, as far as the key's capabilities allow. A model's writes wait for
 * review, unless `proposes` is false; a tool call that an agent repeats writes once. Rejects with an `ApiError` if the key has
 * no access.
 */
export const brainTools = async (
  brain: BrainClient,
  options: BrainToolsOptions = {},
): Promise<Record<string, Tool>> => {
  const tools = await listBrainTools(brain, options)
  return Object.fromEntries(tools.map((tool) => [tool.name, toMastraTool(tool)]))
}
