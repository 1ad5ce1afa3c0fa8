import { type ErrorKind, errorStatus } from '@noema/contracts/error-status.ts'
import type { ErrorDetail } from '@noema/contracts/errors.ts'

/** Everything this client rejects with on its own account. An abort rejects with the signal's own reason instead. */
export class NoemaError extends Error {
  override name = 'NoemaError'
}

/**
 * The service could not be reached, or the connection broke before the whole answer arrived. `cause` is the error of
 * `fetch`.
 */
export class ConnectionError extends NoemaError {
  override name = 'ConnectionError'
}

/** No complete answer arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/**
 * A key was minted, but the answer with its secret was lost, and a repeat of the call never returns a secret. `keyId` names
 * the key: revoke it and mint again.
 */
export class SecretLostError extends NoemaError {
  override name = 'SecretLostError'
  readonly keyId: string

  constructor(keyId: string) {
    super(
      `The key ${keyId} was minted, but the answer with its secret was lost and cannot be had again: revoke ${keyId} and mint another.`,
    )
    this.keyId = keyId
  }
}

/** The content of an error answer. */
export type ApiFailure = {
  /** HTTP status. */
  status: number
  /** One of the eight kinds, or one that a newer service knows. */
  kind: ErrorKind | (string & {})
  /** For people; it may change. Branch on `kind` and `code`. */
  message: string
  /** Narrows the kind, for example `stale_version`. */
  code: string | undefined
  /** The faults and their paths; empty if the service named none. */
  details: readonly ErrorDetail[]
  /** The `x-request-id` of the answer, for the operator's logs. */
  requestId: string | undefined
  /** Seconds to wait before another try, from `Retry-After`. */
  retryAfterSeconds: number | undefined
}

/** The service answered with an error. Each kind has its subclass; an unknown kind is an `ApiError` itself. */
export class ApiError extends NoemaError {
  override name = 'ApiError'
  readonly status: number
  readonly kind: ApiFailure['kind']
  readonly code: string | undefined
  readonly details: readonly ErrorDetail[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(failure: ApiFailure) {
    super(failure.message)
    this.status = failure.status
    this.kind = failure.kind
    this.code = failure.code
    this.details = failure.details
    this.requestId = failure.requestId
    this.retryAfterSeconds = failure.retryAfterSeconds
  }
}

/** 400: the request itself is wrong; `details` says where. */
export class ValidationError extends ApiError {
  override name = 'ValidationError'
}

/** 401: no key, an invalid one, or a Brain key where a management key is needed. */
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError'
}

/** 403: the caller is known but may not do this. */
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError'
}

/** 404: not there, or not in the caller's organization. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}

/** 409: the current state refuses this, for example `stale_version` or a reused idempotency key. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}

/** 429: too many requests; `retryAfterSeconds` says when to come back. */
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError'
}

/** 500: a fault of the service; `requestId` finds it in its log. */
export class InternalError extends ApiError {
  override name = 'InternalError'
}

/** 503, or a gateway's 502 and 504: the same call may succeed later. */
export class UnavailableError extends ApiError {
  override name = 'UnavailableError'
}

const classes: Record<ErrorKind, typeof ApiError> = {
  validation: ValidationError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  not_found: NotFoundError,
  conflict: ConflictError,
  rate_limited: RateLimitedError,
  internal: InternalError,
  unavailable: UnavailableError,
}

const isKnown = (kind: string): kind is ErrorKind => Object.hasOwn(classes, kind)

/** Creates the error of a failed answer, in the class of its kind. */
export const apiError = (failure: ApiFailure): ApiError =>
  isKnown(failure.kind) ? new classes[failure.kind](failure) : new ApiError(failure)

/** The kind of an answer without the API's envelope, such as a proxy's own error page. */
export const toErrorKind = (status: number): string => {
  const named = Object.entries(errorStatus).find(([, known]) => known === status)
  if (named) return named[0]
  if (status === 502 || status === 504) return 'unavailable'
  return status >= 500 ? 'internal' : 'unknown'
}
