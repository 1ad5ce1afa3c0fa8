import type { ErrorKind } from '@noema/contracts/error-status.ts'
import type { ErrorBody } from '@noema/contracts/errors.ts'
import type { ApiError } from '../shared/errors.ts'

// Errors in the shape of OpenAI's API: those of this API, with the `type` and `param` that its clients read.

const types: Record<ErrorKind, string> = {
  validation: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'invalid_request_error',
  conflict: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
  internal: 'server_error',
  unavailable: 'server_error',
}

/** The argument of a path such as `body.messages.0.content`, as OpenAI writes it; null for one that is not in the body. */
const toParam = (path: string | undefined): string | null =>
  path?.startsWith('body.') ? path.slice('body.'.length).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]') : null

/** An error with OpenAI's fields. */
export const toOpenAiError = ({ error }: ErrorBody) => ({
  error: { ...error, type: types[error.kind], param: toParam(error.details?.[0]?.path) },
})

/** False if a client of OpenAI's API must not repeat a call: it repeats every 409 and every failure of the server by itself. */
export const isRetryable = ({ kind, code }: Pick<ApiError, 'kind' | 'code'>): boolean =>
  kind !== 'conflict' && code !== 'run_failed' && code !== 'run_unfinished'
