import type { ProcessInputArgs, ProcessInputResult, Processor } from '@mastra/core/processors'
import type { BrainClient } from '@noema/sdk'
import { type RecallMessage, type RecallOptions, recall } from '@noema/sdk/retrieval'

/** The type of an input processor. */
export type BrainMemory = Processor<'noema-memory'> & { processInput: NonNullable<Processor['processInput']> }

type Message = ProcessInputArgs['messages'][number]

const toRecallMessage = ({ role, content }: Message): RecallMessage[] => {
  if (role !== 'user' && role !== 'assistant') return []
  return [{ role, text: content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') }]
}

/**
 * A memory as an input processor: `new Agent({ …, inputProcessors: [brainMemory(brain)] })`. Before an agent answers, it reads
 * what is relevant to the conversation, which is added to the instructions as quoted data. Mastra's own memory keeps the
 * messages. The call rejects if the Brain cannot be read.
 */
export const brainMemory = (brain: BrainClient, options: RecallOptions = {}): BrainMemory => ({
  id: 'noema-memory',
  name: 'Noema',
  processInput: async ({ messages, systemMessages, abortSignal }): Promise<ProcessInputResult> => {
    const known = await recall(brain, messages.flatMap(toRecallMessage), options, { signal: abortSignal })
    if (!known) return messages
    return { messages, systemMessages: [...systemMessages, { role: 'system', content: known.text }] }
  },
})
