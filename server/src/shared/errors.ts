import type { CodeOf, ErrorCode } from '@noema/contracts/error-codes.ts'
import type { ErrorKind } from '@noema/contracts/error-status.ts'

/**
 * Where something stands in the arguments of a call: `['operations', 0, 'kind']`. What carries an argument (a body, a query,
 * the call of a tool) is known to the edge that was called, which writes the place in its own words.
 */
export type Path = readonly (string | number)[]

/** One thing that is wrong with a call. */
export type ErrorDetail = { path: Path; message: string; [name: string]: unknown }

export type ErrorExtras<Kind extends ErrorKind = ErrorKind> = {
  /** A code of this kind from the catalogue in the contracts. Each endpoint declares those that it answers. */
  code?: CodeOf<Kind>
  details?: ErrorDetail[]
  retryAfterSeconds?: number
  /** What the message is about, where it does not name that itself: it is then told in front of it. */
  at?: Path
}

/** A failure that the caller is told of: one of the eight kinds, and a message that says what to do next. */
export class ApiError extends Error {
  readonly kind: ErrorKind
  readonly code: ErrorCode | undefined
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly at: Path | undefined

  constructor(kind: ErrorKind, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.kind = kind
    this.code = extras.code
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.at = extras.at
  }
}

const raise =
  <Kind extends ErrorKind>(kind: Kind) =>
  (message: string, extras?: ErrorExtras<Kind>) =>
    new ApiError(kind, message, extras)

export const validation = raise('validation')
export const unauthorized = raise('unauthorized')
export const forbidden = raise('forbidden')
export const notFound = raise('not_found')
export const conflict = raise('conflict')
export const rateLimited = raise('rate_limited')
export const unavailable = raise('unavailable')

/**
 * The refusal of an argument that names something of the organization which is not there. It is 404 wherever the name is sent: in
 * the path or in the body. What an agent's definition names is checked as a part of that definition, and is 400.
 */
export const unknownReference = (path: Path, message: string): ApiError =>
  notFound(message, { at: path, details: [{ path, message }] })

/** The refusal of one part of a call by a message that names it: what is wrong and where it stands. */
export const refuseAt = (path: Path, message: string, extras: Pick<ErrorExtras<'validation'>, 'code'> = {}): ApiError =>
  validation(message, { ...extras, details: [{ path, message }] })

/** The refusal of one argument by a message that does not name it: its place is told in front. */
export const invalidArgument = (path: Path, message: string): ApiError =>
  validation(message, { at: path, details: [{ path, message }] })
