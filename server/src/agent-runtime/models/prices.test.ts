import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { priceUsage } from './prices.ts'

type Counts = { input?: number; read?: number; written?: number; output?: number; reasoning?: number }

const toUsage = ({ input, read, written, output, reasoning }: Counts): LanguageModelV4Usage => ({
  inputTokens: { total: input, noCache: undefined, cacheRead: read, cacheWrite: written },
  outputTokens: { total: output, text: undefined, reasoning },
})
const price = (provider: string, model: string, counts: Counts) =>
  priceUsage({ provider, model, usage: toUsage(counts) })

// Dollars for a million tokens, as the providers list them. A millionth of a dollar is a thousand billionths.
test('a call costs what its provider lists: input, what was read from the cache or written to it, and output with its reasoning', async () => {
  // gpt-5: 1.25 in, 0.125 cached, 10 out.
  const gpt = await price('openai', 'gpt-5', { input: 1000, read: 200, output: 100, reasoning: 60 })
  expect(gpt).toBe((800 * 1.25 + 200 * 0.125 + 100 * 10) * 1000)
  // claude-sonnet-4-5: 3 in, 0.30 read, 3.75 written, 15 out.
  const claude = await price('anthropic', 'claude-sonnet-4-5', { input: 1000, read: 200, written: 300, output: 100 })
  expect(claude).toBe((500 * 3 + 200 * 0.3 + 300 * 3.75 + 100 * 15) * 1000)
  // gemini-2.5-flash: 0.30 in, 2.50 out.
  const gemini = await price('google', 'gemini-2.5-flash', { input: 1000, read: 0, output: 100, reasoning: 40 })
  expect(gemini).toBe((1000 * 0.3 + 100 * 2.5) * 1000)
})

test('the smallest call costs more than nothing, and many of them add up to what they cost', async () => {
  const one = (await price('openai', 'gpt-5-nano', { input: 1, output: 0 })) ?? 0
  // 0.05 dollars for a million tokens.
  expect(one).toBe(50)
  expect(one * 1_000_000).toBe(50_000_000)
})

test('a provider is known by its address, too', async () => {
  const counts = { input: 1000, output: 100 }
  expect(await price('https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', counts)).toBe(
    (1000 * 3 + 100 * 15) * 1000,
  )
})

test('a call without a known price or usage has no cost; the built-in model costs nothing', async () => {
  const counts = { input: 1000, output: 100 }
  expect(await price('http://ollama.internal:11434/v1', 'gpt-5', counts)).toBeUndefined()
  expect(await price('openai', 'gpt-of-nobody', counts)).toBeUndefined()
  expect(await price('openai', 'gpt-5', { input: 1000 })).toBeUndefined()
  expect(await price('openai', 'gpt-5', { output: 10 })).toBeUndefined()
  expect(await price('openai', 'gpt-5', { input: 10, read: 20, output: 10 })).toBeUndefined()
  expect(await price('noema', 'extractive', counts)).toBe(0)
})
