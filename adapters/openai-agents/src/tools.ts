import type { BrainClient } from '@noema/sdk'
import { type BrainTool, type BrainToolsOptions, listBrainTools } from '@noema/sdk/tools'
import { type Tool, tool } from '@openai/agents-core'

const toAgentsTool = ({ name, description, inputSchema, call }: BrainTool): Tool =>
  tool({
    name,
    description,
    parameters: { ...inputSchema, required: inputSchema.required ?? [], additionalProperties: true as const },
    strict: false,
    execute: (input, _context, details) => call(input, { callId: details?.toolCall?.callId, signal: details?.signal }),
  })

/**
 * Tools of a Brain for the OpenAI Agents SDK, as far as the key's capabilities allow. A model's writes wait for review, unless
 * `proposes` is false; a tool call that a run repeats writes once. Rejects with an `ApiError` if the key has no access.
 */
export const brainTools = async (brain: BrainClient, options: BrainToolsOptions = {}): Promise<Tool[]> =>
  (await listBrainTools(brain, options)).map(toAgentsTool)
