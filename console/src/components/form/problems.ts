/** One problem of a request. `path` is its position in the request, such as `body.limits.maxSteps`. */
export type Detail = { path: string; message: string }

/** A form cannot be submitted: no body can be built from the value of one of its fields. */
export class FieldProblem extends Error {
  readonly field: string

  constructor(field: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.field = field
  }
}

/** A body that the contract refuses, with the `details` that the service would return. */
export class InvalidBody extends Error {
  readonly details: readonly Detail[]

  constructor(details: readonly Detail[]) {
    super(details[0]?.message ?? 'Some values are not valid.')
    this.details = details
  }
}

/** The positions of values in the body, for those that differ from the name of the value. */
export type Paths = Readonly<Record<string, string>>

const isWithin = (path: string, whole: string): boolean => path === whole || path.startsWith(`${whole}.`)

/** The shown field that a detail concerns. The first step of a path names the part of the request: `body`, `path`. */
const findField = (detail: Detail, names: readonly string[], paths: Paths): string | undefined => {
  const path = detail.path.split('.').slice(1).join('.')
  const toWhole = (name: string) => paths[name] ?? name
  const [closest] = names
    .filter((name) => isWithin(path, toWhole(name)))
    .sort((a, b) => toWhole(b).length - toWhole(a).length)
  return closest
}

const isDetail = (value: unknown): value is Detail =>
  typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string'

const readDetails = (error: unknown): Detail[] =>
  error instanceof Error && 'details' in error && Array.isArray(error.details) ? error.details.filter(isDetail) : []

type Placed = {
  /** The first problem of each field. */
  fields: Readonly<Record<string, string>>
  /** The error, unless every problem is shown at a field. */
  failure: unknown
}

/** Assigns the problems of an error to the fields that are shown under these names. */
export const showProblems = (error: unknown, names: readonly string[], paths: Paths = {}): Placed => {
  if (error instanceof FieldProblem && names.includes(error.field))
    return { fields: { [error.field]: error.message }, failure: undefined }
  const fields: Record<string, string> = {}
  const details = readDetails(error)
  let isComplete = details.length > 0
  for (const detail of details) {
    const name = findField(detail, names, paths)
    if (name === undefined) isComplete = false
    else fields[name] ??= detail.message
  }
  return { fields, failure: isComplete ? undefined : error }
}
