import type { ErrorDetail, ErrorKind } from '@noema/contracts/errors.ts'

type ErrorExtras = { code?: string; details?: ErrorDetail[]; retryAfterSeconds?: number }

/** A failure that the caller is told of: one of the eight kinds, and a message that says what to do next. */
export class ApiError extends Error {
  readonly kind: ErrorKind
  readonly code: string | undefined
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(kind: ErrorKind, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.kind = kind
    this.code = extras.code
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
  }
}

const raise = (kind: ErrorKind) => (message: string, extras?: ErrorExtras) => new ApiError(kind, message, extras)

export const validation = raise('validation')
export const unauthorized = raise('unauthorized')
export const forbidden = raise('forbidden')
export const notFound = raise('not_found')
export const conflict = raise('conflict')
export const rateLimited = raise('rate_limited')
export const unavailable = raise('unavailable')
