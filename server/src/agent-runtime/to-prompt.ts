import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { MessagePart } from '@noema/contracts/messages.ts'
import type { StoredMessage } from '../features/agents/runs/types.ts'

// The prompt of a model, from the stored messages. Calls of tools go by the ids of our operations, because those of providers may
// repeat.

type Said = Pick<StoredMessage, 'role' | 'parts'>
type Result = Extract<MessagePart, { type: 'tool-result' }>
type Json = Extract<LanguageModelV4ToolResultOutput, { type: 'json' }>['value']

const toText = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')

const toOutput = ({ output, isError }: Result): LanguageModelV4ToolResultOutput => {
  if (isError) return { type: 'error-text', value: typeof output === 'string' ? output : JSON.stringify(output) }
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output as Json }
}

/** Calls that were answered, by their ids: providers take no call without its result, and no result without its call. */
const findAnswered = (messages: readonly Said[]): Set<string> => {
  const list = (type: 'tool-call' | 'tool-result') =>
    new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === type ? part.toolCallId : []))))
  const results = list('tool-result')
  return new Set([...list('tool-call')].filter((id) => results.has(id)))
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]

const toAssistant = (parts: readonly MessagePart[], answered: ReadonlySet<string>): LanguageModelV4Message => ({
  role: 'assistant',
  content: parts.flatMap((part): AssistantPart[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text' as const, text: part.text }]
    if (part.type !== 'tool-call' || !answered.has(part.toolCallId)) return []
    const { toolCallId, toolName, input } = part
    return [{ type: 'tool-call' as const, toolCallId, toolName, input }]
  }),
})

const toTool = (parts: readonly MessagePart[], answered: ReadonlySet<string>): LanguageModelV4Message => ({
  role: 'tool',
  content: parts.flatMap((part) =>
    part.type === 'tool-result' && answered.has(part.toolCallId)
      ? [
          {
            type: 'tool-result' as const,
            ...{ toolCallId: part.toolCallId, toolName: part.toolName, output: toOutput(part) },
          },
        ]
      : [],
  ),
})

const toMessage = ({ role, parts }: Said, answered: ReadonlySet<string>): LanguageModelV4Message => {
  if (role === 'system') return { role, content: toText(parts) }
  if (role === 'user') return { role, content: [{ type: 'text', text: toText(parts) }] }
  return role === 'assistant' ? toAssistant(parts, answered) : toTool(parts, answered)
}

/** The prompt of a run: its agent's instructions, what was said in the conversation before, and its own messages. */
export const toPrompt = (
  instructions: string,
  earlier: readonly Said[],
  messages: readonly Said[],
): LanguageModelV4Prompt => {
  // A conversation that lost its beginning starts at a question.
  const begin = earlier.findIndex(({ role }) => role === 'user')
  const said = [...(begin === -1 ? [] : earlier.slice(begin)), ...messages]
  const answered = findAnswered(said)
  const system: LanguageModelV4Message[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return [...system, ...said.map((one) => toMessage(one, answered)).filter(({ content }) => content.length > 0)]
}
