import type { MessageContent } from '@llamaindex/core/llms'

/** The text of a message, without its images and files. */
export const toText = (content: MessageContent): string => {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
