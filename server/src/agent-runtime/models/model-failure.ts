import { APICallError } from '@ai-sdk/provider'
import { toSafeText } from '../../features/agents/providers/safe-text.ts'
import { CallFailure } from '../../shared/outbound/call-failure.ts'

/** The model's provider is not there, or not any more: a run with this model cannot go on. The message may be shown. */
export class ModelGone extends Error {}

type Details = {
  isRetryable?: boolean
  isPostponed?: boolean
  retryAfterSeconds?: number | undefined
  category?: 'model' | 'limit'
}

/**
 * Why a model did not answer. The message may be shown and kept: it holds nothing of the request, no key, no header, and of what
 * the provider said only the beginning. `isRetryable`: the same call may go better later, not before `retryAfterSeconds` where
 * the provider named them. `isPostponed`: it was not made at all, because as many are under way as may be. `category`: of the run
 * that fails by it; `limit` where the account may not make the call.
 */
export class ModelFailure extends Error {
  readonly isRetryable: boolean
  readonly isPostponed: boolean
  readonly retryAfterSeconds: number | undefined
  readonly category: 'model' | 'limit'

  constructor(message: string, details: Details = {}) {
    const { isPostponed = false, isRetryable = isPostponed, retryAfterSeconds, category = 'model' } = details
    super(message)
    this.name = 'ModelFailure'
    this.isRetryable = isRetryable
    this.isPostponed = isPostponed
    this.retryAfterSeconds = retryAfterSeconds
    this.category = category
  }
}

/** The provider of a failed model, and the secrets that its error must not contain. */
export type Asked = { provider: string; secrets: readonly string[] }

// A provider that names a longer time is asked again after this one.
const maxRetryAfterSeconds = 3_600
const postponedSeconds = 2

const toSeconds = (text: string | undefined, unit = 1): number | undefined => {
  const value = text === undefined ? Number.NaN : Number(text) * unit
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

const untilDate = (text: string | undefined): number | undefined => {
  const time = text === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000)
}

/** When a provider wants to be asked again: by a header, or as Google says it in the body. */
const findRetryAfter = ({ responseHeaders = {}, responseBody = '' }: APICallError): number | undefined => {
  const after = responseHeaders['retry-after']
  const seconds =
    toSeconds(responseHeaders['retry-after-ms'], 0.001) ??
    toSeconds(after) ??
    untilDate(after) ??
    toSeconds(/"retryDelay":\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(responseBody)?.[1])
  return seconds === undefined ? undefined : Math.min(seconds, maxRetryAfterSeconds)
}

const adviceByStatus: Record<number, string> = {
  401: ' Check its key.',
  403: ' Check its key.',
  404: ' Check the name of the model, and the address of the provider.',
}

const toAnswerFailure = (error: APICallError, status: number, { provider, secrets }: Asked): ModelFailure => {
  // An error that does not follow the API has no message: then its text may help.
  const text = toSafeText(error.message.trim() || (error.responseBody ?? ''), secrets)
  const said = text === '' ? '.' : `: ${text.replace(/(?<![.!?…])$/, '.')}`
  // This quota is not refilled by waiting.
  const isOver = /"insufficient_quota"/.test(error.responseBody ?? '')
  return new ModelFailure(`The provider ${provider} answered ${status}${said}${adviceByStatus[status] ?? ''}`, {
    isRetryable: !isOver && (error.isRetryable || status === 429 || status >= 500),
    retryAfterSeconds: findRetryAfter(error),
  })
}

const findCallFailure = (error: unknown): CallFailure | undefined => {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++)
    if (one instanceof CallFailure) return one
  return undefined
}

/** An error within a provider's stream: a text, or an object with a message. */
const toReported = (error: unknown): { message: string; isRetryable: boolean } | undefined => {
  if (typeof error === 'string') return { message: error, isRetryable: true }
  if (typeof error !== 'object' || error === null || error instanceof Error || !('message' in error)) return undefined
  const isRetryable = 'isRetryable' in error ? error.isRetryable === true : true
  return typeof error.message === 'string' ? { message: error.message, isRetryable } : undefined
}

/** The failure of a model's call, in words that are safe to show, and if a retry may help. */
export const toModelFailure = (
  error: unknown,
  asked: Asked = { provider: 'of the model', secrets: [] },
): ModelFailure => {
  if (error instanceof ModelFailure) return error
  if (error instanceof ModelGone) return new ModelFailure(error.message)
  const failure = findCallFailure(error)
  if (failure) {
    const { isRetryable, isPostponed } = failure
    const retryAfterSeconds = isPostponed ? postponedSeconds : undefined
    return new ModelFailure(`The provider ${asked.provider} could not be called: ${failure.message}`, {
      ...{ isRetryable, isPostponed, retryAfterSeconds },
    })
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300)
    return toAnswerFailure(error, error.statusCode, asked)
  const reported = toReported(error)
  if (reported)
    return new ModelFailure(`The provider ${asked.provider} reported: ${toSafeText(reported.message, asked.secrets)}`, {
      isRetryable: reported.isRetryable,
    })
  // Any other error: its text may hold anything.
  return new ModelFailure(`The response of the provider ${asked.provider} is not as its API describes it.`, {
    isRetryable: true,
  })
}
