import { isObject } from '@noema/contracts/json.ts'
import type { QueryOperator } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'

// The filter of a list of records: in the URL, as conditions on fields, and as the request.

type Json = BrainRecord['fields'][string]

/** The conditions on fields, as the `where` of `POST query`. */
export type Where = Record<string, Json>

/** One condition on one field. */
export type Condition = { field: string; operator: QueryOperator; value: Json }

/** The filter of a list of records, as the URL holds it. */
export type RecordFilter = {
  kind?: string | undefined
  slug?: string | undefined
  linksTo?: string | undefined
  predicate?: string | undefined
  where?: Where | undefined
  asOf?: number | undefined
}

const operatorWords: Record<QueryOperator, string> = {
  eq: 'is',
  in: 'is any of',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  exists: 'has a value',
}

const isOperator = (name: string): name is QueryOperator => Object.hasOwn(operatorWords, name)

/** The separate conditions of a `where`. A plain value means equality; unknown operators are dropped. */
export const toConditions = (where: Where = {}): Condition[] =>
  Object.entries(where).flatMap(([field, asked]) =>
    isObject(asked)
      ? Object.entries(asked).flatMap(([operator, value]) =>
          isOperator(operator) ? [{ field, operator, value: value as Json }] : [],
        )
      : [{ field, operator: 'eq' as const, value: asked }],
  )

/** Conditions as a `where`, grouped by field. A later condition replaces an earlier one with the same operator. */
export const toWhere = (conditions: readonly Condition[]): Where | undefined => {
  const where: Record<string, Record<string, Json>> = {}
  for (const { field, operator, value } of conditions) where[field] = { ...where[field], [operator]: value }
  return conditions.length > 0 ? where : undefined
}

/** Parses a `where` from the JSON in a URL; undefined if it is invalid. */
export const parseWhere = (text: unknown): Where | undefined => {
  if (typeof text !== 'string') return undefined
  try {
    const given: unknown = JSON.parse(text)
    return isObject(given) ? toWhere(toConditions(given as Where)) : undefined
  } catch {
    return undefined
  }
}

/** The request for a list of records: `GET records`, or `POST query` if there are conditions on fields. */
export type RecordCall =
  | { by: 'list'; query: { kind?: string; slug?: string; linksTo?: string; predicate?: string; asOf?: number } }
  | { by: 'query'; body: { kind: string; where: Where } }

/**
 * Conditions on fields apply within one kind, so they are dropped without a kind. `asOf` reads an earlier state from `GET
 * records`.
 */
export const toCall = ({ kind, slug, linksTo, predicate, where, asOf }: RecordFilter): RecordCall => {
  if (kind !== undefined && where !== undefined && linksTo === undefined)
    return { by: 'query', body: { kind, where: { ...(slug !== undefined && { slug }), ...where } } }
  return {
    by: 'list',
    query: {
      ...(kind !== undefined && { kind }),
      ...(slug !== undefined && { slug }),
      ...(linksTo !== undefined && { linksTo, ...(predicate !== undefined && { predicate }) }),
      ...(asOf !== undefined && { asOf }),
    },
  }
}

/** The operators that a field can be filtered by, or the reason why it cannot. */
export type Filterable = { field: SchemaField; operators: readonly QueryOperator[] } | { name: string; why: string }

const equality = ['eq', 'in', 'exists'] as const
const ordered = ['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'exists'] as const

const listOperators = ({ type }: SchemaField): readonly QueryOperator[] =>
  ['integer', 'number', 'date', 'datetime'].includes(type) ? ordered : equality

const explain = (field: SchemaField): string =>
  field.type === 'json'
    ? 'a json field cannot be indexed'
    : 'the schema does not index it; propose an index on the Schema page'

/** The filter options of each field of a kind: declared fields first, then undeclared ones. */
export const listFilterable = (kind: SchemaKind | undefined, seen: readonly string[]): Filterable[] => {
  const declared = kind?.fields ?? []
  const names = new Set(declared.map(({ name }) => name))
  return [
    ...declared.map((field) =>
      field.indexed || field.unique
        ? { field, operators: listOperators(field) }
        : { name: field.name, why: explain(field) },
    ),
    ...seen
      .filter((name) => !names.has(name))
      .map((name) => ({ name, why: 'the schema does not declare it; promote it on the Schema page' })),
  ]
}

const oneValue = ({ type }: SchemaField, text: string): Json => {
  if (type === 'boolean') return text === 'true'
  const number = Number(text)
  return (type === 'integer' || type === 'number') && text !== '' && Number.isFinite(number) ? number : text
}

/** The value of a condition from typed text. An invalid number is sent as text, and the service refuses it. */
export const toConditionValue = (field: SchemaField, operator: QueryOperator, text: string): Json => {
  if (operator === 'exists') return text !== 'false'
  if (operator !== 'in') return oneValue(field, text.trim())
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => oneValue(field, part))
}

/** The words of an operator between a field and a value. */
export const toOperatorWord = (operator: QueryOperator): string => operatorWords[operator]

/** A condition as a sentence. */
export const describeCondition = ({ field, operator, value }: Condition): string => {
  if (operator === 'exists') return value === false ? `${field} has no value` : `${field} has a value`
  const shown = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
  return `${field} ${operatorWords[operator]} ${shown}`
}

/** A `where` as text for a URL. */
export const toWhereText = (where: Where | undefined): string | undefined => where && JSON.stringify(where)

/** The filters other than the kind and the conditions on fields, which have their own controls. */
export const describeFilter = ({ slug, linksTo, predicate, asOf }: RecordFilter): string | undefined => {
  const parts = [
    slug !== undefined && `With the slug ${slug}`,
    linksTo !== undefined && `Linking to ${linksTo}${predicate === undefined ? '' : ` by ${predicate}`}`,
    asOf !== undefined && `As of state ${asOf}`,
  ].filter((one) => one !== false)
  return parts.length > 0 ? parts.join(', ') : undefined
}

type FilterSearch = Omit<RecordFilter, 'where'> & { where?: string | undefined }

/** The filter in a URL. */
export const toFilter = ({ kind, slug, linksTo, predicate, where, asOf }: FilterSearch): RecordFilter => ({
  ...{ kind, slug, linksTo, predicate, asOf },
  where: parseWhere(where),
})
