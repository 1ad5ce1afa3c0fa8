import { z } from 'zod'

// Plain messages for values that a contract does not accept. A contract's own message takes precedence; the validator's defaults
// never reach a reader. The service and the console word every problem the same way.

/** The position of a value inside an argument: `['operations', 0, 'kind']`. */
type Path = readonly (string | number)[]

/** One problem with a value: its position and a sentence. */
export type Problem = { path: Path; message: string }

type Issue = z.core.$ZodRawIssue

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'nothing',
}

const nounFor = (expected: string): string => nouns[expected] ?? 'another value'

/** The type of the given value. A message never repeats the value itself. */
const given = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (Number.isInteger(value)) return 'a whole number'
  const sort = typeof value
  return sort === 'boolean' ? 'true or false' : nounFor(sort)
}

const quote = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ')

const maxNames = 10
const maxNameLength = 64

/** The refusal of undeclared names, with the names that are accepted. */
export const refuseNames = (names: readonly string[], accepted: readonly string[]): string => {
  const refused = quote(names.slice(0, maxNames).map((name) => name.slice(0, maxNameLength).toWellFormed()))
  const rest = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return `This takes no ${refused}${rest}; it takes ${accepted.join(', ') || 'nothing'}.`
}

const count = (number: unknown, one: string): string =>
  `${Number(number).toLocaleString('en-US')} ${Number(number) === 1 ? one : `${one}s`}`

/** A bound, in the unit of the value. */
const bound = ({ origin }: Issue, edge: unknown, words: { text: string; number: string }): string => {
  if (origin === 'string') return `Expected ${words.text} ${count(edge, 'character')}.`
  if (origin === 'array' || origin === 'set') return `Expected ${words.text} ${count(edge, 'item')}.`
  return `Expected a number ${words.number} ${String(edge)}.`
}

const describeType = (issue: Issue): string => {
  const expected = nounFor(String(issue.expected))
  return issue.input === undefined
    ? `This is required: ${expected}.`
    : `Expected ${expected}; got ${given(issue.input)}.`
}

const namesTaken = ({ inst }: Issue): string[] => (inst instanceof z.ZodObject ? Object.keys(inst.shape) : [])

/** The message of a union none of whose branches has a better one. */
const noBranch = 'This has none of the forms that it can have.'

/** Describes one problem in a sentence. Pass it to `safeParse` as `error`. */
export const describeIssue = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue)
    case 'too_small':
      return bound(issue, issue.minimum, { text: 'at least', number: issue.inclusive === false ? 'above' : 'from' })
    case 'too_big':
      return bound(issue, issue.maximum, { text: 'at most', number: issue.inclusive === false ? 'below' : 'up to' })
    case 'invalid_value':
      return Array.isArray(issue.values)
        ? `Expected ${issue.values.length > 1 ? 'one of ' : ''}${quote(issue.values)}.`
        : noBranch
    case 'unrecognized_keys':
      return refuseNames(issue.keys as string[], namesTaken(issue))
    case 'invalid_union':
      return Array.isArray(issue.options) ? `Expected one of ${quote(issue.options)}.` : noBranch
    case 'invalid_key':
      return 'This name cannot be used here.'
    case 'not_multiple_of':
      return `Expected a multiple of ${String(issue.divisor)}.`
    default:
      return 'This has not the form that is expected here.'
  }
}

const toPath = (path: readonly PropertyKey[]): Path =>
  path.map((step) => (typeof step === 'number' ? step : String(step)))

const deepestPath = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length))

/** The problems that a parse with `describeIssue` found, each at its position below `root`. */
export const listProblems = (issues: readonly z.core.$ZodIssue[], root: Path): Problem[] =>
  issues.flatMap((issue) => {
    const path = [...root, ...toPath(issue.path)]
    // A union that declares no message reports the closest branch.
    if (issue.code === 'invalid_union' && issue.message === noBranch && issue.errors.length > 0)
      return listProblems(
        issue.errors.reduce((a, b) => (deepestPath(b) > deepestPath(a) ? b : a)),
        path,
      )
    // The problem of a name is the one that the contract states for names.
    if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }))
    return [{ path, message: issue.message }]
  })
