import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { builtinProvider } from '@noema/contracts/providers.ts'

const nanodollarsInDollar = 1_000_000_000

type Priced = {
  /** As the model says it: the name of a known provider, or the address of its API. */
  provider: string
  model: string
  usage: LanguageModelV4Usage
}

const toCallName = (provider: string) =>
  provider.includes('://') ? { providerApiUrl: provider } : { providerId: provider }

/**
 * The cost of a model's call, in billionths of a dollar, by the list prices of its provider; undefined without a known price or
 * usage. Reads from a cache and writes to one have their own prices; reasoning is output.
 */
export const priceUsage = async ({ provider, model, usage }: Priced): Promise<number | undefined> => {
  if (provider === builtinProvider) return 0
  const { inputTokens, outputTokens } = usage
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined
  // The list is large, so it is read when the first call is to be priced.
  const { calcPrice } = await import('@pydantic/genai-prices')
  const counts = {
    input_tokens: inputTokens.total,
    cache_read_tokens: inputTokens.cacheRead ?? 0,
    cache_write_tokens: inputTokens.cacheWrite ?? 0,
    output_tokens: outputTokens.total,
  }
  try {
    const price = calcPrice(counts, model, toCallName(provider))
    return price ? Math.round(price.total_price * nanodollarsInDollar) : undefined
  } catch {
    // It refuses counts that contradict each other, such as more tokens from the cache than there were.
    return undefined
  }
}
