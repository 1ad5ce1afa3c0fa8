/**
 * The eight kinds of error and the HTTP status of each. No other kind is ever sent; clients branch on `kind`.
 * `rate_limited` and `unavailable` are temporary: the same call may succeed later. Any other kind repeats.
 */
export const errorStatus = {
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const

/** One of the eight error kinds. */
export type ErrorKind = keyof typeof errorStatus
