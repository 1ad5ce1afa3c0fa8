import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ProviderKind } from '@noema/contracts/providers.ts'
import { expect, test } from 'vitest'
import { adjustCall } from './adjust-call.ts'

const schema = { type: 'object' as const, properties: { city: { type: 'string' as const } } }
const tools: LanguageModelV4CallOptions['tools'] = [{ type: 'function', name: 'look', inputSchema: schema }]
const call = { toolName: 'look', toolCallId: 'opr_01h2xcejqtf2nbrexx3vqjhp41' }
const options: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Where?' }] },
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'Lyon' } }] },
  ],
  responseFormat: { type: 'json', name: 'output', schema },
  tools,
}

const adjust = (kind: ProviderKind, given = options, isUsualUrl = true) =>
  adjustCall({ name: 'x', kind, baseUrl: 'https://x', isUsualUrl, isShared: false, headers: {} }, given)

test('compatible servers get a schema in words, and ids of calls that all of them take', () => {
  const { prompt, responseFormat } = adjust('openai-compatible')
  expect(responseFormat).toBeUndefined()
  expect(prompt[0]?.content).toBe(
    `Be brief.\n\nOnce you need no more tools, answer with one JSON value and nothing else that fits this JSON schema:\n${JSON.stringify(schema)}`,
  )
  const ids = prompt.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
  )
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-z]{9}$/), ids[0]])
  const unasked = adjust('openai-compatible', {
    prompt: [{ role: 'user', content: [] }],
    responseFormat: { type: 'json' },
  })
  expect(unasked.prompt[0]).toEqual({
    role: 'system',
    content: 'Once you need no more tools, answer with one JSON value and nothing else.',
  })
})

test('OpenAI keeps nothing, and is given a schema as one where it takes it', () => {
  const { prompt, responseFormat, providerOptions } = adjust('openai')
  expect(providerOptions).toEqual({ openai: { store: false, strictJsonSchema: false } })
  expect([prompt, responseFormat]).toEqual([options.prompt, options.responseFormat])
  const list = { type: 'json' as const, schema: { type: 'array' as const } }
  expect(adjust('openai', { ...options, responseFormat: list }).responseFormat).toBeUndefined()
})

test('Anthropic is asked to cache what the next step sends again; others are asked as they are', () => {
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  expect(adjust('anthropic').providerOptions).toEqual(cached)
  expect(adjust('anthropic', { ...options, tools: [] })).toEqual({ ...options, tools: [] })
  expect(adjust('anthropic', options, false)).toEqual(options)
  expect(adjust('google')).toEqual(options)
})
