import type { JSONSchema7 } from '@ai-sdk/provider'
import { type RunTool, toBuiltinSource } from './run-tool.ts'

const inputSchema: JSONSchema7 = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'The question, as the person reads it' },
    options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from' },
    expiresInSeconds: { type: 'integer', minimum: 1, description: 'Give up waiting after so long' },
  },
  required: ['question'],
  additionalProperties: false,
}

/** The tool by which a run asks a person and waits for the answer. */
export const askHumanTool = (toName: (requested: string, source: string) => string): RunTool => ({
  kind: 'ask_human',
  name: toName('ask_human', 'noema'),
  description:
    'Ask a person and wait for the answer, which may take hours. Ask where you cannot find out what you need, or where somebody has to decide. Ask one thing at a time, with all that one must know to answer. `options` are answers that you propose; the person may give another.',
  inputSchema,
  source: toBuiltinSource('ask_human'),
  isRepeatable: true,
})
