import { type DynamicStructuredTool, tool } from '@langchain/core/tools'
import type { BrainClient } from '@noema/sdk'
import { type BrainTool, type BrainToolsOptions, listBrainTools } from '@noema/sdk/tools'

const toLangChainTool = ({ name, description, inputSchema, call }: BrainTool): DynamicStructuredTool =>
  tool(
    (args: unknown, config: { toolCall?: { id?: string }; signal?: AbortSignal }) =>
      call(args, { callId: config.toolCall?.id, signal: config.signal }),
    { name, description, schema: inputSchema },
  )

/**
 * Tools of a Brain for LangChain and LangGraph agents, as far as the key's capabilities allow. A model's writes wait for
 * review, unless `proposes` is false; a tool call that a graph repeats writes once. Rejects with an `ApiError` if the key has
 * no access.
 */
export const brainTools = async (
  brain: BrainClient,
  options: BrainToolsOptions = {},
): Promise<DynamicStructuredTool[]> => (await listBrainTools(brain, options)).map(toLangChainTool)
