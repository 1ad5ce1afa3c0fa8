import type { Agent } from '@noema/contracts/agents.ts'
import type { Provider, ProviderKind } from '@noema/contracts/providers.ts'

/** A provider of the organization's own, or one that the service shares with it. */
export type ListedProvider = { name: string; kind: ProviderKind; own: Provider | undefined }

/** The display name of a provider's API. */
export const kindNames: Readonly<Record<ProviderKind, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  'openai-compatible': 'OpenAI-compatible',
}

/** The default URL of each kind; the last has none. */
export const usualAddresses: Readonly<Record<ProviderKind, string | undefined>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': undefined,
}

/** A common service, with the values that the form fills in. */
type Preset = { value: string; name: string; kind: ProviderKind; baseUrl: string }

export const presets: readonly Preset[] = [
  { value: 'openai', name: 'OpenAI', kind: 'openai', baseUrl: '' },
  { value: 'anthropic', name: 'Anthropic', kind: 'anthropic', baseUrl: '' },
  { value: 'google', name: 'Google', kind: 'google', baseUrl: '' },
  { value: 'openrouter', name: 'OpenRouter', kind: 'openai-compatible', baseUrl: 'https://openrouter.ai/api/v1' },
  { value: 'groq', name: 'Groq', kind: 'openai-compatible', baseUrl: 'https://api.groq.com/openai/v1' },
  { value: 'mistral', name: 'Mistral', kind: 'openai-compatible', baseUrl: 'https://api.mistral.ai/v1' },
  { value: 'ollama', name: 'Ollama', kind: 'openai-compatible', baseUrl: 'http://ollama.internal:11434/v1' },
  { value: 'vllm', name: 'vLLM', kind: 'openai-compatible', baseUrl: 'http://vllm.internal:8000/v1' },
]

/** The agents whose model is one of a provider's. */
export const findUsers = (agents: readonly Agent[], provider: string): Agent[] =>
  agents.filter(({ model }) => model.startsWith(`${provider}/`))

/** The models of a provider that agents use, by the provider's names. */
export const listModels = (users: readonly Agent[], provider: string): string[] => [
  ...new Set(users.map(({ model }) => model.slice(provider.length + 1))),
]
