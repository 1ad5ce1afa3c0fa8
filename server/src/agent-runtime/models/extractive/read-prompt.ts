import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'

// The question of a prompt, and the findings so far. Of a long conversation only the last messages count: they contain the topic.

export type Prompt = {
  /** The instructions of the agent's definition. */
  instructions: string
  /** The latest message of the user. */
  question: string
  /** The messages before it, the oldest first, and it. */
  conversation: readonly { role: 'user' | 'assistant'; content: string }[]
  /** The answers of tools since the question, in the order of their calls. */
  results: readonly LanguageModelV4ToolResultPart[]
  /** The arguments of those calls, by the id of each. */
  inputs: ReadonlyMap<string, unknown>
}

const maxMessages = 8
/** At most this many characters of a message are read; the question of a long one is at its end, or cannot be found. */
const maxMessageLength = 8_000

type Part = { type: string }
const isText = (part: Part): part is { type: 'text'; text: string } => part.type === 'text'

const joinTexts = (parts: readonly Part[]): string =>
  parts
    .filter(isText)
    .map(({ text }) => text)
    .join('\n')
    .trim()

/** Without half a character at the cut. */
const readEnd = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(-length).toWellFormed()

const readConversation = (prompt: LanguageModelV4Prompt) =>
  prompt
    .flatMap((message) => {
      if (message.role !== 'user' && message.role !== 'assistant') return []
      const content = readEnd(joinTexts(message.content), maxMessageLength)
      return content === '' ? [] : [{ role: message.role, content }]
    })
    .slice(-maxMessages)

/** Reads a prompt: the latest question and the results of tools since. */
export const readPrompt = ({ prompt }: Pick<LanguageModelV4CallOptions, 'prompt'>): Prompt => {
  const last = prompt.findLastIndex(({ role }) => role === 'user')
  const asked = prompt[last]
  const since = prompt.slice(last + 1)
  return {
    instructions: prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n'),
    question: asked?.role === 'user' ? readEnd(joinTexts(asked.content), maxMessageLength) : '',
    conversation: readConversation(prompt.slice(0, last + 1)),
    results: since.flatMap((message) =>
      message.role === 'tool' || message.role === 'assistant'
        ? message.content.filter((part) => part.type === 'tool-result')
        : [],
    ),
    inputs: new Map(
      since.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.flatMap((part) =>
              part.type === 'tool-call' ? [[part.toolCallId, part.input] as const] : [],
            )
          : [],
      ),
    ),
  }
}
