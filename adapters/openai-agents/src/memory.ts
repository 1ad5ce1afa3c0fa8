import type { BrainClient } from '@noema/sdk'
import { type RecallMessage, type RecallOptions, recall } from '@noema/sdk/retrieval'
import type { AgentInputItem, CallModelInputFilter } from '@openai/agents-core'

const toText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('')
}

const toRecallMessage = (item: AgentInputItem): RecallMessage[] => {
  if (!('role' in item) || item.role === 'system') return []
  return [{ role: item.role, text: toText(item.content) }]
}

/**
 * A memory as a filter of the model's input: `run(agent, input, { callModelInputFilter: brainMemory(brain) })`. Each model call
 * gets what is relevant to the conversation, as quoted data behind the instructions. A run rejects if the Brain cannot be read.
 */
export const brainMemory =
  (brain: BrainClient, options: RecallOptions = {}): CallModelInputFilter =>
  async ({ modelData }) => {
    const known = await recall(brain, modelData.input.flatMap(toRecallMessage), options)
    if (!known) return modelData
    return { ...modelData, instructions: [modelData.instructions, known.text].filter(Boolean).join('\n\n') }
  }
