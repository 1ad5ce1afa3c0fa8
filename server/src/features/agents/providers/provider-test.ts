import type { ProviderKind, ProviderTest } from '@noema/contracts/providers.ts'
import type { Limits } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, rateLimited } from '../../../shared/errors.ts'
import { CallFailure } from '../../../shared/outbound/call-failure.ts'
import { secondsLeftToday } from '../../kernel/usage/usage.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import {
  type AccessDeps,
  budgetSpent,
  openProvider,
  type ProviderAccess,
  unconfirmedOwner,
  unreadableSecrets,
} from './access.ts'
import { findErrorMessage, findMismatch } from './provider-answers.ts'
import { toSafeText } from './safe-text.ts'
import { takeCent } from './spending-queries.ts'

// Tries a provider: the cheapest call of its API, or one that makes a model say a word.

const limits = { idleSeconds: 30, totalSeconds: 30, maxBytes: 4 * 1024 * 1024 }
const maxErrorBytes = 16 * 1024

type Probe = { path: string; body?: object }

const credentials: Record<ProviderKind, (key: string) => Record<string, string>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  'openai-compatible': (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  google: (key) => ({ 'x-goog-api-key': key }),
}

const messages = [{ role: 'user', content: 'Say yes.' }]
const sayWord: Record<ProviderKind, (model: string) => Probe> = {
  openai: (model) => ({
    path: '/responses',
    body: { model, input: 'Say yes.', max_output_tokens: 16, store: false },
  }),
  'openai-compatible': (model) => ({ path: '/chat/completions', body: { model, messages, max_tokens: 1 } }),
  anthropic: (model) => ({ path: '/messages', body: { model, messages, max_tokens: 1 } }),
  google: (model) => ({
    path: `/models/${encodeURIComponent(model)}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Say yes.' }] }], generationConfig: { maxOutputTokens: 1 } },
  }),
}

/** The text of a response, or its beginning. */
const readText = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8')
}

/** Returns why the response is an error; undefined if it is what the probe asked for. */
const findFault = async (response: Response, kind: ProviderKind, probe: Probe): Promise<string | undefined> => {
  if (response.ok) return findMismatch(await readText(response, limits.maxBytes), kind, probe.body === undefined)
  const text = await readText(response, maxErrorBytes)
  return findErrorMessage(text) ?? text
}

const call = async ({ outbound }: AccessDeps, organization: string, access: ProviderAccess, probe: Probe) => {
  const { kind, baseUrl, apiKey, headers } = access
  const secrets = [apiKey ?? '', ...Object.values(headers)]
  try {
    const response = await outbound.fetch('provider', { organization, ...limits })(baseUrl + probe.path, {
      method: probe.body ? 'POST' : 'GET',
      headers: {
        ...(apiKey === undefined ? {} : credentials[kind](apiKey)),
        ...(probe.body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(probe.body ? { body: JSON.stringify(probe.body) } : {}),
    })
    const fault = await findFault(response, kind, probe)
    const error = fault === undefined ? null : toSafeText(fault, secrets)
    return { ok: fault === undefined, status: response.status, error }
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    if (error.isPostponed)
      throw rateLimited(`${error.message} Try again soon.`, { code: 'too_many_calls', retryAfterSeconds: 5 })
    return { ok: false, status: null, error: error.message }
  }
}

/** Calls a provider now and returns the outcome. Only so many tests run at once. */
export const testProvider = async (
  deps: AccessDeps & { open: OpenShares; clock: Clock; limits: Pick<Limits, 'modelBudgets'> },
  { organizationId, name }: { organizationId: string; name: string },
  model: string | undefined,
): Promise<ProviderTest> => {
  const access = await openProvider(deps, organizationId, name)
  if (access === undefined) throw notFound(`This organization has no provider ${JSON.stringify(name)}.`)
  if (access === 'unconfirmed') throw conflict(unconfirmedOwner, { code: 'email_not_verified' })
  if (access === 'unreadable') throw conflict(unreadableSecrets, { code: 'unreadable_secret' })
  const budgets = deps.limits.modelBudgets
  const isCharged = access.isShared && model !== undefined
  if (isCharged && !(await takeCent(deps.keyedDb, { organizationId, budgets, now: deps.clock.now() })))
    throw rateLimited(budgetSpent, { code: 'model_cap', retryAfterSeconds: secondsLeftToday(deps.clock.now()) })
  const leave = deps.open.take('tests', { organization: organizationId, key: `provider ${organizationId}/${name}` })
  const begun = performance.now()
  try {
    const probe = model === undefined ? { path: '/models' } : sayWord[access.kind](model)
    const { ok, status, error } = await call(deps, organizationId, access, probe)
    return { ok, status, error, milliseconds: Math.round(performance.now() - begun) }
  } finally {
    leave()
  }
}
