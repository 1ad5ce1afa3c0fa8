import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { InputMessage } from '@noema/contracts/messages.ts'
import type { createChatCompletion } from '@noema/contracts/openai-chat.ts'

type ChatMessage = BodyOutput<typeof createChatCompletion>['messages'][number]
type Content = ChatMessage['content']

/** The text of a message, whole or in parts. */
const readContent = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')

/** Messages as a run takes them. An assistant's message without text only called tools of the caller, and says nothing. */
export const readMessages = (messages: readonly ChatMessage[]): InputMessage[] =>
  messages.flatMap(({ role, content }): InputMessage[] => {
    const text = readContent(content)
    if (role === 'assistant' && text === '') return []
    return [{ role: role === 'developer' ? 'system' : role, text }]
  })
