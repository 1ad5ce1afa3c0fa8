import { z } from 'zod'
import { type ErrorKind, errorStatus } from './error-status.ts'

const errorKinds = Object.keys(errorStatus) as [ErrorKind, ...ErrorKind[]]

/** The kind of an error. */
export const errorKind = z.enum(errorKinds)

export const errorDetail = z
  .looseObject({
    path: z.string().describe('Where, such as `body.operations.3.kind`.'),
    message: z.string().describe('A message for people.'),
  })
  .describe(
    'One thing that is wrong with a request: where (a dotted path such as `body.operations.3.kind`) and what to do.',
  )
export type ErrorDetail = z.infer<typeof errorDetail>

export const errorBody = z
  .object({
    error: z
      .object({
        kind: errorKind.describe('The kind of error. Branch on this.'),
        message: z.string().describe('The problem and the next step. The wording may change.'),
        code: z.string().optional().describe('A finer reason within the kind, such as `stale_version`.'),
        details: z.array(errorDetail).optional().describe('One entry for each problem.'),
      })
      .describe('The error.'),
  })
  .describe(
    'The body of every response that is not a success. `code` refines a kind (`stale_version`, `body_too_large`, …).',
  )
export type ErrorBody = z.infer<typeof errorBody>
