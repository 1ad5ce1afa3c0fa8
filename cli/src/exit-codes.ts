import { ConnectionError } from '@noema/sdk/errors.ts'

/** The exit codes of the process. Scripts rely on them: the help text lists them. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  conflict: 5,
  validation: 6,
  unavailable: 7,
  /** A run that was waited for failed or was cancelled. */
  runFailed: 8,
  /** A run of an eval did not complete, or its score is below the least one. */
  evalFailed: 9,
  interrupted: 130,
} as const

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The named object does not exist: handled like a 404. */
export class NotFound extends Error {
  override name = 'NotFound'
  readonly kind = 'not_found'
}

/** No key was given: handled like a 401, without a request. */
export class MissingKeyError extends Error {
  override name = 'MissingKeyError'
  readonly kind = 'unauthorized'
}

/** The service, or a proxy in front of it, did not answer as expected: exit code 7. */
export class ServiceUnavailable extends Error {
  override name = 'ServiceUnavailable'
  readonly kind = 'unavailable'
}

const codesByKind: Readonly<Record<string, number>> = {
  unauthorized: exitCodes.auth,
  forbidden: exitCodes.auth,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  validation: exitCodes.validation,
  rate_limited: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
}

/** The kind of an error, in the words of the API: its own where it has one (the server's operator errors do, too). */
export const toErrorKind = (error: unknown): string => {
  if (error instanceof UsageError) return 'validation'
  if (error instanceof ConnectionError) return 'unavailable'
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined
  return typeof kind === 'string' ? kind : 'internal'
}

/** Returns the exit code of an error that ended a command. */
export const toExitCode = (error: unknown): number =>
  error instanceof UsageError ? exitCodes.usage : (codesByKind[toErrorKind(error)] ?? exitCodes.unexpected)
