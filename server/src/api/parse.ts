import type { z } from 'zod'
import { type ErrorDetail, type Path, validation } from '../shared/errors.ts'

const toPath = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === 'number' ? step : String(step)))

const deepestPath = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length))

/** What a contract does not word itself, the validator words without a full stop. */
const toSentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`)

const toDetails = (issues: readonly z.core.$ZodIssue[], root: Path): ErrorDetail[] =>
  issues.flatMap((issue) => {
    const path = [...root, ...toPath(issue.path)]
    // A union's own message is "Invalid input"; what is wrong stands in the branch that came closest.
    if (issue.code === 'invalid_union' && issue.message === 'Invalid input' && issue.errors.length > 0)
      return toDetails(
        issue.errors.reduce((a, b) => (deepestPath(b) > deepestPath(a) ? b : a)),
        path,
      )
    const names = issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : ''
    return [{ path, message: toSentence(`${issue.message}${names && issue.message.includes(':') ? '' : names}`) }]
  })

const maxDetails = 20

/** Parses what was given as `root`, or throws what is wrong with each of its fields. */
export const parseWith = <Schema extends z.ZodType>(schema: Schema, value: unknown, root: Path): z.output<Schema> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const details = toDetails(parsed.error.issues, root).slice(0, maxDetails)
  const [first] = details
  const rest = details.length > 1 ? ` And ${details.length - 1} more in details.` : ''
  throw validation(`${first?.message ?? 'Not valid.'}${rest}`, { at: first?.path ?? root, details })
}
