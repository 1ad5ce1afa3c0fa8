import type { BaseToolWithCall } from '@llamaindex/core/llms'
import type { BrainClient } from '@noema/sdk'
import { type BrainTool, type BrainToolsOptions, listBrainTools } from '@noema/sdk/tools'

// LlamaIndex gives a tool neither the id of the call nor a signal, so each call is a separate write; the attempts of one call share an idempotency key.
const toLlamaIndexTool = ({ name, description, inputSchema, call }: BrainTool): BaseToolWithCall => ({
  metadata: { name, description, parameters: inputSchema },
  call: (input) => call(input),
})

/**
 * Tools of a Brain for LlamaIndex agents, as far as the key's capabilities allow. A model's writes wait for review, unless
 * `proposes` is false. Rejects with an `ApiError` if the key has no access.
 */
export const brainTools = async (brain: BrainClient, options: BrainToolsOptions = {}): Promise<BaseToolWithCall[]> =>
  (await listBrainTools(brain, options)).map(toLlamaIndexTool)
