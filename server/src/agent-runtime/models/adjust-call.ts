import { hash } from 'node:crypto'
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ProviderAccess } from '../../features/agents/providers/access.ts'

// Adjusts a call to the servers of a kind.

type Options = LanguageModelV4CallOptions

const withOptions = (
  options: Options,
  provider: string,
  more: NonNullable<Options['providerOptions']>[string],
): Options => {
  const { providerOptions = {} } = options
  return { ...options, providerOptions: { ...providerOptions, [provider]: { ...more, ...providerOptions[provider] } } }
}

/**
 * Asks for a schema in words. Few compatible servers take a schema and tools in one call: some refuse it, and some let a model
 * that has to write JSON call no tool.
 */
const askInWords = ({ responseFormat, ...options }: Options): Options => {
  if (responseFormat?.type !== 'json') return options
  const schema = responseFormat.schema ? ` that fits this JSON schema:\n${JSON.stringify(responseFormat.schema)}` : '.'
  const words = `Once you need no more tools, answer with one JSON value and nothing else${schema}`
  const [first, ...rest] = options.prompt
  return first?.role === 'system'
    ? { ...options, prompt: [{ ...first, content: `${first.content}\n\n${words}` }, ...rest] }
    : { ...options, prompt: [{ role: 'system', content: words }, ...options.prompt] }
}

// Models of Mistral take ids of calls with nine letters and digits, wherever they run; others take any.
const toShortId = (id: string): string => hash('sha256', id).slice(0, 9)

const shortenIds = (message: LanguageModelV4Message): LanguageModelV4Message => {
  if (message.role !== 'assistant' && message.role !== 'tool') return message
  const content = message.content.map((part) =>
    'toolCallId' in part ? { ...part, toolCallId: toShortId(part.toolCallId) } : part,
  )
  return { ...message, content } as LanguageModelV4Message
}

const shortenAll = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt => prompt.map(shortenIds)

/** OpenAI is not to keep what it is sent. Schemas are held to here, so it need not refuse those that it cannot hold to itself. */
const adjustForOpenAi = (options: Options): Options => {
  const { responseFormat } = options
  const isObject = responseFormat?.type === 'json' && responseFormat.schema?.type === 'object'
  return withOptions(isObject ? options : askInWords(options), 'openai', { store: false, strictJsonSchema: false })
}

/** Puts a call as the servers of a provider's kind take it. */
export const adjustCall = ({ kind, isUsualUrl }: ProviderAccess, options: Options): Options => {
  switch (kind) {
    case 'openai':
      return adjustForOpenAi(options)
    case 'openai-compatible': {
      const asked = askInWords(options)
      return { ...asked, prompt: shortenAll(asked.prompt) }
    }
    case 'anthropic':
      // The next step sends all of this again. Without tools there is none, and a gateway may not know of caching.
      return isUsualUrl && (options.tools ?? []).length > 0
        ? withOptions(options, 'anthropic', { cacheControl: { type: 'ephemeral' } })
        : options
    case 'google':
      return options
  }
}
