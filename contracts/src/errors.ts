import { z } from 'zod'

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

const errorKinds = Object.keys(errorStatus) as [ErrorKind, ...ErrorKind[]]

/** One thing that is wrong with a request: where (a dotted path such as `body.operations.3.kind`) and what to do. */
export const errorDetail = z.looseObject({ path: z.string(), message: z.string() })
export type ErrorDetail = z.infer<typeof errorDetail>

/** The body of every response that is not a success. `code` refines a kind (`stale_version`, `body_too_large`, …). */
export const errorBody = z.object({
  error: z.object({
    kind: z.enum(errorKinds),
    message: z.string(),
    code: z.string().optional(),
    details: z.array(errorDetail).optional(),
  }),
})
export type ErrorBody = z.infer<typeof errorBody>
