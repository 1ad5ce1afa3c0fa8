// What the test of the SDK's package runs in an edge runtime: an agent's first program with the tools of a Brain.
import { createClient } from '@noema/sdk'
import { brainTools } from '@noema/sdk/ai'

/** Finds a record by the tool for it; gives the names of the tools and whether it was found. */
export const useTools = async ({ baseUrl, apiKey, handle }) => {
  const tools = await brainTools(createClient({ baseUrl, apiKey }).brain(handle))
  const found = await tools.knowledge_search.execute({ query: 'Ada' }, { toolCallId: 'call_1', messages: [] })
  return { names: Object.keys(tools).sort(), found: found.includes('ada') }
}
