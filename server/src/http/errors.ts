import { type ErrorBody, errorStatus } from '@noema/contracts/errors.ts'
import { ApiError, unavailable, validation } from '../shared/errors.ts'
import type { Log } from '../shared/log.ts'
import { isDatabaseUnavailable } from '../storage/database.ts'

const defaultRetrySeconds = 2

/** PostgreSQL's code for a lock that was not free in time. */
const lockTimeout = '55P03'

// What the HTTP server itself refuses before an endpoint is reached, by its code.
const serverRefusals: Record<string, () => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    validation('The body is too large. Bodies hold at most 1 MiB, documents and batches 16 MiB; send it in parts.', {
      code: 'body_too_large',
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => validation('Send the body as content-type: application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => validation('The body is not as long as its Content-Length says.'),
  FST_ERR_BAD_URL: () => validation('The path is not valid: check its percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: () => validation('A part of the path is too long for a handle or an id.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => validation('The request took too long to arrive. Send it again.'),
  ECONNRESET: () => validation('The request ended before it was whole.'),
}

/** The error that a caller is told of. Unknown ones are logged whole and told in a fixed sentence: their text stays here. */
export const toApiError = (error: unknown, log: Log): ApiError => {
  if (error instanceof ApiError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === lockTimeout)
    return unavailable('Another call holds this for longer than usual, as an import does. Try again shortly.')
  if (isDatabaseUnavailable(error)) {
    log.warn({ error: String(error) }, 'the database could not be reached')
    return unavailable('The database cannot be reached at the moment. Try again shortly.', {
      retryAfterSeconds: defaultRetrySeconds,
    })
  }
  const refusal = serverRefusals[code]
  if (refusal) return refusal()
  log.error({ err: error }, 'an unexpected error')
  return new ApiError(
    'internal',
    'Something went wrong on the server. The request id tells the operator which log lines.',
  )
}

/** An error as it is answered: status, headers and body. */
export const errorAnswer = (error: ApiError) => {
  const body: ErrorBody = {
    error: {
      kind: error.kind,
      message: error.message,
      ...(error.code === undefined ? {} : { code: error.code }),
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  }
  const passing = error.kind === 'rate_limited' || error.kind === 'unavailable'
  const retryAfter = error.retryAfterSeconds ?? defaultRetrySeconds
  return {
    status: errorStatus[error.kind],
    headers: {
      ...(passing ? { 'retry-after': String(retryAfter) } : {}),
      // Every 401 names the scheme (RFC 9110, 15.5.2).
      ...(error.kind === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {}),
    },
    body: JSON.stringify(body),
  }
}
