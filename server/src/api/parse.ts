import { describeIssue, listProblems, refuseNames } from '@noema/contracts/validation-messages.ts'
import type { z } from 'zod'
import { type ErrorDetail, type Path, validation } from '../shared/errors.ts'
import { findUndeclared, type Undeclared } from './undeclared.ts'

const maxDetails = 20

const refuse = (all: readonly ErrorDetail[], root: Path, count = all.length) => {
  const details = all.slice(0, maxDetails)
  const [first] = details
  const rest = count > 1 ? ` And ${Math.min(count, maxDetails) - 1} more in details.` : ''
  return validation(`${first?.message ?? 'Not valid.'}${rest}`, { at: first?.path ?? root, details })
}

/** Parses the value at `root`, or throws an error with the issues of each field. */
export const parseWith = <Schema extends z.ZodType>(schema: Schema, value: unknown, root: Path): z.output<Schema> => {
  const parsed = schema.safeParse(value, { error: describeIssue })
  if (parsed.success) return parsed.data
  throw refuse(listProblems(parsed.error.issues, root), root)
}

/** The fields of a body that its contract does not declare: the paths of the first ones, and how many there were. */
export type Ignored = { paths: Path[]; count: number }

const refuseUndeclared = (found: readonly Undeclared[], root: Path) => {
  const details = [...Map.groupBy(found, ({ path }) => JSON.stringify(path)).values()].map((group) => ({
    path: [...root, ...(group[0]?.path ?? [])],
    message: refuseNames(
      group.map(({ name }) => name),
      group[0]?.accepted ?? [],
    ),
  }))
  return refuse(details, root)
}

/** Parses a body. Fields that its contract does not declare are dropped and named (D-04b), or refused if `isStrict`. */
export const parseBody = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { root, isStrict }: { root: Path; isStrict: boolean },
): { body: z.output<Schema>; ignored: Ignored } => {
  const { found, count } = findUndeclared(schema, value)
  if (isStrict && count > 0) throw refuseUndeclared(found, root)
  return {
    body: parseWith(schema, value, root),
    ignored: { paths: found.map(({ path, name }) => [...path, name]), count },
  }
}
