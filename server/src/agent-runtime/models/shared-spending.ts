import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Limits } from '../../config/config.ts'
import { budgetSpent } from '../../features/agents/providers/access.ts'
import { correctSpending, type TakenSpending, takeSpending } from '../../features/agents/providers/spending-queries.ts'
import type { Clock } from '../../shared/clock.ts'
import { nanodollarsPerCent } from '../../shared/nanodollars.ts'
import type { Db } from '../../storage/database.ts'
import type { LanguageModel } from './language-model.ts'
import { ModelFailure } from './model-failure.ts'
import { priceUsage } from './prices.ts'

// Calls by the operator's own keys. Each takes its expected price from the daily budget before it is made, so that runs side by
// side cannot spend more together, and is corrected by what it came to. A call whose usage never comes, because it was cut off
// or its node was lost, keeps its expected price: cancelling runs must not make them free.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'modelBudgets'> }

/** A token has at least this many characters. */
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
  /** Makes a call. `settle` corrects what was taken for it; a call that fails before it is answered costs nothing. */
  const spend = async <Result>(options: LanguageModelV4CallOptions, call: () => PromiseLike<Result>) => {
    const expected = (await price(expectUsage(options))) ?? unknownPrice
    const taken = await take(deps, organizationId, expected)
    const correct = (cost: number | undefined) =>
      cost === undefined || cost === expected ? undefined : correctSpending(deps.db, taken, cost - expected)
    try {
      const result = await call()
      return { result, settle: async (usage: LanguageModelV4Usage) => correct(await price(usage)) }
    } catch (error) {
      if (!options.abortSignal?.aborted) await correct(0)
      throw error
    }
  }
  return {
    ...model,
    doGenerate: async (options) => {
      const { result, settle } = await spend(options, () => model.doGenerate(options))
      await settle(result.usage)
      return result
    },
    doStream: async (options) => {
      const { result, settle } = await spend(options, () => model.doStream(options))
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
