import { isObject } from '@noema/contracts/json.ts'
import { FieldProblem } from '../../components/form/problems.ts'
import { type GraderValues, type NewGrader, toGraderValues } from './grader-values.ts'

// The grader that a form sends. An empty input leaves the property out.

type Of<Type extends NewGrader['type']> = Extract<NewGrader, { type: Type }>

const ifAny = (text: string): string | undefined => (text.trim() === '' ? undefined : text)

const toNumber = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text))

/** The lines of a text that are not empty; undefined if there are none. */
export const toLines = (text: string): string[] | undefined => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.length === 0 ? undefined : lines
}

/** The texts of a grader whose input was not touched: one of several lines stays one. */
const findFormerTexts = ({ former, text }: GraderValues): string[] | undefined =>
  former && 'values' in former && former.values?.join('\n') === text ? former.values : undefined

type Item = NonNullable<Of<'not_found'>['items']>[number]

/** A line such as `document refunds`, or `record ada @people` for an item of one Brain. */
const itemLine = /^(record|statement|document)\s+(.+?)(?:\s+@([a-z0-9-]+))?$/

/** The item of a line. Throws a `FieldProblem` at the field for a line that names none. */
export const toItem = (line: string, field: string): Item => {
  const [, type, id, brain] = itemLine.exec(line) ?? []
  if ((type === 'record' || type === 'statement' || type === 'document') && id !== undefined)
    return { type, id, ...(brain !== undefined && { brain }) }
  throw new FieldProblem(field, `Write a type and an id on each line, such as "document refunds", not "${line}".`)
}

const toSchema = (text: string, field: string): Of<'json_schema'>['schema'] => {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FieldProblem(field, `This is not JSON: ${reason}.`, { cause })
  }
  throw new FieldProblem(field, 'Enter a JSON Schema of an object, such as {"type": "object"}.')
}

const toRubric = ({ rubric, judge, threshold }: GraderValues, at: string): Omit<Of<'rubric'>, 'type'> => {
  if (rubric === '') throw new FieldProblem(`${at}.rubric`, 'Choose a rubric.')
  if (judge === '') throw new FieldProblem(`${at}.judge`, 'Choose an agent that judges.')
  return { rubric, judge, threshold: toNumber(threshold) }
}

const toMilliseconds = (seconds: string): number | undefined =>
  seconds.trim() === '' ? undefined : Math.round(Number(seconds) * 1_000)

/** The properties of a grader of one type. `at` is its place in the form. */
const toOwn = (values: GraderValues, at: string): NewGrader => {
  const { type, text } = values
  const field = `${at}.text`
  const ignoreCase = values.ignoresCase === (type !== 'regex') ? undefined : values.ignoresCase
  switch (type) {
    case 'equals':
      return { type, value: ifAny(text), ignoreCase }
    case 'contains':
    case 'not_contains':
      return { type, values: findFormerTexts(values) ?? toLines(text), ignoreCase }
    case 'regex':
      return { type, pattern: ifAny(text), ignoreCase }
    case 'json_schema':
      return { type, schema: toSchema(values.schema, `${at}.schema`) }
    case 'found': {
      const metric = values.metric === 'recall' ? undefined : values.metric
      const items = toLines(text)?.map((line) => toItem(line, field))
      return { type, items, metric, top: toNumber(values.top), threshold: toNumber(values.threshold) }
    }
    case 'not_found':
      return { type, items: toLines(text)?.map((line) => toItem(line, field)) }
    case 'cited':
      return { type, min: toNumber(values.min) }
    case 'evidence':
      return { type, is: values.is === '' ? undefined : values.is }
    case 'operations':
      return { type, called: toLines(text), notCalled: toLines(values.notCalled) }
    case 'limits':
      return { type, maxCostCents: toNumber(values.maxCents), maxMilliseconds: toMilliseconds(values.maxSeconds) }
    case 'rubric':
      return { type, ...toRubric(values, at) }
    case 'person':
      return { type, question: ifAny(text), expiresAfterHours: toNumber(values.hours) }
  }
}

const isUntouched = ({ former, ...values }: GraderValues): boolean => {
  if (!former) return false
  const { former: _, ...opened } = toGraderValues(former)
  return JSON.stringify(opened) === JSON.stringify(values)
}

/** The grader of a form. Throws a `FieldProblem` at a value that no grader can have. */
export const toGrader = (values: GraderValues, at: string): NewGrader => {
  if (values.former && isUntouched(values)) return values.former
  const { name, weight } = values
  return { ...toOwn(values, at), name: ifAny(name)?.trim(), weight: toNumber(weight) }
}
