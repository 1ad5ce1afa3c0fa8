import type { CodeOf, ErrorCode } from '@noema/contracts/error-codes.ts'
import type { ErrorKind } from '@noema/contracts/error-status.ts'

/**
 * A path in the arguments of a call: `['operations', 0, 'kind']`. Only the called edge knows which part of a request (a
 * body, a query, a tool call) carries an argument, so the edge writes the path in its own terms.
 */
export type Path = readonly (string | number)[]

/** One thing that is wrong with a call. */
export type ErrorDetail = { path: Path; message: string; [name: string]: unknown }

export type ErrorExtras<Kind extends ErrorKind = ErrorKind> = {
  /** A code of this kind from the catalog in the contracts. Each endpoint declares its codes. */
  code?: CodeOf<Kind>
  details?: ErrorDetail[]
  retryAfterSeconds?: number
  /** The HTTP status, where HTTP itself has another one for it than its kind has. */
  status?: number
  /** The path of the faulty argument if the message does not name it: the edge then puts the path in front. */
  at?: Path
}

/** A failure that is reported to the caller: one of the eight kinds, and a message that says what to do next. */
export class ApiError extends Error {
  readonly kind: ErrorKind
  readonly code: ErrorCode | undefined
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly status: number | undefined
  readonly at: Path | undefined

  constructor(kind: ErrorKind, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.kind = kind
    this.code = extras.code
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
    this.status = extras.status
    this.at = extras.at
  }
}

/**
 * A request needs more content than the main thread reads for one. Nothing of it was written, and the edge repeats it on the
 * worker for large requests.
 */
export class MovesToWorker extends Error {}

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
 * Refuses an argument that names something of the organization that does not exist. It is 404 wherever the name is sent, in the
 * path or in the body. The names in an agent's definition are validated with the definition and are 400.
 */
export const unknownReference = (path: Path, message: string): ApiError =>
  notFound(message, { at: path, details: [{ path, message }] })

/** Refuses one part of a call with a message that names the part. */
export const refuseAt = (path: Path, message: string, extras: Pick<ErrorExtras<'validation'>, 'code'> = {}): ApiError =>
  validation(message, { ...extras, details: [{ path, message }] })

/** Refuses one argument with a message that does not name it: the edge puts its path in front. */
export const invalidArgument = (path: Path, message: string): ApiError =>
  validation(message, { at: path, details: [{ path, message }] })
