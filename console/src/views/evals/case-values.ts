import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { createEval, EvalCase } from '@noema/contracts/evals.ts'
import { FieldProblem } from '../../components/form/problems.ts'
import { type GraderType, type GraderValues, toItemLine } from '../graders/grader-values.ts'
import { toItem, toLines } from '../graders/to-grader.ts'

// A case while it is written. It has an input for each expectation that a grader takes from cases, and no others.

type NewCase = BodyInput<typeof createEval>['cases'][number]
type NewExpected = Exclude<NonNullable<NewCase['expected']>, string>

const names = [
  ...(['answer', 'contains', 'notContains', 'pattern', 'found', 'notFound', 'evidence'] as const),
  ...(['called', 'notCalled'] as const),
] satisfies readonly (keyof NewExpected)[]
export type ExpectationName = (typeof names)[number]

export type CaseValues = Record<ExpectationName, string> & { id: string; input: string }

/** A case without anything in it, and an id that none of these has. */
export const newCase = (ids: readonly string[]): CaseValues => {
  const taken = new Set(ids)
  let number = ids.length + 1
  while (taken.has(`case-${number}`)) number++
  return {
    ...{ id: `case-${number}`, input: '', answer: '', contains: '', notContains: '', pattern: '' },
    ...{ found: '', notFound: '', evidence: '', called: '', notCalled: '' },
  }
}

const taken: Partial<Record<GraderType, readonly ExpectationName[]>> = {
  ...{ equals: ['answer'], contains: ['contains'], not_contains: ['notContains'], regex: ['pattern'] },
  ...{ found: ['found'], not_found: ['notFound'], evidence: ['evidence'], operations: ['called', 'notCalled'] },
}

const hasOwn = ({ text, is, notCalled }: GraderValues): boolean => `${text}${is}${notCalled}`.trim() !== ''

/** The expectations that graders without a value take from each case. */
export const listExpectations = (graders: readonly GraderValues[]): ExpectationName[] => {
  const found = graders.flatMap((grader) => (hasOwn(grader) ? [] : (taken[grader.type] ?? [])))
  return names.filter((name) => found.includes(name))
}

/** True if some grader decides about a case that expects nothing. */
const gradesAll = (graders: readonly GraderValues[]): boolean =>
  graders.some((grader) => hasOwn(grader) || taken[grader.type] === undefined)

/** The positions of the values of a form in its body. */
export const toCasePaths = (cases: readonly CaseValues[]): Record<string, string> =>
  Object.fromEntries(
    cases.flatMap((_, index) => [
      ...['id', 'input'].map((name) => [`cases[${index}].${name}`, `cases.${index}.${name}`]),
      ...names.map((name) => [`cases[${index}].${name}`, `cases.${index}.expected.${name}`]),
    ]),
  )

const toExpectation = (name: ExpectationName, text: string, field: string): NewExpected => {
  const lines = toLines(text)
  if (lines === undefined) return {}
  switch (name) {
    case 'answer':
    case 'pattern':
      return { [name]: text.trim() }
    case 'evidence':
      return text === 'strong' || text === 'weak' || text === 'none' ? { evidence: text } : {}
    case 'found':
    case 'notFound':
      return { [name]: lines.map((line) => toItem(line, field)) }
    default:
      return { [name]: lines }
  }
}

/** Throws a `FieldProblem` at a case whose id is one of those that an eval has. */
export const refuseTakenIds = (cases: readonly Pick<CaseValues, 'id'>[], ids: readonly string[]): void => {
  const index = cases.findIndex(({ id }) => ids.includes(id.trim()))
  if (index !== -1) throw new FieldProblem(`cases[${index}].id`, 'The eval has a case with this id.')
}

/** The expectations of a case, by their names. */
export const toGiven = (expected: EvalCase['expected']): NewExpected =>
  typeof expected === 'string' ? { answer: expected } : (expected ?? {})

const toText = (expected: NewExpected[ExpectationName]): string =>
  Array.isArray(expected)
    ? expected.map((one) => (typeof one === 'string' ? one : toItemLine(one))).join('\n')
    : (expected ?? '')

/** The values of an existing case. */
export const toCaseValues = ({ id, input, expected }: EvalCase): CaseValues => {
  const given = toGiven(expected)
  const texts = names.map((name) => [name, toText(given[name])] as const)
  return { ...newCase([]), ...Object.fromEntries(texts), id, input }
}

/** Throws a `FieldProblem` at a case of which no grader grades anything. */
const checkGraded = (expected: NewExpected, graders: readonly GraderValues[], at: string): void => {
  const [first] = listExpectations(graders)
  if (Object.keys(expected).length === 0 && first !== undefined && !gradesAll(graders))
    throw new FieldProblem(`${at}.${first}`, 'Say what is expected. Without it, no grader grades this case.')
}

/** An existing case with the values that were edited; texts that were not touched stay as they are, also those that hold several lines. */
export const toEditedCase = (values: CaseValues, former: EvalCase, graders: readonly GraderValues[]): NewCase => {
  const before = toCaseValues(former)
  const edited = listExpectations(graders).filter((name) => values[name] !== before[name])
  const kept = Object.entries(toGiven(former.expected)).filter(([name]) => !edited.some((one) => one === name))
  const parts = edited.map((name) => toExpectation(name, values[name], `cases[0].${name}`))
  const expected: NewExpected = Object.assign(Object.fromEntries(kept), ...parts)
  checkGraded(expected, graders, 'cases[0]')
  const { expected: _former, ...rest } = former
  return { ...rest, input: values.input, ...(Object.keys(expected).length > 0 && { expected }) }
}

/** The cases that a form sends. Throws a `FieldProblem` at a case that no grader grades, and at an id that two cases have. */
export const toCases = (cases: readonly CaseValues[], graders: readonly GraderValues[]): NewCase[] => {
  const expectations = listExpectations(graders)
  return cases.map((values, index) => {
    const at = `cases[${index}]`
    const id = values.id.trim()
    if (cases.findIndex((one) => one.id.trim() === id) !== index)
      throw new FieldProblem(`${at}.id`, 'Another case has this id.')
    const parts = expectations.map((name) => toExpectation(name, values[name], `${at}.${name}`))
    const expected: NewExpected = Object.assign({}, ...parts)
    checkGraded(expected, graders, at)
    return { id, input: values.input, ...(Object.keys(expected).length > 0 && { expected }) }
  })
}
