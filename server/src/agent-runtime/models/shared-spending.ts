import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Limits } from '../../config/config.ts'
import { budgetSpent } from '../../features/agents/providers/access.ts'
import { correctSpending, type TakenSpending, takeSpending } from '../../features/agents/providers/spending-queries.ts'
import { nanodollarsPerCent } from '../../features/agents/runs/run-view.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Db } from '../../storage/database.ts'
import type { LanguageModel } from './language-model.ts'
import { ModelFailure } from './model-failure.ts'
import { priceUsage } from './prices.ts'

// Calls by the operator's own keys. Each takes its expected price from the daily budget before it is made, so that runs side by
// side cannot spend more together, and is corrected by what it came to. A call whose usage never comes, because it was cut off
// or its node was lost, keeps its expected price: cancelling runs must not make them free.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'modelBudgets'> }

/** How many characters make a token, at the least. */
const charactersPerToken = 3
const expectedOutputTokens = 4_000
/** For a model whose price is not known. */
const unknownPrice = 10 * nanodollarsPerCent

const expectUsage = ({ prompt, tools, responseFormat }: LanguageModelV4CallOptions): LanguageModelV4Usage => {
  const input = Math.ceil(JSON.stringify([prompt, tools, responseFormat]).length / charactersPerToken)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: expectedOutputTokens, text: expectedOutputTokens, reasoning: 0 },
  }
}

/** Takes the expected price of a call. Throws a failure of the category `limit` if the budget does not have it. */
const take = async ({ db, clock, limits }: Deps, organizationId: string, amount: number): Promise<TakenSpending> => {
  const taken = await takeSpending(db, { organizationId, amount, budgets: limits.modelBudgets, now: clock.now() })
  if (!taken) throw new ModelFailure(budgetSpent, { category: 'limit' })
  return taken
}

/** A model that is called by the operator's key, within the daily budget of an organization's owner. */
export const spendShared = (deps: Deps, organizationId: string, model: LanguageModel): LanguageModel => {
  const price = (usage: LanguageModelV4Usage) => priceUsage({ provider: model.provider, model: model.modelId, usage })
  const begin = async (options: LanguageModelV4CallOptions) => {
    const expected = (await price(expectUsage(options))) ?? unknownPrice
    const taken = await take(deps, organizationId, expected)
    const settle = (cost: number | undefined) =>
      cost === undefined || cost === expected ? undefined : correctSpending(deps.db, taken, cost - expected)
    return {
      settle: async (usage: LanguageModelV4Usage) => settle(await price(usage)),
      /** The call failed before it had an answer. */
      refund: async () => (options.abortSignal?.aborted ? undefined : settle(0)),
    }
  }
  return {
    ...model,
    doGenerate: async (options) => {
      const { settle, refund } = await begin(options)
      const result = await Promise.resolve(model.doGenerate(options)).catch(async (error: unknown) => {
        await refund()
        throw error
      })
      await settle(result.usage)
      return result
    },
    doStream: async (options) => {
      const { settle, refund } = await begin(options)
      const result = await Promise.resolve(model.doStream(options)).catch(async (error: unknown) => {
        await refund()
        throw error
      })
      const settling = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform: async (part, controller) => {
          if (part.type === 'finish') await settle(part.usage)
          controller.enqueue(part)
        },
      })
      return { ...result, stream: result.stream.pipeThrough(settling) }
    },
  }
}
