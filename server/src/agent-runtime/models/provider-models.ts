import { builtinProvider, type ProviderKind } from '@noema/contracts/providers.ts'
import type { Limits } from '../../config/config.ts'
import {
  type AccessDeps,
  openProvider,
  type ProviderAccess,
  unconfirmedOwner,
  unreadableSecrets,
} from '../../features/agents/providers/access.ts'
import type { Clock } from '../../shared/clock.ts'
import { CallFailure } from '../../shared/outbound/call-failure.ts'
import type { Db } from '../../storage/database.ts'
import { adjustCall } from './adjust-call.ts'
import { boundEvents, keepBeginning } from './bound-events.ts'
import { guardModel } from './guarded-model.ts'
import type { LanguageModel, OpenModel } from './language-model.ts'
import { ModelFailure, ModelGone } from './model-failure.ts'
import { createPaces, type Pace } from './pace.ts'
import { spendShared } from './shared-spending.ts'

// Models of providers, by the adapters of the AI SDK: the one file that knows them. They load at their first use. Each call
// passes them its key and address, because they would read missing ones from the environment.

type Deps = AccessDeps & {
  db: Db
  clock: Clock
  limits: Pick<Limits, 'modelCalls' | 'modelBudgets'>
  /** The models that are built in, by their names after `noema/`. */
  builtin: Readonly<Record<string, () => LanguageModel>>
}

const maxAnswerBytes = 64 * 1024 * 1024
const maxLineBytes = 4 * 1024 * 1024
const maxErrorBytes = 64 * 1024
// The thread that serves everyone reads the answers of an organization's models: some tens of thousands of words a second.
const rate = { perSecond: 8 * 1024 * 1024, burst: 16 * 1024 * 1024 }
// Long answers of Google come in several pieces, each asked for by itself.
const maxRequests = 4

type Adapter = (access: ProviderAccess, modelId: string, fetch: typeof globalThis.fetch) => Promise<LanguageModel>

const adapters: Record<ProviderKind, Adapter> = {
  // By the Responses API: the newest models take tools there alone. A server that has chat completions alone is an
  // openai-compatible one.
  openai: async ({ apiKey = '', baseUrl, headers }, modelId, fetch) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ apiKey, baseURL: baseUrl, headers, fetch }).responses(modelId)
  },
  anthropic: async ({ apiKey = '', baseUrl, headers }, modelId, fetch) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ apiKey, baseURL: baseUrl, headers, fetch }).languageModel(modelId)
  },
  google: async ({ apiKey = '', baseUrl, headers }, modelId, fetch) => {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({ apiKey, baseURL: baseUrl, headers, fetch }).languageModel(modelId)
  },
  'openai-compatible': async ({ name, apiKey, baseUrl, headers }, modelId, fetch) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const key = apiKey === undefined ? {} : { apiKey }
    return createOpenAICompatible({ name, ...key, baseURL: baseUrl, headers, fetch, includeUsage: true }).chatModel(
      modelId,
    )
  },
}

/** A `fetch` for one call of a model. */
const createModelFetch = ({ outbound, limits }: Deps, organization: string, pace: Pace): typeof fetch => {
  const send = outbound.fetch('provider', { organization, ...limits.modelCalls, maxBytes: maxAnswerBytes })
  let requests = 0
  return async (input, init) => {
    if (++requests > maxRequests) throw new CallFailure(`One answer took more than ${maxRequests} requests.`)
    const response = await send(input, init)
    return response.ok ? boundEvents(response, { maxLineBytes, pace }) : keepBeginning(response, maxErrorBytes)
  }
}

/** The name that its prices are found by: the provider's own where its usual address is called, or else the address. */
const findPriceName = ({ kind, baseUrl, isUsualUrl }: ProviderAccess): string => (isUsualUrl ? kind : baseUrl)

/** Makes what opens models by their full names. */
export const createOpenModel = (deps: Deps): OpenModel => {
  const paces = createPaces(rate)
  return async ({ organizationId, model }) => {
    const [provider = '', ...rest] = model.split('/')
    const modelId = rest.join('/')
    if (provider === builtinProvider) {
      const create = Object.hasOwn(deps.builtin, modelId) ? deps.builtin[modelId] : undefined
      if (!create) throw new ModelGone(`There is no model ${JSON.stringify(model)} built in.`)
      return create()
    }
    const access = await openProvider(deps, organizationId, provider)
    if (access === undefined || modelId === '')
      throw new ModelGone(`This organization has no provider for the model ${JSON.stringify(model)}. Set one up.`)
    if (access === 'unreadable')
      throw new ModelGone(`The provider ${JSON.stringify(provider)} cannot be used. ${unreadableSecrets}`)
    if (access === 'unconfirmed') throw new ModelFailure(unconfirmedOwner, { category: 'limit' })
    const { kind, apiKey = '', headers } = access
    const opened = guardModel(
      { provider, pricedBy: findPriceName(access), modelId, secrets: [apiKey, ...Object.values(headers)] },
      () => adapters[kind](access, modelId, createModelFetch(deps, organizationId, paces(organizationId))),
      (options) => adjustCall(access, options),
    )
    return access.isShared ? spendShared(deps, organizationId, opened) : opened
  }
}
