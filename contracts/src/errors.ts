import { z } from 'zod'
import { type ErrorKind, errorStatus } from './error-status.ts'

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
