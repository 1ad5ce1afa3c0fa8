import type { ErrorBody } from '@noema/contracts/errors.ts'
import { ApiError, type Path, unavailable } from '../shared/errors.ts'
import type { Log } from '../shared/log.ts'
import { isDatabaseUnavailable, isLockTimeout, isStatementTimeout } from '../storage/database-errors.ts'

// Every edge reports errors that are meant for callers, and nothing about any other error.

const defaultRetrySeconds = 2

/** The error to report. Unknown errors are logged whole and reported by a fixed sentence: their text never leaves the process. */
export const toApiError = (error: unknown, log: Log): ApiError => {
  if (error instanceof ApiError) return error
  if (isLockTimeout(error))
    return unavailable('Another call is changing the same data and takes longer than usual. Try again shortly.')
  if (isStatementTimeout(error)) {
    log.warn({ error: String(error) }, 'a statement took longer than NOEMA_DATABASE_STATEMENT_SECONDS')
    return unavailable('The database took too long for this. Ask for less at once, or try again later.')
  }
  if (isDatabaseUnavailable(error)) {
    log.warn({ error: String(error) }, 'the database could not be reached')
    return unavailable('The database cannot be reached at the moment. Try again shortly.')
  }
  log.error({ err: error }, 'an unexpected error')
  return new ApiError(
    'internal',
    'Something went wrong on the server. The operator can find the cause in the log by the request id.',
  )
}

/** The same error, about other places. */
export const movePaths = (error: ApiError, move: (path: Path) => Path): ApiError => {
  const { kind, message, code, details, retryAfterSeconds, at } = error
  return new ApiError(kind, message, {
    ...(code === undefined ? {} : { code }),
    ...(details === undefined ? {} : { details: details.map((detail) => ({ ...detail, path: move(detail.path) })) }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(at === undefined ? {} : { at: move(at) }),
  })
}

/** An error as data, as the contracts declare it. `toText` writes a path in the words of the edge. */
export const errorBody = (
  { kind, message, code, details, at }: ApiError,
  toText: (path: Path) => string,
): ErrorBody => ({
  error: {
    kind,
    message: at === undefined ? message : `${toText(at)}: ${message}`,
    ...(code === undefined ? {} : { code }),
    ...(details === undefined ? {} : { details: details.map((detail) => ({ ...detail, path: toText(detail.path) })) }),
  },
})

/** The seconds after which the same call may succeed; undefined if it never will. */
export const retrySeconds = ({ kind, retryAfterSeconds }: ApiError): number | undefined =>
  kind === 'rate_limited' || kind === 'unavailable' ? (retryAfterSeconds ?? defaultRetrySeconds) : undefined
