import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { frameItems, preamble } from '../../../features/retrieval/context/frame.ts'

// Prompts as a run makes them, and answers of a Brain's context as they come back.

type Item = { type: string; id: string; version?: number; title?: string; text: string }

/** The answer of knowledge_context to a run: framed items. */
export const contextOutput = (items: readonly Item[], { brain = 'team', evidence = 'strong' } = {}) => {
  const framed = items.map(({ version = 1, title, ...item }) => ({
    ...item,
    version,
    about: title === undefined ? [] : [{ quote: title }],
  }))
  const context = [preamble('k7', { handle: brain, stateVersion: 3 }), ...frameItems('k7', framed)].join('\n\n')
  const isNone = evidence === 'none'
  return {
    context: isNone ? 'Nothing here seems to answer this.' : context,
    evidence,
    receipt: 'rcp_1',
    stateVersion: 3,
  }
}

export const toTool = (name: string): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object' },
})

export const ask = (text: string): LanguageModelV4Prompt => [
  { role: 'system', content: 'Answer questions.' },
  { role: 'user', content: [{ type: 'text', text }] },
]

/** A question with what the Brains' tools answered to it. */
export const answered = (
  question: string,
  outputs: readonly object[],
  toolNames: readonly string[] = ['knowledge_context'],
): LanguageModelV4CallOptions => ({
  tools: toolNames.map(toTool),
  prompt: [
    ...ask(question),
    {
      role: 'assistant',
      content: outputs.map((_output, index) => ({
        ...{ type: 'tool-call' as const, toolCallId: `opr_${index}`, input: { query: question } },
        toolName: toolNames[index] ?? 'knowledge_context',
      })),
    },
    {
      role: 'tool',
      content: outputs.map((output, index) => ({
        ...{ type: 'tool-result' as const, toolCallId: `opr_${index}` },
        toolName: toolNames[index] ?? 'knowledge_context',
        output: { type: 'json' as const, value: JSON.parse(JSON.stringify(output)) },
      })),
    },
  ],
})
